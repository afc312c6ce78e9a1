// Package wal is the durable log: its words, its port, and the checkpoint
// manager that decides how far it may be truncated.
//
//	capture ──Append──► Writer ──fsync──► durable mark ──► Reader ──► consumers
//	                      │                                            │ pins
//	                      │ term, clock, ceiling                       ▼
//	frames <= 512 KiB     │                                   Checkpoints (min-heap)
//	parts of large txns ──┘                                            │
//	                                 Truncate ◄── after the save ──────┘
//
// A Log holds channels. A channel has one purpose (one source, or one
// consumer's snapshot) and one Writer at a time, fenced by a term; on it, each
// table is a vchannel. An Entry is one whole committed transaction, or a
// marker; its Ts is assigned under the append lock, so log order is Ts order.
//
// Invariants:
//   - readers stop at the durable mark, which moves only after fsync;
//   - entries of a term below the highest term seen are dropped by readers;
//   - the high position is written with each entry and survives truncation;
//   - a damaged record is a LogCorrupt error that names channel, position and
//     neighbours, which stay readable; a torn tail is cut exactly and reported.
//
// checkpoint.go states the rules of checkpoints, pins and truncation. Package
// wal/pinstore keeps them in the metadata store; Guard defends the disk.
//
// Backends are in packages of their own (wal/local). The suite every backend
// passes is wal/waltest.
package wal
