package config

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/weirerr"
)

// validator keeps the first fault.
type validator struct{ err error }

func (v *validator) that(ok bool, option, fault string) {
	if !ok && v.err == nil {
		v.err = weirerr.New(weirerr.InvalidArgument, "%s %s", option, fault).With("option", option)
	}
}

func (v *validator) between(option string, n, lo, hi int64) {
	if (n < lo || n > hi) && v.err == nil {
		v.err = weirerr.New(weirerr.InvalidArgument, "%s is out of range", option).With("option", option).
			Hint("allowed is %s to %s", unit(option, lo), unit(option, hi))
	}
}

// unit prints a bound as the option of that name is written.
func unit(option string, n int64) string {
	switch {
	case strings.HasSuffix(option, "_bytes"):
		return Bytes(n).String()
	case strings.HasSuffix(option, "_rows"), strings.HasSuffix(option, "_commits"), strings.HasSuffix(option, "_waits"),
		strings.HasSuffix(option, "_readers"):
		return strconv.FormatInt(n, 10)
	}
	return Duration(time.Duration(n)).String()
}

func (v *validator) oneOf(option, s string, choices ...string) {
	if !slices.Contains(choices, s) && v.err == nil {
		v.err = weirerr.New(weirerr.InvalidArgument, "%s is %q", option, s).With("option", option).
			Hint("allowed is %s", strings.Join(choices, ", "))
	}
}

func (v *validator) address(option, s string) {
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil && v.err == nil {
		v.err = weirerr.New(weirerr.InvalidArgument, "%s %q is not host:port", option, s).With("option", option).
			Hint("for example 127.0.0.1:8300")
	}
}

// Loopback tells whether host:port can be reached from this machine only.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
