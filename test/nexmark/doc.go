// Package nexmark holds the queries of the Nexmark benchmark twice: as a user of
// weir writes them, and by hand for PostgreSQL over the same events.
//
//	Stream(5)       TUMBLE, HOP, row_number() <= k: RisingWave's dialect; the texts are
//	                with the generator, in internal/adapter/nexmark/queries
//	batch/q5.sql    another formulation where there is one: generate_series for
//	                HOP, date_bin for TUMBLE, DISTINCT ON for the first of a group
//	schema.sql      person, auction, bid as tables, for events that were dumped
//	sample.sql      a few events by hand, so that every query finds something
//
// The queries are those of github.com/nexmark/nexmark in the form of RisingWave,
// over its column names, and differ as follows. q2 takes every 123rd auction, as
// Flink does, and not five ids. q4's average is PostgreSQL's: a numeric. q9, q18
// and q19 rank by further columns after those of the benchmark, since at 10,000
// events a second many bids share a millisecond, and an answer must be one answer.
// q14 counts letters without a function of the user. q16 and q17 format days as
// YYYY-MM-DD and minutes on the 24-hour clock. Left out: q6 (a window frame), q10
// (a file sink), q11 (sessions), q12 and q13 (processing time).
package nexmark
