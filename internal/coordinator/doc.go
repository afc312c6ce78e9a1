// Package coordinator runs the machine of package barrier: it tells it what time it
// is and what databases report, and has them do what it decides.
//
//	Do, Wait, Report, timer ─► inbox ─► loop: Machine.Step ─► effects
//	                             ▲                              │ Inject, DropGraph: at once
//	                             └──────── answers ◄────────────┘ Commit, Reset: in a goroutine each
//
// Invariants:
//   - one goroutine steps the machine; nobody who reports is made to wait;
//   - databases wait for each other in nothing;
//   - every Do returns: when what it did is committed, when it failed, or when its
//     context ends (then it may still happen);
//   - after Run has returned nothing of it runs.
//
// It does not decide (package barrier) nor know what an epoch holds (package database).
package coordinator
