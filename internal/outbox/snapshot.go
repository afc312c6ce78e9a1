package outbox

import (
	"context"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Plan implements capture.Snapshotter: a relation is one chunk, read at one epoch.
func (u *Upstream) Plan(_ context.Context, _ row.TableID, _ row.Tuple, _ int, emit func(hi row.Tuple) error) error {
	return emit(nil)
}

// ReadChunk implements capture.Snapshotter.
func (u *Upstream) ReadChunk(ctx context.Context, c capture.ChunkSpec, emit func(changes []byte, rows int) error) (capture.ChunkRead, error) {
	rel, err := u.relation(c.Table)
	if err != nil {
		return capture.ChunkRead{}, err
	}
	s, err := u.db.Stand(ctx, rel)
	if err != nil {
		return capture.ChunkRead{}, err
	}
	defer s.Close()
	next := uint64(s.Epoch()) + 1
	read := capture.ChunkRead{Visible: backfill.Visibility{Xmin: next, Xmax: next}, End: position(s.Epoch())}
	if read.Version, err = c.Register(shapeOf(rel)); err != nil {
		return read, err
	}
	if err := c.Begin(&read); err != nil {
		return read, err
	}
	piece, err := s.Rows(rel)
	if err != nil {
		return read, err
	}
	e := newEncoder(rel, read.Version)
	var buf []byte
	for {
		rows, err := piece(ctx)
		if err != nil || rows == nil {
			return read, err
		}
		n := 0
		for i := range rows.N {
			before := len(buf)
			buf = e.came(buf, row.Read, e.row(rows, i), rows.Weight(i))
			n += int(rows.Weight(i))
			if len(buf) < pieceBytes {
				continue
			}
			if before > 0 && len(buf) > 2*pieceBytes { // a large row goes by itself: it may be cut
				if err := emit(buf[:before], 0); err != nil {
					return read, err
				}
				buf = append(buf[:0], buf[before:]...)
			}
			if err := emit(buf, n); err != nil {
				return read, err
			}
			read.Rows, read.Bytes = read.Rows+int64(n), read.Bytes+int64(len(buf))
			buf, n = buf[:0], 0
		}
		if len(buf) > 0 {
			if err := emit(buf, n); err != nil {
				return read, err
			}
			read.Rows, read.Bytes = read.Rows+int64(n), read.Bytes+int64(len(buf))
			buf = buf[:0]
		}
	}
}

// Locate implements capture.Snapshotter: a chunk that is a whole relation has no bounds.
func (u *Upstream) Locate(_ context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error) {
	if len(bounds) > 0 {
		return nil, weirerr.New(weirerr.Unknown, "a snapshot of a relation has bounds").With("relation", table)
	}
	return make([]int, len(keys)), nil
}

// Fetch implements capture.Snapshotter. Rows of a relation are always whole: nobody has to ask.
func (u *Upstream) Fetch(_ context.Context, shape *row.Schema, _ row.Tuple) (row.Tuple, bool, error) {
	return nil, false, weirerr.New(weirerr.Unknown, "a row of a relation is not whole").With("table", shape.FullName())
}
