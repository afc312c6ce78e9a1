package worker

import (
	"slices"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/zset"
)

// Table is an input that follows one table of a log channel.
type Table struct {
	Channel string
	ID      row.TableID
	// Key are the columns of the node by whose hash a row finds its shard: where it has
	// the key of the arrangement that it feeds.
	Key []int
	// Decode makes a reader of the table's changes, for one goroutine. A row.Truncate
	// gives one row, which goes to every shard.
	Decode func() Decoder
	// Capture, of a table of a source: its initial snapshot. Nil: all changes count.
	Capture *Capture
}

// Decoder turns changes of a table into rows of an input node.
type Decoder interface {
	// Kinds are the node's columns.
	Kinds() []zset.Kind
	// Decode appends what a change does. After an error out is of no use.
	Decode(c *row.Change, out *zset.Chunk) error
}

// Own reads the changes of an own table, whose writer logs whole rows, old and
// new, in the table's columns: each is rows with weights.
func Own(types []datum.TypeRef) func() Decoder {
	return func() Decoder {
		d := &own{}
		source := make([]int, len(types))
		for i, t := range types {
			d.kinds = append(d.kinds, zset.KindOf(t.OID))
			source[i] = i
		}
		d.rows = pgvalue.NewRowDecoder(slices.Clone(types), source, len(types))
		return d
	}
}

type own struct {
	kinds []zset.Kind
	rows  *pgvalue.RowDecoder
}

// Kinds implements Decoder.
func (d *own) Kinds() []zset.Kind { return d.kinds }

// Decode implements Decoder.
func (d *own) Decode(c *row.Change, out *zset.Chunk) error {
	switch c.Op {
	case row.Insert, row.Read:
		return d.add(c.New, 1, out)
	case row.Update:
		if err := d.add(c.Old, -1, out); err != nil {
			return err
		}
		return d.add(c.New, 1, out)
	case row.Delete:
		return d.add(c.Old, -1, out)
	}
	return nil
}

func (d *own) add(t row.Tuple, w int64, out *zset.Chunk) error {
	if err := d.rows.DecodeRow(t, out.Cols); err != nil {
		return err
	}
	out.AppendWeight(w)
	return nil
}
