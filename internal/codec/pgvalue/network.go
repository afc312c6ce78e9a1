package pgvalue

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datum"
)

// appendInet appends an address with a prefix length; cidr is a network, whose bits
// beyond the prefix are 0 and which may leave octets out.
func appendInet(dst, text []byte, cidr bool) ([]byte, error) {
	typ := "inet"
	if cidr {
		typ = "cidr"
	}
	addr, bits, ok := parseNetwork(string(text), cidr)
	if !ok {
		return dst, badInput(typ, text)
	}
	if cidr && netip.PrefixFrom(addr, bits).Masked().Addr() != addr {
		return dst, &Error{Code: datum.CodeInvalidText, Message: "invalid cidr value: \"" + string(text) + "\"", Detail: "Value has bits set to right of mask."}
	}
	dst = append(dst, inetText(addr)...)
	if cidr || bits != addr.BitLen() {
		dst = strconv.AppendInt(append(dst, '/'), int64(bits), 10)
	}
	return dst, nil
}

// inetText shows an IPv4 address inside IPv6 with dots, as PostgreSQL does.
func inetText(a netip.Addr) string {
	b := a.As16()
	if a.Is6() && bytes.Equal(b[:12], make([]byte, 12)) && (b[12] != 0 || b[13] != 0) {
		return "::" + netip.AddrFrom4([4]byte(b[12:])).String()
	}
	return a.String()
}

func parseNetwork(s string, cidr bool) (netip.Addr, int, bool) {
	host, length, slash := strings.Cut(s, "/")
	var addr netip.Addr
	bits, ok := 0, true
	if strings.Contains(host, ":") {
		a, err := netip.ParseAddr(host)
		addr, bits, ok = a, 128, err == nil && a.Zone() == ""
	} else {
		addr, bits, ok = parseOctets(host, cidr)
	}
	if !ok || !slash {
		return addr, bits, ok
	}
	n, err := strconv.ParseUint(length, 10, 8)
	if err != nil || int(n) > addr.BitLen() || len(length) > 3 {
		return addr, 0, false
	}
	return addr, int(n), true
}

// parseOctets reads up to four decimal octets. A network that leaves some out has the
// prefix of its class, or of the octets that it has.
func parseOctets(s string, cidr bool) (netip.Addr, int, bool) {
	parts := strings.Split(s, ".")
	var b [4]byte
	if len(parts) > 4 || len(parts) < 4 && !cidr {
		return netip.Addr{}, 0, false
	}
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 8)
		if err != nil || len(p) > 3 {
			return netip.Addr{}, 0, false
		}
		b[i] = byte(v)
	}
	bits := 32
	if cidr && len(parts) < 4 {
		switch {
		case b[0] >= 240:
			bits = 32
		case b[0] >= 224:
			bits = 4
		case b[0] >= 192:
			bits = 24
		case b[0] >= 128:
			bits = 16
		default:
			bits = 8
		}
		if b[0] < 224 || b[0] >= 240 || len(parts) > 1 {
			bits = max(bits, 8*len(parts))
		}
	}
	return netip.AddrFrom4(b), bits, true
}

// appendMAC appends a hardware address of size octets, 6 or 8: pairs of digits in any of
// the usual groupings.
func appendMAC(dst, text []byte, size int) ([]byte, error) {
	typ := "macaddr"
	if size == 8 {
		typ = "macaddr8"
	}
	octets, ok := macOctets(trimSpace(text))
	if ok && size == 8 && len(octets) == 6 {
		octets = append(octets[:3:3], 0xff, 0xfe, octets[3], octets[4], octets[5])
	}
	if !ok || len(octets) != size {
		return dst, badInput(typ, text)
	}
	const digits = "0123456789abcdef"
	for i, c := range octets {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return dst, nil
}

// macOctets reads pairs of digits. One separator, the same everywhere, stands after every
// so many pairs.
func macOctets(s []byte) (octets []byte, ok bool) {
	sep, every, since := byte(0), 0, 0
	for i := 0; i < len(s); {
		if c := s[i]; c == ':' || c == '-' || c == '.' {
			if since == 0 || sep != 0 && sep != c || every != 0 && since != every {
				return nil, false
			}
			sep, every, since = c, since, 0
			i++
			continue
		}
		if i+1 >= len(s) {
			return nil, false
		}
		hi, ok1 := unhex(s[i])
		lo, ok2 := unhex(s[i+1])
		if !ok1 || !ok2 {
			return nil, false
		}
		octets = append(octets, hi<<4|lo)
		since++
		i += 2
	}
	return octets, since > 0 && (every == 0 || since == every)
}
