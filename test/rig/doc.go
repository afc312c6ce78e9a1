// Package rig drives the real weir binary against real PostgreSQL servers. The
// demo, the bench and the tests of whole systems are made of its parts.
//
//	Shop, Money, Pgbench ──write──► source ──► weir (a process) ──► target, files
//	                                   │                              │      │
//	                                   └────────── Compare ───────────┘   ReadLines
//
// Invariants:
//   - weir is the built binary, spoken to by its command line and HTTP port
//     only, as a user would;
//   - every process that is started here ends with the process that started it;
//   - what is compared is read from both databases by the comparer itself.
//
// It does not import the product's packages and knows nothing of its files.
package rig
