// Package dataflow makes graphs of operators from plans and runs them, a shard at
// a time. It is pure: no goroutine, clock, store or log; package worker drives it.
//
//	plan.Node ─Compile─► Job{Nodes} ─Attach─► Graph ─► Shard 0: units, in topological order
//	                                            │  ╲       ▲ exchange: rows by hash of a key
//	                                            │   ╲─► Shard 1: …
//	  Input.Push ──────────────────────────────►│
//	  rounds: every Shard.Run, then Graph.Swap … │ ─► Taps: the epoch's deltas of relations
//	  end:    for each stage: Shard.Flush, rounds│ ─► Tables: state, by stable ids
//
// A graph is a DAG over all jobs of it. A job is the maintenance of one relation
// (or a sink): a table's own arrangement, or a view's operators and its Materialize.
// Jobs read each other's output inside the same epoch. A stage ends where rows
// change shards: within one, a shard flushes its operators in topological order by
// itself; between two all shards meet.
//
// Invariants:
//   - a view equals its query over its inputs at the end of every epoch, whatever
//     the number of shards and the cutting of input into chunks;
//   - all rows with equal values in an operator's key are on one shard;
//   - a unit that misses groups, or whose readers are behind, does not stop others;
//   - tables have the same ids for the same job and plan, over restarts;
//   - a job that fails is detached with its dependants; the others go on.
//
// It does not know stores: what Missing lists, somebody fills.
package dataflow
