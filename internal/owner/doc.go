// Package owner is the state machine of one changefeed: what state it is in,
// when it runs, what is saved, and how far its claim on the log moves. It is
// pure: Step(Event) []Effect, no clock, goroutine or I/O; package feed is its
// shell.
//
//	            Start                 error             backoff over
//	 (saved) ────────► normal ───────────────► pending ─────────────► warning
//	    ▲                 │ ▲                     │ stuck,               │
//	    │ Resume          │ └─ progress ──────────┼──────────────────────┘
//	    │                 │ Pause                 │ FailFast
//	 stopped ◄────────────┤                       ▼
//	                      └─ target reached ─► finished   failed   any ─ Remove ─► removed
//
//	effects of progress:  Save{checkpoint} ──saved──► MovePin{checkpoint}
//	effects of a start:   Save{term+1} ─────saved──► Start{attempt = term}
//
// Invariants, asserted after every Step:
//  1. checkpoint and resolved never go back, except that a new incarnation
//     begins where it was told to;
//  2. pin <= saved checkpoint <= what every lane has confirmed;
//  3. nothing is delivered above the target; a feed is finished exactly there;
//  4. at most one attempt runs, in normal or warning, under a term that was
//     saved before and never used before;
//  5. an event of another attempt than the present one changes nothing;
//  6. the pin is released only after a save of removed, finished, or failed with
//     a LogGone error, and while nothing runs;
//  7. a job is answered once, after what it did is saved;
//  8. a step costs what changed, whatever the number of tables.
//
// It does not know sinks, logs or stores, nor decide which changes are
// delivered (packages feed, backfill).
package owner
