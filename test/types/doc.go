// Package types has the tests of promise G7, same bytes: every built-in type of
// PostgreSQL with its extremes goes through the real binary, once by snapshot
// and once by stream.
//
//	values ──► t_NAME (id, v, a[], k) ──snapshot──► target, files
//	   └─────► the same rows again    ──stream────► target, files
//
// What holds: the target equals the source by EXCEPT ALL both ways over every
// column cast to text; in the files, a value read by snapshot is, byte for byte,
// the value read by stream.
package types
