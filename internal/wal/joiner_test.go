package wal_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
)

// cutParts is a PartReader over parts, which it overwrites once they are no longer borrowed.
type cutParts struct {
	parts [][]byte
	lent  []byte
}

func (p *cutParts) Next() (uint64, []byte, error) {
	for i := range p.lent {
		p.lent[i] = 0xee
	}
	if len(p.parts) == 0 {
		return 0, nil, io.EOF
	}
	p.lent = bytes.Clone(p.parts[0])
	p.parts = p.parts[1:]
	return 0, p.lent, nil
}

func (p *cutParts) Close() error { return nil }

// Rows of every size around the limits of a part come out whole and in order,
// whichever way the writer cut them.
func TestJoinerPutsCutChangesTogether(t *testing.T) {
	for _, sizes := range [][]int{
		{10}, {10, wal.MaxChanges, 10}, {3 * wal.MaxChanges}, {2*wal.MaxChanges - 8, 1, 1}, {wal.MaxChanges - 9, 5}, {wal.MaxChanges + 1, wal.MaxChanges + 1},
	} {
		var parts [][]byte
		for _, size := range sizes {
			tuple := row.AppendValue(row.AppendTupleHeader(nil, 1), make([]byte, size))
			change := row.AppendChange(nil, &row.Change{Op: row.Insert, Table: 1, Version: 1, New: tuple})
			parts = append(parts, slices.Collect(slices.Chunk(change, wal.MaxChanges))...)
		}
		j := wal.Joiner{Parts: &cutParts{parts: parts}}
		var got []int
		for {
			changes, err := j.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			it := row.Changes(changes)
			for it.Next() {
				columns := it.Change.New.Iter()
				columns.Next()
				got = append(got, len(columns.Value))
			}
			if it.Err() != nil {
				t.Fatalf("%v: %v", sizes, it.Err())
			}
		}
		if !slices.Equal(got, sizes) {
			t.Errorf("rows of %v bytes came out as %v", sizes, got)
		}
	}
}
