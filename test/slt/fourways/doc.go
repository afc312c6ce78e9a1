// Package fourways asks a server that maintains views what PostgreSQL answers, in
// every way that a query can be put to it.
//
//	script ──► PostgreSQL: SELECT                                   the oracle
//	       ├─► peer: SELECT                                         way 1
//	       ├─► peer: a materialized view made before the load       way 2
//	       ├─► peer: a materialized view made where the query is    way 3
//	       └─► 2 and 3 again while all rows are deleted and come    way 4
//	           back in random order: none, half of them, all
//
// Both servers play the script in lock step, record by record, so a query that
// stands between changes is compared there. For way 2 the definitions of the
// script come first, in their order, then the views, then the rest. Definitions
// are what CREATE and ALTER do; SET is repeated wherever it matters; a script of
// four ways has no DROP. What a way made it drops at its end, views first, so one
// database serves all ways and all scripts.
//
// Rows of views are compared as multisets, those of SELECT in the order that the
// script asks for; names and types of SELECT's columns are compared too. A query
// that only one server runs is paired with its neighbour of the same label that
// only the other one runs. Queries that must fail are of way 1 alone.
//
// Invariants:
//   - equal seeds give equal statements in equal order;
//   - both servers have executed the same changes whenever they are compared.
//
// The oracle is asked for keys and rows through its catalog; the peer is asked
// nothing but what a user would.
package fourways
