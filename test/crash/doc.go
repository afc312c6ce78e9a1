// Package crash has the tests of what happens when processes die: the real weir
// binary, real PostgreSQL servers, kill -9, a target that is away, a full disk.
//
//	money transfers ─┐                        ┌─► target, with an audit of its own
//	pgbench ─────────┼─► source ──► weir ─────┤        ▲
//	                 │     ▲          ▲       └─► files │
//	                 └── kill -9 ─────┴─────────────────┘
//
// What holds after every one of them (world.judge):
//   - G1: at each kill of weir, the slot's confirmed position is not above what the
//     log on disk has;
//   - G2: the target equals the source, and an ALWAYS trigger on its journal has
//     seen each row inserted exactly once; the files have each line once;
//   - G3: from consistent_from on, the sum over two tables is the same in every
//     transaction of the target, seen from inside (a deferred constraint trigger)
//     and from outside (a sampler);
//   - G5: what is down delays nothing else.
//
// WEIR_SOAK=1 makes them long: fifty kills, a minute of absence.
package crash
