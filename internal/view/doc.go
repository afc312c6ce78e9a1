// Package view is what readers see: of each database the snapshot of the last
// committed epoch, and the deltas of relations from one epoch to the next.
//
//	worker: applied epoch e ─Publish(snapshot, deltas)─► Views ──Pin──► queries (TTL)
//	                                                       ├──Wait──► sessions that wrote
//	                                                       └──Follow─► followers: deltas, in order
//
// Invariants:
//   - a pin shows one epoch over all relations of its database, whatever is published meanwhile;
//   - epochs only grow; a waiter for t is woken by the first epoch >= t;
//   - a follower gets every delta since the epoch it starts at, once and in order, or
//     an error that says why it does not;
//   - neither a slow query nor a slow follower holds anything up: a pin ends with its
//     TTL, a follower that falls behind by more than its buffer is cut off.
//
// It does not know what entries of a relation mean (package op) nor when an epoch
// is committed (the coordinator).
package view
