package op

import "github.com/weirstream/weir/internal/zset"

// Operator is one operator on one shard.
type Operator interface {
	// Push hands over a delta for an input. It is called only when Run has returned
	// Done, or never yet. The chunk is not written by anybody any more.
	Push(port int, in *zset.Chunk)
	// Flush says that the epoch's input is complete. What was held back (changed
	// groups) comes out by Run, which then ends the epoch with Done.
	Flush()
	// Run works on what was pushed and appends to out. It returns after about
	// budget rows of output or work, with More; with Miss when groups are missing
	// in memory; with Done when nothing is left.
	Run(out *Output, budget int) Status
	// Tables is the operator's state; nil when it has none. Always the same, in the same order.
	Tables() []Table
}

// Status is what Run returns.
type Status uint8

// Statuses.
const (
	Done Status = iota
	More
	Miss
)

// Output collects what Run emits. Errors have the columns of ErrorColumns.
type Output struct {
	Chunks []*zset.Chunk
	Errors []*zset.Chunk
	// Fault is set when the operator's input contradicts itself (a negative weight); a
	// sample row is in its message. The view goes into an error state.
	Fault error
}

// Columns of Output.Errors, all of Kind Bytes: SQLSTATE, message, the failing row as text.
const ErrorColumns = 3

// Table is keyed state of one operator on one shard, in memory over a store. Entries
// are (group, suffix) ─► value; a group is in memory whole or not at all. In the
// store an entry's key is bucket (one byte of the group's hash) | group | suffix,
// after a prefix that names table and database. Groups are self delimiting: none
// is a prefix of another. A Table of groups with one entry each may want a whole
// bucket: Wanted then lists the bucket's byte alone, and Fill is given groups for suffixes,
// as a scan by that prefix gives them.
type Table interface {
	// Wanted lists prefix | group of the groups that Run missed, ascending.
	Wanted() [][]byte
	// Fill makes a wanted group resident: entries yields its entries in key order,
	// key without prefix | group. Both are borrowed. No entries: the group does not exist.
	Fill(group []byte, entries func(yield func(suffix, value []byte) bool))
	// Changes calls fn for every entry changed since the last Sealed, ascending by
	// key (prefix | group | suffix); value nil: deleted. Both are borrowed.
	Changes(fn func(key, value []byte))
	// Sealed says that Changes are durable with the epoch.
	Sealed()
	// SetCold says that the store holds entries of the table: a group that is not in
	// memory must be fetched. Before, it does not exist.
	SetCold()
	// Bytes is the memory used.
	Bytes() int64
	// Evict forgets unchanged groups, least recently used first, until Bytes is at most target or none is left.
	Evict(target int64)
}
