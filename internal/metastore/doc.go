// Package metastore keeps what the system knows of itself: sources,
// changefeeds, schema versions, checkpoints, snapshot plans. A small ordered
// map of JSON values over Pebble, with atomic, synced updates.
//
//	Update(func(tx) { get, put, delete }) ──► one Pebble batch, fsync, version+1
//
// Invariants:
//   - an Update is all or nothing, and serial: a read inside it is a valid
//     precondition (compare-and-set needs nothing more);
//   - Version grows by one with every Update and is proof of age: others
//     remember the highest they saw, so a store set back to an older copy is a
//     StoreBehind error when the house opens.
//
// It does not interpret keys or values.
package metastore
