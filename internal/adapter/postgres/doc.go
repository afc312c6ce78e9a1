// Package postgres speaks with PostgreSQL servers, in both directions: it
// captures an upstream (capture.Upstream) and delivers to a target (feed.Sink).
//
//	walsender ──CopyData──► decoder ──row changes──► capture.Handler
//	   ▲  status updates        ▲ shapes                  │ Durable
//	   └────────────────────────┼─────────────────────────┘
//	catalog, DDL messages ──────┘      COPY (SELECT …) ──► ReadChunk
//
//	feed ─► Sink ─► worker ─► applier ─┬─► pipe: flights ahead of their answers ─► target
//	                                   └─► one answer at a time, when the pipe is idle
//
// Invariants:
//   - a value has the same bytes by stream and by snapshot: all sessions run
//     under the same pinned settings (pinned) and take text;
//   - the shape of a streamed row (which columns, in which order, of which type)
//     comes from the stream; the catalog only adds what cannot contradict it;
//   - the server is told that a position is flushed only when Handler.Durable says so;
//   - the application's own statements never fail because of us: no publication
//     for all tables, none that publishes updates of a table without an
//     identity, and a DDL trigger that swallows its errors;
//   - of flights sent ahead, those before the first that fails have happened and
//     those behind it have not: its transaction is aborted, or the position is not
//     where the next commit expects it. They are done again in order, or given up
//     together; nobody is told that they are durable;
//   - what a closed sink has sent is committed before Close returns or not at all,
//     as far as the server can be reached;
//   - bytes the decoder cannot read are an UpstreamProtocol error, never a panic.
//
// It keeps nothing on disk, and does not know the log or the owner.
package postgres
