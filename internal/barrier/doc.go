// Package barrier is the state machine of checkpoints: when each database's next
// epoch begins, who has finished it, in which order epochs commit, how jobs come
// and go with them, and what follows a failure. It is pure: Step(now, Event)
// []Effect, no clock, goroutine or I/O; package coordinator is its shell.
//
//	Tick, Command ─► Inject{prev, curr} ─► workers ─► Collected ─┐
//	                                                             ▼  in order, checkpoints only
//	      Reply ◄── Committed ◄── the commit point ◄── Commit{epochs, sealed parts}
//
//	a database   ──e1──e2──e3──►  main graph: periodic, its jobs all at one epoch
//	                 └──c1──c2─┐  a creating job's own graph: follows committed epochs
//	                           ▼
//	              … e7 (merge) e8  joins where both stand at the same epoch
//
//	running ── failure ──► recovering ── Recovered{committed} ──► running, at Initial
//
// An epoch is named by curr, a Ts of the log's clock: it holds everything after prev up to curr.
//
// Invariants, asserted after every Step, by check.go (what a state shows) and by the
// simulation's world (what a history shows). Each has mutants that the simulation
// kills; TestEveryInvariant knows when one is without.
//  1. in a graph each barrier's prev is the last one's curr, and curr > prev;
//  2. an attempt of a graph begins with one Initial barrier (or, of a creating
//     graph, with a checkpoint) at its committed epoch, and has no other Initial;
//  3. a graph commits in order, one at a time, only checkpoints, and a commit
//     names every epoch since the last one;
//  4. a creating graph never commits beyond the main graph, and merges where both are equal;
//  5. an accepted command is answered: started at most once, then exactly once
//     collected or failed, and collected only after the commit that holds it;
//  6. a dropped job is in no later barrier;
//  7. a recovering database injects nothing and accepts nothing but drops; the others
//     begin each barrier when it is due;
//  8. a reply of another attempt, of an epoch not in flight, or given twice changes nothing;
//  9. periodic barriers never raise the number in flight above the cap;
//  10. a job is created only after the commit of its first epoch in the main graph;
//  11. a failure is its database's own: a worker's end fails those that wait for it, no other.
//
// From 2, 3 and 5 follows: wherever a crash falls, a database goes on at an epoch that was
// committed, and no command that was answered is beyond it. That the log keeps what an epoch
// needs is package wal's matter, that stores show whole epochs package state's.
//
// It does not know logs, stores or operators.
package barrier
