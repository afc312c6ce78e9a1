// Package control has every command once. A door (HTTP, the command line, later
// SQL) translates to and from it and holds no rule of its own.
//
//	door ─► command: validate ─► default ─► persist ─► run ─► answer, masked
//	                    │                      │         │
//	                    names, states,      metastore   Sources, Changefeeds
//	                    filters, schemes                (given by the node)
//
// What is persisted, as JSON values in the metastore:
//
//	source/<name>        Source: URL as given, table rules, upstream identity
//	changefeed/<id>      Changefeed: source, table rules, sink, options, start, target
//	incarnation/<id>     the last incarnation of that name; never deleted
//	feed/<id>/status     owned by the running changefeed: state, checkpoint, error
//	feed/<id>/state      owned by the running changefeed: what it must know to read on
//
// Invariants:
//   - a definition is durable before anything runs by it, and a command that
//     takes several steps (drop, remove, resync) records its intention first, so
//     that Restore finishes what a crash interrupted;
//   - commands on one name are serial; commands on different names do not wait
//     for each other;
//   - a source in use is not dropped, a name in use is not taken, two sources
//     never share an upstream: all three decided inside the metastore's
//     transaction;
//   - no answer and no error shows a secret;
//   - Remove is idempotent.
//
// It does not run sources or changefeeds, does not know any foreign system and
// speaks no protocol.
package control
