// Package state keeps the arrangements of a worker in a Pebble store: the
// entries of operators' tables, as of one committed epoch for each graph.
//
//	op.Table.Changes ─► Delta ─► Seal ─► staged: one record, or sorted files     durable, invisible
//	                                        │
//	        metastore commits prev ─► epoch │
//	                                        ▼
//	                                      Apply ─► the store at epoch ─► Snapshot: Groups, Scan, Get
//
//	key     database(4) │ table(4) │ bucket(1) tag(4) group suffix  big endian
//	own     0(4) 'a' graph ─► applied epoch      0(4) 's' graph epoch ─► staged record
//
// Ids of databases begin at 1. A graph (a database's main one, or that of a job
// being created) has its own chain of epochs. Ids of tables are never used twice.
//
// Invariants:
//   - what Seal reported done survives a crash and is invisible until Apply;
//   - Apply is atomic, idempotent and in the order of the chain: a store never shows
//     parts of an epoch, nor an epoch without the one before;
//   - after a crash the store is at an applied epoch of before, and everything staged
//     is still there: Recover applies what was committed and discards the rest;
//   - a store that can not reach the committed epoch is StoreBehind, one that is beyond it too;
//   - a Snapshot never changes.
//
// It does not know what entries mean (package op) nor which epoch is committed (the metastore).
package state
