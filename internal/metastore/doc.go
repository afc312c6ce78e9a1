// Package metastore keeps what the system knows of itself: sources,
// changefeeds, schema versions, checkpoints, snapshot plans. A small ordered
// map of JSON values over Pebble, with atomic, synced updates.
//
//	Update(func(tx) { get, put, delete }) ──► one Pebble batch, fsync, version+1
//
// Keys are strings and sort by their bytes. A caller ends the parts of a key in
// '/', so that the prefix "a/1/" does not take "a/10/" along.
//
// Invariants:
//   - an Update is all or nothing, and serial: a read inside it is a valid
//     precondition (compare-and-set needs nothing more), and sees its writes;
//   - what Update reported done is there after a crash;
//   - Version grows by one with every Update that writes and is proof of age:
//     others remember the highest they saw, so a store set back to an older copy
//     is a StoreBehind error when the house opens (CheckWitness);
//   - an Update that finds too little room on the disk is refused before it
//     begins, since Pebble does not survive a log write that fails;
//   - the directory is 0700 and its files 0600.
//
// It does not interpret keys or values.
package metastore
