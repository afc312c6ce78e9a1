package state

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/arrange"
)

// comparer orders keys by their bytes. Filters are of the part that split gives: the
// database, the table, and of the table's key the prefix (arrange.PrefixLen).
var comparer = func() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = "weir.state"
	c.Split = split
	c.ImmediateSuccessor = successor
	return &c
}()

// filteredLen is the length of what filters are of.
const filteredLen = tablePrefixLen + arrange.PrefixLen

func split(key []byte) int {
	if len(key) <= filteredLen || binary.BigEndian.Uint32(key) == own {
		return len(key)
	}
	return filteredLen
}

// successor is the next prefix after one.
func successor(dst, prefix []byte) []byte {
	if len(prefix) < filteredLen || binary.BigEndian.Uint32(prefix) == own {
		return append(append(dst, prefix...), 0)
	}
	return append(dst, after(prefix)...)
}
