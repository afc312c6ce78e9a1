package node

import (
	"context"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
)

// describe is a table of a source as a relation that follows it.
func (s *sources) describe(ctx context.Context, name, table string) (*catalog.Relation, error) {
	src, err := s.get(name)
	if err != nil {
		return nil, err
	}
	namespace, relation, ok := strings.Cut(table, ".")
	if !ok {
		namespace, relation = "public", table
	}
	shape, err := src.upstream.Describe(ctx, namespace, relation)
	if err != nil {
		return nil, err
	}
	return relationOf(shape), nil
}

// relationOf is a relation with the columns of an upstream's table.
func relationOf(shape *row.Schema) *catalog.Relation {
	rel := &catalog.Relation{Upstream: &catalog.UpstreamRef{Table: shape.Table, Namespace: shape.Namespace, Name: shape.Name}}
	for i, c := range shape.Columns {
		rel.Columns = append(rel.Columns, catalog.Column{Name: c.Name, Type: engineType(shape, c), NotNull: c.NotNull || c.Key})
		rel.Upstream.Attributes = append(rel.Upstream.Attributes, c.ID)
		rel.Upstream.Types = append(rel.Upstream.Types, c.Type)
		if c.Key {
			rel.Key = append(rel.Key, i)
		}
	}
	rel.AppendOnly = len(rel.Key) == 0 && shape.Identity != row.IdentityFull
	return rel
}

// engineType is the type that a column of the upstream has here: a domain's base type, and
// text for what only the upstream knows.
func engineType(shape *row.Schema, c row.Column) datum.TypeRef {
	t := datum.TypeRef{OID: c.Type, Mod: c.Typmod}
	for range 16 { // domains over domains
		if _, builtin := datum.LookupBuiltin(t.OID); builtin {
			return t
		}
		base := baseOf(shape, t.OID)
		if base == 0 {
			return datum.Ref(datum.OIDText)
		}
		t = datum.Ref(base)
	}
	return datum.Ref(datum.OIDText)
}

// baseOf is what a domain is made of; 0 for a type that is none.
func baseOf(shape *row.Schema, oid uint32) uint32 {
	for _, t := range shape.Types {
		if t.OID == oid && t.Kind == datum.KindDomain {
			return t.Base
		}
	}
	return 0
}
