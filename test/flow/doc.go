// Package flow has the tests of what a user does with the whole binary: every
// kind of table and statement, schema changes, large transactions, the commands
// and the ways back after a loss. Nothing is killed here; package crash does that.
//
//	source ──► weir (a process) ──► target: compared row by row
//	                          └───► files:  read line by line
package flow
