// Package progress keeps the minimum over many holders' timestamps, and says
// who holds it and since when. It is the only heap of the project: checkpoints,
// resolved timestamps and barriers are minima of this kind.
//
//	index: key ─► slot          slots: key, bytes | place, generation, since
//	                 │                                        │
//	                 └────────────── Handle ──────────┐       ▼
//	                                                  └─► order: (Ts, slot), a 4-ary
//	                                                      min-heap, 4 children a cache line
//
// It is pure: the caller passes the time, guards it with a lock where it shares
// it, and hears of each change whether the minimum moved.
//
// Invariants:
//   - a holder's Ts never goes back; the minimum goes back only when a holder is
//     added below it;
//   - since changes only when the Ts does;
//   - an operation that fails changes nothing;
//   - a handle of a dropped holder is never taken for its successor's;
//   - equal sequences of operations give equal answers, ties included.
//
// It does not persist, wait or notify.
package progress
