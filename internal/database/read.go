package database

import (
	"context"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// scanRows is how many rows a reader takes at a time.
const scanRows = 4096

// scan reads a relation's rows out of a pinned epoch, piece by piece.
type scan struct {
	db     *Database
	pin    *view.Pin
	table  uint32
	stored *op.Stored
	next   []byte // where to go on
	done   bool
	hide   []overlay // keys that are not read: their newest rows are elsewhere
}

// newScan begins at the first row.
func (db *Database) newScan(pin *view.Pin, rel *catalog.Relation, hide ...overlay) (*scan, error) {
	db.mu.Lock()
	j := db.jobs[rel.ID]
	err := j.broken()
	db.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if j == nil || j.job.Job == nil || j.job.Stored == nil {
		return nil, &sql.Error{
			Code: sql.FeatureNotSupported, Message: "source \"" + rel.Name + "\" keeps no rows", Pos: -1,
			Hint: "Create a materialized view over it and read that.",
		}
	}
	return &scan{db: db, pin: pin, table: j.job.StoredIn, stored: j.job.Stored, hide: hide}, nil
}

// read gives the next piece; nil at the end.
func (s *scan) read(ctx context.Context) (*zset.Chunk, error) {
	for !s.done {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		out := zset.NewChunk(s.stored.Kinds, scanRows)
		err := s.pin.Use(func(n *state.Snapshot) error { return s.piece(n, out) })
		if err != nil {
			return nil, err
		}
		if out.N > 0 {
			return out, nil
		}
	}
	return nil, nil
}

func (s *scan) piece(n *state.Snapshot, out *zset.Chunk) (err error) {
	s.done = true
	seen := 0
	e := n.Scan(s.db.o.ID, s.table, s.next, nil, func(key, value []byte) bool {
		if seen++; seen > scanRows {
			s.next, s.done = append(s.next[:0], key...), false
			return false
		}
		if s.hidden(key) {
			return true
		}
		err = s.stored.DecodeRow(key, value, out)
		return err == nil
	})
	if err == nil {
		err = e
	}
	return err
}

// hidden tells whether a row's newest state is in an overlay: its key without the prefix.
func (s *scan) hidden(key []byte) bool {
	for _, o := range s.hide {
		if len(o) == 0 {
			continue
		}
		if _, ok := o[string(key[arrange.PrefixLen:])]; ok {
			return true
		}
	}
	return false
}

// rows decodes the rows that overlays hold, a later overlay before an earlier one.
func (s *scan) overlaid() (*zset.Chunk, error) {
	out := zset.NewChunk(s.stored.Kinds, scanRows)
	for i := len(s.hide) - 1; i >= 0; i-- {
		for key, v := range s.hide[i] {
			if v.row == nil || s.newer(key, i) {
				continue
			}
			if _, err := zset.DecodeExactRow(out.Cols, v.row); err != nil {
				return nil, err
			}
			out.AppendWeight(1)
		}
	}
	return out, nil
}

func (s *scan) newer(key string, than int) bool {
	for _, o := range s.hide[than+1:] {
		if _, ok := o[key]; ok {
			return true
		}
	}
	return false
}
