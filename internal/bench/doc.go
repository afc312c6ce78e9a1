// Package bench measures the engine of views in this process, on a directory of its
// own: coordinator, worker and stores as in a server, one graph with one query.
//
//	generator ─► worker: operators of the query ─┬─► blackhole: hashed and counted
//	   ▲                │                        └─► view: kept, as a materialized view
//	   │                ▼
//	 the end     checkpoints every second, by the coordinator ─► store, one metastore transaction
//	 of input:
//	 a flush, and the run is over when that is committed
//
// The same events are generated and counted by a plain loop first: what no engine
// could beat on one processor.
//
// Invariants:
//   - a run counts from the opening of the graph to the commit of the epoch that
//     holds the last event;
//   - the result's hash depends on its rows alone: not on sink, shards, epochs or order.
//
// It does not measure SQL sessions nor the creation of views over rows that are there.
package bench
