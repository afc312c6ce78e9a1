package outbox

import (
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/zset"
)

// keyed tells whether a target can have the relation's key as its primary key.
func keyed(rel *catalog.Relation) bool {
	return len(rel.Key) > 0 && !slices.ContainsFunc(rel.Key, func(k int) bool { return rel.Columns[k].Hidden || !rel.Columns[k].NotNull })
}

// shapeOf is what targets see of a relation: its visible columns.
func shapeOf(rel *catalog.Relation) *row.Schema {
	s := &row.Schema{Table: row.TableID(rel.ID), Namespace: rel.Schema, Name: rel.Name, Identity: row.IdentityFull}
	for i, c := range rel.Columns {
		if c.Hidden {
			continue
		}
		s.Columns = append(s.Columns, row.Column{
			ID: int32(i + 1), Name: c.Name, Type: c.Type.OID, Typmod: c.Type.Mod, TypeName: expr.FormatType(c.Type),
			Key: keyed(rel) && slices.Contains(rel.Key, i), NotNull: c.NotNull,
		})
	}
	return s
}

// encoder writes rows of a relation as changes.
type encoder struct {
	rel     *catalog.Relation
	version uint32
	keyed   bool
	opts    pgvalue.Options // UTC: canonical text
	tuple   []byte
	text    []byte
}

func newEncoder(rel *catalog.Relation, version uint32) *encoder {
	return &encoder{rel: rel, version: version, keyed: keyed(rel)}
}

// row encodes row i of a chunk; the tuple is good until the next call.
func (e *encoder) row(c *zset.Chunk, i int) row.Tuple {
	n := 0
	for _, col := range e.rel.Columns {
		if !col.Hidden {
			n++
		}
	}
	e.tuple = row.AppendTupleHeader(e.tuple[:0], n)
	for k, col := range e.rel.Columns {
		switch {
		case col.Hidden:
		case c.Cols[k].Null(i):
			e.tuple = row.AppendNull(e.tuple)
		default:
			e.text = pgvalue.AppendText(e.text[:0], c.Cols[k], i, col.Type, e.opts)
			e.tuple = row.AppendValue(e.tuple, e.text)
		}
	}
	return e.tuple
}

// change makes a change of the relation.
func (e *encoder) change(op row.Op) row.Change {
	return row.Change{Op: op, Table: row.TableID(e.rel.ID), Version: e.version}
}

// came appends that a row has come, as often as n.
func (e *encoder) came(dst []byte, op row.Op, tuple row.Tuple, n int64) []byte {
	ch := e.change(op)
	ch.New = tuple
	for range n {
		dst = row.AppendChange(dst, &ch)
	}
	return dst
}

// went appends that a row has gone, as often as n.
func (e *encoder) went(dst []byte, tuple row.Tuple, n int64) []byte {
	ch := e.change(row.Delete)
	ch.OldKind, ch.Old = row.OldFull, tuple
	for range n {
		dst = row.AppendChange(dst, &ch)
	}
	return dst
}

// became appends that a row has taken another's place.
func (e *encoder) became(dst []byte, old, tuple row.Tuple) []byte {
	ch := e.change(row.Update)
	ch.OldKind, ch.Old, ch.New = row.OldFull, old, tuple
	return row.AppendChange(dst, &ch)
}

// key appends the key of row i.
func (e *encoder) key(dst []byte, c *zset.Chunk, i int) []byte {
	for _, k := range e.rel.Key {
		dst = zset.AppendKey(dst, c.Cols[k], i, zset.Order{})
	}
	return dst
}
