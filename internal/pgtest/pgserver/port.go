package pgserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
)

// FreePort is a TCP port of 127.0.0.1 that nobody listens on and that no outgoing
// connection can be given: it lies below the kernel's ephemeral range. A server
// that is down for a while finds it free again, and a client that keeps dialling
// it cannot connect to itself.
func FreePort() (int, error) { return freePort() }

func freePort() (int, error) {
	const lowest, tries = 10000, 200
	highest := 32000
	if b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		var from int
		if _, err := fmt.Sscan(strings.TrimSpace(string(b)), &from); err == nil && from > lowest+1000 {
			highest = from
		}
	}
	for range tries {
		port := lowest + rand.IntN(highest-lowest)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port on 127.0.0.1")
}
