package database

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/zset"
)

// logVersion is the schema version of own tables' rows in the log. A column that is
// added or dropped makes another relation's state, not another version.
const logVersion = 1

// encoder writes rows of one table as the log has them.
type encoder struct {
	rel  *catalog.Relation
	opts pgvalue.Options // UTC: canonical text
	text []byte
}

// tuple appends row i of cols, which are the relation's columns.
func (e *encoder) tuple(dst []byte, cols []*zset.Vec, i int) []byte {
	dst = row.AppendTupleHeader(dst, len(cols))
	for k, v := range cols {
		if v.Null(i) {
			dst = row.AppendNull(dst)
			continue
		}
		e.text = pgvalue.AppendText(e.text[:0], v, i, e.rel.Columns[k].Type, e.opts)
		dst = row.AppendValue(dst, e.text)
	}
	return dst
}

// key appends the key of row i.
func keyOf(dst []byte, rel *catalog.Relation, cols []*zset.Vec, i int) []byte {
	for _, k := range rel.Key {
		dst = zset.AppendKey(dst, cols[k], i, zset.Order{})
	}
	return dst
}

// kinds are the kinds of a relation's columns.
func kinds(rel *catalog.Relation) []zset.Kind {
	out := make([]zset.Kind, len(rel.Columns))
	for i, c := range rel.Columns {
		out[i] = zset.KindOf(c.Type.OID)
	}
	return out
}

// types are the types of a relation's columns.
func types(rel *catalog.Relation) []datum.TypeRef {
	out := make([]datum.TypeRef, len(rel.Columns))
	for i, c := range rel.Columns {
		out[i] = c.Type
	}
	return out
}
