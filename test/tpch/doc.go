// Package tpch generates data of TPC-H's shape, in batches of changes, and holds
// its 22 queries.
//
//	New(seed, 0.01).Batches(10):
//	  0      region, nation, supplier, part, partsupp, customer
//	  1 … n  an n-th of the orders with their lines; from 2 on a twentieth as many
//	         of the orders that are there go, with their lines
//
// It is not dbgen and its results are not comparable to published ones: tables,
// columns, key rules, domains and correlations are those of the specification
// (dates of a line after its order's, return flags from dates, four suppliers a
// part, a third of the customers without orders), the random numbers, texts and
// rates of rare cases are ours, chosen so that every query has rows at scale 0.01.
//
// The queries are in PostgreSQL's dialect with the specification's validation
// parameters; where those find nothing in so little data, or leave ties open, a
// comment in the query says what was changed. What they need of an engine: inner
// joins of up to eight tables (q8), a left join with a condition beside the
// equality (q13), a table with itself (q7, q21), EXISTS and NOT EXISTS (q4, q21,
// q22), IN and NOT IN of a subquery (q16, q18, q20), correlated scalars (q2, q17,
// q20), scalars of the whole (q11, q15, q22), count(DISTINCT) (q16), aggregates
// of aggregates (q13, q15), CASE, LIKE, extract, substring, interval arithmetic,
// ORDER BY … LIMIT (q2, q3, q10, q18, q21).
//
// Invariant: seed, scale and number of batches determine every byte.
package tpch
