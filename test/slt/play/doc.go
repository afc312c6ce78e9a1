// Package play runs logic scripts on a server that speaks the PostgreSQL protocol.
//
//	script.Record ──► Conn (simple protocol, text results) ──► Fault, where the
//	                                                           answer is another
//
// A statement or query gets a minute; the connection stays one for a whole
// script, so that SET and BEGIN work. It knows nothing of any one server: what
// differs is said in scripts by skipif and onlyif.
package play
