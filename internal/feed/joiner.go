package feed

import (
	"errors"
	"io"

	"github.com/weirstream/weir/internal/wal"
)

// joiner puts together what a writer has cut. A part of exactly wal.MaxChanges
// bytes may end in the middle of a change: one row may be larger than a frame.
// The part that was written next goes on with it.
type joiner struct {
	parts wal.PartReader
	buf   []byte
}

// next returns whole changes, borrowed until the following call; io.EOF at the end.
func (j *joiner) next() ([]byte, error) {
	_, changes, err := j.parts.Next()
	if err != nil || len(changes) < wal.MaxChanges {
		return changes, err
	}
	j.buf = append(j.buf[:0], changes...)
	for len(changes) == wal.MaxChanges {
		if _, changes, err = j.parts.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		j.buf = append(j.buf, changes...)
	}
	return j.buf, nil
}
