// Package mutant proves that a test suite can fail: it changes one place of the
// code in a copy and demands that the tests notice.
//
//	file.go ──old→new──► temp copy ──go test -overlay──► must fail
//
// For tests only. A test that calls Kill names the other tests of its package in
// run, never itself. The checkout is not touched.
//
// Invariants:
//   - the text to change occurs exactly once, so a mutant cannot rot unseen;
//   - a mutant that does not compile, or a pattern that runs no test, is an
//     error of the mutant and not a kill.
package mutant
