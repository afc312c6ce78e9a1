package worker

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// CapturedColumn is a column of a captured table, and the upstream's attribute that it
// follows over renames.
type CapturedColumn struct {
	Attribute int32
	Upstream  uint32 // the type it has there
	Name      string
	Type      datum.TypeRef
	// Needed says whether something reads the column: it is asked when the upstream's has
	// gone. Nil: always. It is called by another goroutine.
	Needed func() bool
}

// Shapes gives the schema of a version of the table.
type Shapes func(version uint32) (*row.Schema, error)

// Captured reads the changes of a table of a source as an op.Upsert of cfg takes them;
// cols are the Upsert's columns. A change of shape that takes one of them away that is needed, or any
// of a table without a key, is an error, ColumnGone or TableGone; any other passes: what nobody
// needs is NULL from then on.
func Captured(cfg op.UpsertConfig, cols []CapturedColumn, shapes Shapes) func() Decoder {
	return func() Decoder {
		return &captured{cfg: cfg, cols: cols, shapes: shapes, kinds: cfg.InputKinds(), versions: map[uint32]*version{}}
	}
}

type captured struct {
	cfg      op.UpsertConfig
	cols     []CapturedColumn
	shapes   Shapes
	kinds    []zset.Kind
	versions map[uint32]*version
	last     *version
	number   uint32
	buf      []byte
	marks    []byte
}

// version reads the tuples of one version of the table.
type version struct {
	rows *pgvalue.RowDecoder // all columns
	old  *pgvalue.RowDecoder // those that tell which row goes: the key, or all
	key  []int               // of the tuple: key columns, ascending
}

// Kinds implements Decoder.
func (d *captured) Kinds() []zset.Kind { return d.kinds }

// Decode implements Decoder.
func (d *captured) Decode(c *row.Change, out *zset.Chunk) error {
	if c.Op == row.SchemaChange {
		return d.reshape(c)
	}
	v, err := d.version(c.Version)
	if err != nil {
		return err
	}
	switch c.Op {
	case row.Insert, row.Read:
		return d.put(v, op.UpsertInsert, c.New, out)
	case row.Update:
		return d.update(v, c, out)
	case row.Delete:
		return d.take(v, c.Old, out)
	case row.Truncate:
		d.truncate(out)
	}
	return nil
}

// update writes a row over one with the same key, or else takes that one away first:
// the two may be on different shards.
func (d *captured) update(v *version, c *row.Change, out *zset.Chunk) error {
	if d.cfg.Key != nil && (c.OldKind == row.OldNone || !differ(c.Old, c.New, v.key)) {
		return d.put(v, op.UpsertUpdate, c.New, out)
	}
	if c.OldKind == row.OldNone {
		return weirerr.New(weirerr.UpstreamConfig, "an update of a table without a key does not say which row it was").
			Hint("ALTER TABLE … REPLICA IDENTITY FULL upstream, and create the table again")
	}
	fresh := c.New
	if c.OldKind == row.OldFull {
		d.buf = d.buf[:0]
		fresh, _ = reconcile.Fill(d.buf, c.New, c.Old)
		d.buf = fresh
	}
	if err := d.take(v, c.Old, out); err != nil {
		return err
	}
	before := out.N
	if err := d.put(v, op.UpsertInsert, fresh, out); err != nil {
		return err
	}
	if !out.Cols[len(out.Cols)-1].Null(before) {
		return weirerr.New(weirerr.UpstreamConfig, "an update changes the key of a row and leaves out its large values").
			Hint("ALTER TABLE … REPLICA IDENTITY FULL upstream, and create the table again")
	}
	return nil
}

// put appends a row with its new values.
func (d *captured) put(v *version, kind int64, t row.Tuple, out *zset.Chunk) error {
	n := len(d.cols)
	out.Cols[0].AppendInt(kind)
	if err := v.rows.DecodeRow(t, out.Cols[1:1+n]); err != nil {
		return err
	}
	last := len(out.Cols) - 1
	for _, col := range out.Cols[1+n : last] {
		col.AppendNull()
	}
	if len(v.rows.Unchanged) == 0 {
		out.Cols[last].AppendNull()
	} else {
		d.marks = append(d.marks[:0], make([]byte, (n+7)/8)...)
		for _, c := range v.rows.Unchanged {
			d.marks[c>>3] |= 1 << (c & 7)
		}
		out.Cols[last].AppendBytes(d.marks)
	}
	out.AppendWeight(1)
	return nil
}

// take appends a row that takes an old one away. Its key stands with the new values
// too, by which rows find their shard.
func (d *captured) take(v *version, old row.Tuple, out *zset.Chunk) error {
	n := len(d.cols)
	by := d.cfg.Key
	if by == nil {
		by = upTo(n)
	}
	place := make([]*zset.Vec, len(by))
	for i, k := range by {
		place[i] = out.Cols[1+k]
	}
	if err := v.old.DecodeRow(old, place); err != nil {
		return err
	}
	out.Cols[0].AppendInt(op.UpsertDelete)
	for i, k := range by {
		if d.cfg.Key != nil && place[i].Null(out.N) {
			return d.gone(d.cols[k].Name, "is not in the replica identity any more")
		}
		out.Cols[1+n+i].AppendFrom(place[i], out.N)
	}
	for _, col := range out.Cols[1:] {
		if col.N == out.N {
			col.AppendNull()
		}
	}
	out.AppendWeight(1)
	return nil
}

// truncate appends a row that takes all away.
func (d *captured) truncate(out *zset.Chunk) {
	out.Cols[0].AppendInt(op.UpsertTruncate)
	for _, col := range out.Cols[1:] {
		col.AppendNull()
	}
	out.AppendWeight(1)
}

// differ tells whether two tuples differ in some columns, ascending; Unchanged is the same.
func differ(old, fresh row.Tuple, cols []int) bool {
	a, b := old.Iter(), fresh.Iter()
	next := 0
	for i := 0; next < len(cols) && a.Next() && b.Next(); i++ {
		if i != cols[next] {
			continue
		}
		next++
		if b.State != row.Unchanged && (a.State != b.State || !bytes.Equal(a.Value, b.Value)) {
			return true
		}
	}
	return false
}

// reshape checks that a new shape has all that is followed.
func (d *captured) reshape(c *row.Change) error {
	s := new(row.Schema)
	if err := json.Unmarshal(c.Schema, s); err != nil {
		return weirerr.New(weirerr.LogCorrupt, "a schema in the log does not decode").Wrap(err)
	}
	if s.Dropped {
		return weirerr.New(weirerr.TableGone, "the table was dropped upstream").With("table", s.FullName()).Hint("drop it here too")
	}
	v, err := d.read(s)
	if err == nil {
		d.versions[c.Version] = v
	}
	return err
}

// version finds how to read tuples of a version.
func (d *captured) version(number uint32) (*version, error) {
	if d.last != nil && d.number == number {
		return d.last, nil
	}
	v := d.versions[number]
	if v == nil {
		s, err := d.shapes(number)
		if err == nil {
			v, err = d.read(s)
		}
		if err != nil {
			return nil, err
		}
		d.versions[number] = v
	}
	d.last, d.number = v, number
	return v, nil
}

// read maps the columns of a version to the table's.
func (d *captured) read(s *row.Schema) (*version, error) {
	types, source := make([]datum.TypeRef, len(d.cols)), make([]int, len(d.cols))
	for k, col := range d.cols {
		at := -1
		for i := range s.Columns {
			if s.Columns[i].ID == col.Attribute {
				at = i
			}
		}
		how := ""
		switch {
		case at < 0:
			how = "was dropped upstream"
		case s.Columns[at].Type != col.Upstream:
			how = "has the type " + s.Columns[at].TypeName + " upstream"
		}
		if how != "" {
			if d.needs(k) {
				return nil, d.gone(col.Name, how)
			}
			at = -1
		}
		types[k], source[k] = col.Type, at
	}
	v := &version{rows: pgvalue.NewRowDecoder(types, source, len(s.Columns))}
	if d.cfg.Key == nil {
		v.old = v.rows
		return v, nil
	}
	keyTypes := make([]datum.TypeRef, len(d.cfg.Key))
	for i, k := range d.cfg.Key {
		keyTypes[i] = types[k]
		v.key = append(v.key, source[k])
	}
	v.old = pgvalue.NewRowDecoder(keyTypes, v.key, len(s.Columns))
	v.key = slices.Sorted(slices.Values(v.key))
	return v, nil
}

// needs tells whether a column cannot be missed: without a key it takes all of them to tell rows apart.
func (d *captured) needs(k int) bool {
	return d.cfg.Key == nil || slices.Contains(d.cfg.Key, k) || d.cols[k].Needed == nil || d.cols[k].Needed()
}

func (d *captured) gone(column, how string) error {
	return weirerr.New(weirerr.ColumnGone, "a column that is followed %s", how).With("column", column).
		Hint("ALTER TABLE … REFRESH SCHEMA follows the new shape, once no view needs what has gone")
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
