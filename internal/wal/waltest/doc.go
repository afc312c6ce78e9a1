// Package waltest has the suite that every backend of the log passes, and a fake
// backend with the three faults of remote logs.
//
//	Run(t, fresh) ──► each test: store := fresh(t); store(options) opens it, again after Close
//	Store ──► Open ──► wal.Log        the fake: a shared, ordered list of frames a channel
//
// The faults of the fake: the outcome of an append is unknown (it may land or not); a
// write of an old term lands late, behind a newer term's frames; frames are small, so an
// entry takes several. Fencing by term makes all three invisible to readers.
//
// For tests only.
package waltest
