// Package outbox lets a database be captured like any upstream: what its tables and
// views change by, epoch by epoch, becomes the transactions of a log channel, which
// changefeeds read as they read a source's.
//
//	epoch e committed ─► outbox in the state, sealed with e ─► Stream ─► capture ─► channel of the database
//	                          ▲                                                         │ durable up to e
//	                          └───────────────── forgotten ◄────────────────────────────┘
//	rows of a relation at e  ─► ReadChunk ─► capture ─► side channel of one changefeed
//
// An epoch is a transaction: its number is the upstream's transaction id and position.
//
// Invariants:
//   - an epoch is in the channel once: the channel's high position says which was the last,
//     and what came after is in the outbox until it is durable there;
//   - only committed epochs are published, each whole, in their order;
//   - a snapshot is the rows of one epoch, and sees exactly the epochs up to it;
//   - a key is delivered as one when none of its columns is hidden or may be NULL; rows of
//     other relations are delivered as a bag, by all visible columns;
//   - per epoch and key, the old and the new row are one update.
//
// It does not decide what is delivered where (packages owner, feed), nor write the log
// (package capture).
package outbox
