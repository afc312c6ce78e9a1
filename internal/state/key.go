package state

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/ts"
)

// The store's own keys lie below every database's.
const own = 0

var (
	formatKey     = []byte{0, 0, 0, own, 'f'}
	appliedPrefix = []byte{0, 0, 0, own, 'a'}
	stagedPrefix  = []byte{0, 0, 0, own, 's'}
)

func appliedKey(g Graph) []byte { return g.append(append([]byte(nil), appliedPrefix...)) }

func stagedKey(g Graph, epoch ts.Ts) []byte {
	return binary.BigEndian.AppendUint64(stagedGraph(g), uint64(epoch))
}

func stagedGraph(g Graph) []byte { return g.append(append([]byte(nil), stagedPrefix...)) }

func (g Graph) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, g.Database)
	return binary.BigEndian.AppendUint32(dst, g.Part)
}

// graphOf reads what append wrote.
func graphOf(b []byte) Graph {
	return Graph{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// tablePrefix is what the keys of a table begin with.
const tablePrefixLen = 8

func appendTable(dst []byte, database, table uint32) []byte {
	dst = binary.BigEndian.AppendUint32(dst, database)
	return binary.BigEndian.AppendUint32(dst, table)
}

func tableBounds(database, table uint32) (low, high []byte) {
	return appendTable(nil, database, table), after(appendTable(nil, database, table))
}

// after is the first key behind all that begin with prefix, which is not all 0xff.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return end
}
