// Package lsm has what the stores over Pebble share: private files, the lock on
// the directory, Pebble's words in our log, and typed errors.
//
//	metastore, state ──► Name{…}.Open ──► pebble.DB over private files, with its lock
//
// Invariants:
//   - the directory is 0700 and its files 0600;
//   - what Pebble reports about a damaged file is an error of the read that met it;
//     only a failed write to its log or manifest ends the process.
//
// It does not know keys or values.
package lsm
