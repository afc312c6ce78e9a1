package postgres

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/weirerr"
)

// LSN is a place in PostgreSQL's write-ahead log, in bytes.
type LSN uint64

// String prints it as PostgreSQL does: 16/B374D848.
func (l LSN) String() string { return fmt.Sprintf("%X/%X", uint32(l>>32), uint32(l)) }

// Position gives it as an order-preserving position: 8 bytes, big-endian.
func (l LSN) Position() []byte { return binary.BigEndian.AppendUint64(nil, uint64(l)) }

// LSNOf reads a position. An empty one is 0.
func LSNOf(position []byte) (LSN, error) {
	switch len(position) {
	case 0:
		return 0, nil
	case 8:
		return LSN(binary.BigEndian.Uint64(position)), nil
	}
	return 0, weirerr.New(weirerr.StoreBehind, "a stored position is not one of PostgreSQL's").
		With("position", fmt.Sprintf("%x", position)).Hint("the source was captured from another kind of upstream; create it anew")
}

// ParseLSN reads what String prints.
func ParseLSN(s string) (LSN, error) {
	hi, lo, ok := strings.Cut(s, "/")
	h, err1 := strconv.ParseUint(hi, 16, 32)
	l, err2 := strconv.ParseUint(lo, 16, 32)
	if !ok || err1 != nil || err2 != nil {
		return 0, weirerr.New(weirerr.InvalidArgument, "malformed LSN %q", s).Hint("write it as 16/B374D848")
	}
	return LSN(h<<32 | l), nil
}
