// Package arrange has Table, keyed state in memory over a store that has the rest.
// A table maps groups (bytes) to entries: suffix ─► value, in the order of their
// suffixes. The entry without a suffix is the group's head; its value can be
// changed in place.
//
//	hash of key ─► index ─► group ─┬─► block [key │ head]
//	  (a word: 32 bits             │
//	   of hash, slot)              └─► entries, by suffix ─► block [suffix │ value]
//
//	1 entry: in the group itself · up to 64: one sorted run of 4, 16 or 64 ids
//	more: a directory of sorted runs
//
// Nothing that grows with the number of entries holds a pointer, so the garbage
// collector has nothing to mark. Blocks lie in pages of 256 KiB; freed ones are
// used again, and the emptiest pages are vacated when a quarter of all is holes.
//
//	          insert, change                Changes, Sealed
//	absent ──────────────────► dirty ──────────────────────► clean
//	   ▲                         ▲                             │ │
//	   └───── Fill (no entries)  └────── change ───────────────┘ │ Evict
//	missing ─── Fill ───► clean                 missing ◄────────┘
//
// Which groups were evicted a Bloom filter remembers, so that a group that is new is
// not looked for in the store. After a restart (SetCold) every one is.
//
// Invariants:
//   - Changes gives each entry that differs from the store once, ascending;
//   - a dirty group, or one of the batch at hand (found since Tick), is never evicted;
//   - slots stay what they are until their group is evicted or gone;
//   - a borrowed value is good until the next change of its group, Tick, Sealed or Evict;
//   - Bytes counts all that is allocated.
//
// It does not know what entries mean (package op) nor the store (package state).
package arrange
