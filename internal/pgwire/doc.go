// Package pgwire is the door of PostgreSQL's protocol: it speaks version 3 to
// clients and turns their messages into calls of a Session, which knows what SQL means.
//
//	client ─► startup: TLS, version, who, password ─► Session
//	          │
//	          ▼ messages                          Session            Portal
//	   Query ─────────────► Script, then each:    Bind ─► Next… ─► rows out, Tag
//	   Parse·Bind·Describe ► Prepare · Bind       (an error skips to Sync)
//	   Execute ───────────► Next… up to the limit, suspended or complete
//	   CopyData ──────────► lines ─► columns ─► Load
//	   Sync ──────────────► Sync: the implicit transaction ends
//	   CancelRequest ─────► the context of the statement that runs
//
// Invariants:
//   - calls of one Session come one at a time, from one goroutine;
//   - every Query and every Sync is answered by exactly one ReadyForQuery, whatever went wrong before;
//   - after an error in an extended query nothing is done until Sync, and the Session was told by Fail;
//   - output is bounded: a client that does not read holds up its own statement and nothing else;
//   - bytes of any kind give an error to their client, never a panic; nothing before a password costs more than some KiB;
//   - what comes in one packet with a request for TLS is not read as if it came under TLS.
//
// It does not know SQL, transactions or types' meaning: sessions do; package
// codec/pgvalue writes and reads the values.
package pgwire
