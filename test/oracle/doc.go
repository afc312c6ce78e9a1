// Package oracle holds the corpus of queries that weir and PostgreSQL must answer
// alike, and the tests that ask them.
//
//	testdata/*.slt          one file a topic, in the format of test/slt/script
//	testdata/schema/*.slt   the tables and rows that they include
//
// The expectations are PostgreSQL 15's own, filled in by
//
//	go run ./test/slt -url postgres://…/empty -rewrite test/oracle/testdata/topic.slt
//
// and read over. A query that weir may refuse, for it is no part of its SQL, does
// not belong here. Sums of floats are exact in any order, orders are total, a group
// shows no value that is written in several ways (1.5 and 1.50), and nothing depends
// on the clock or the plan. rare.slt has the functions that can wait.
package oracle
