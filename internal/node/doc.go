// Package node is a running weir: it opens the stores, wires every package to
// the ones it needs, and takes all of it down again. It is the only package that
// knows them all, and holds no rule of its own.
//
//	data directory ─► metastore, log ─► checks against each other
//	                                       │
//	        control ◄── sources (capture, adapter/postgres)
//	           ▲    ◄── changefeeds (feed, adapter/…)
//	           │    ◄── pins (checkpoints of the log)
//	        httpapi
//
// The data directory:
//
//	FORMAT        version of the layout, and the installation's id
//	meta/         the metadata store
//	log/          the channels, and the lock that makes the directory ours
//
// Invariants:
//   - nothing starts before the stores agree: a metadata store older than the
//     log remembers, or a log that ends before what the metadata proves, is a
//     StoreBehind error;
//   - things stop in the opposite order of their start: doors, changefeeds
//     (each saves its checkpoint), sources, pins, stores.
package node
