// Package sourcetest has an upstream database with its capture, over a real log, for the
// tests of consumers of a source.
//
//	Commit ─► tables at once; queue ─Pump─► the source's channel
//	Place ─► one chunk of a snapshot that is asked for: its marker, then its rows or nothing
//
// A chunk sees what was committed, also what the stream has yet to bring.
package sourcetest
