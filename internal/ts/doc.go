// Package ts is the clock's word: Ts, one point on the time line that log
// entries, checkpoints, barriers and finish points share.
//
//	 63                              18 17            0
//	┌───────────────────────────────────┬──────────────┐
//	│ unix milliseconds                 │ logical      │
//	└───────────────────────────────────┴──────────────┘
//
// A Ts is issued by the Clock of a channel's only writer, under its append
// lock. There is no central oracle.
//
// It does not read the wall clock, persist the ceiling or know about channels:
// package wal does.
package ts
