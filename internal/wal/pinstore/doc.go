// Package pinstore keeps checkpoints and pins in the metadata store: it is the
// wal.CheckpointStore of an installation with one metadata store.
//
//	log/<channel>/checkpoint     {term, revision, checkpoint}
//	log/<channel>/pin/<owner>    wal.PinRecord
//
// Channel and owner are escaped, so that neither can hold a '/'. The package
// joins two of the same floor, wal and metastore, and stands above both.
//
// Invariants:
//   - a save is one transaction: the checkpoint and the pins it rests on;
//   - a save of a term that is over is LogFenced and changes nothing;
//   - a save on top of another revision changes nothing and says what is there.
package pinstore
