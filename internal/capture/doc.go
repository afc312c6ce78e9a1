// Package capture runs a source: it reads an upstream's stream once, makes it
// durable in the source's log channel, and acknowledges upstream only then.
//
//	Upstream ──Handler──► assembler ──► wal.Writer ──durable──► acknowledged
//	   │                     │  small txn: one entry
//	   │                     └─ large txn: parts, then the commit entry
//	   └─ReadChunk──► side channel of one consumer ──► marker in the main channel
//
// Invariants:
//   - Handler.Durable never passes what the log has fsynced (G1);
//   - a transaction at or below the channel's high position is dropped, so a
//     reconnect repeats nothing;
//   - a chunk's marker is appended when its snapshot has just been taken, and
//     only if that sees every transaction already in the channel; otherwise
//     another snapshot is taken. The rows are read after that;
//   - every marker gets an outcome on its side channel, in the markers' order:
//     the rows, or that it is void. One without an outcome after a restart is void;
//   - a slow consumer never slows the stream: only its own chunk readers block.
//
// It does not know PostgreSQL (adapter/postgres) nor what consumers do with
// the log (package feed).
package capture
