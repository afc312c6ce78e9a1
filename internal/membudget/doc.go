// Package membudget divides the memory that the process may use, and keeps the garbage collector's
// share of it in bounds.
//
//	cgroup's limit, else the machine's memory
//	   └─ a quarter (or sql.memory_bytes) ─► state of tables and views, held in memory
//	        └─ half as much, 256 MiB to 1 GiB ─► blocks of the state store
//
// State lies in pages without pointers: they cost the collector nothing to mark, but it would let
// garbage grow to twice their size. Pace says how much it may be: twice what else is live, about, and
// a quarter of the state.
//
// It does not count anything itself (packages worker, database).
package membudget
