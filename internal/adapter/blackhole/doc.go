// Package blackhole is a sink that counts what it is given and forgets it: for
// measuring everything before the sink, and for trying a changefeed out.
//
//	Write ─► counters: items, bytes, transactions, by kind of change
//	Commit ─► position, in memory
//
// Invariants:
//   - an older term is fenced, and positions only grow, as at a real target;
//   - counters cover every Write, committed or not; Committed only what was committed.
//
// The position lives as long as the Target. After a restart of the process the
// changefeed begins again where its log pin stands: at least once.
package blackhole
