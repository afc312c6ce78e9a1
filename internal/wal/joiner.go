package wal

import (
	"errors"
	"io"
)

// Joiner puts together what the writer of a large transaction has cut. A part of
// exactly MaxChanges bytes may end in the middle of a change: one row may be larger
// than a frame. The part that was written next goes on with it.
type Joiner struct {
	Parts PartReader
	buf   []byte
}

// Next returns whole changes, borrowed until the following call; io.EOF at the end.
func (j *Joiner) Next() ([]byte, error) {
	_, changes, err := j.Parts.Next()
	if err != nil || len(changes) < MaxChanges {
		return changes, err
	}
	j.buf = append(j.buf[:0], changes...)
	for len(changes) == MaxChanges {
		if _, changes, err = j.Parts.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		j.buf = append(j.buf, changes...)
	}
	return j.buf, nil
}
