package plan

import (
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// with makes the scope of a query, with its WITH queries.
func (b *binder) with(q *sql.Select, around *scope) (*scope, error) {
	s := &scope{outer: around}
	if len(q.With) == 0 {
		return s, nil
	}
	if q.Recursive {
		return nil, unsupported(q.With[0].Pos(), "WITH RECURSIVE is", "Leave RECURSIVE out if no query refers to itself.")
	}
	for i := range q.With {
		c := &q.With[i]
		for _, other := range s.ctes {
			if other.name == c.Name {
				return nil, fail(sql.DuplicateAlias, c.Pos(), "WITH query name %q specified more than once", c.Name)
			}
		}
		r, err := b.query(c.Query, &scope{outer: around, ctes: s.ctes}, false)
		if err != nil {
			return nil, err
		}
		if r, err = b.settled(r); err != nil {
			return nil, err
		}
		if len(c.Columns) > len(r.outs) {
			return nil, fail(sql.InvalidColumnReference, c.Pos(), "WITH query %q has %d columns available but %d columns specified",
				c.Name, len(r.outs), len(c.Columns))
		}
		for k, name := range c.Columns {
			r.outs[k].name = name
		}
		r.rel, r.outs = b.distinctOutputs(r)
		def := &algebra.Shared{In: r.rel, Cols: r.cols(), Keep: c.Materialized == "always", Copy: c.Materialized == "never"}
		s.ctes = append(s.ctes, &cte{name: c.Name, outs: r.outs, def: def})
	}
	return s, nil
}

// distinctOutputs gives every output a column of its own.
func (b *binder) distinctOutputs(r *bound) (algebra.Rel, []output) {
	rel, cols := b.distinctColumns(r.rel, r.cols())
	for i := range r.outs {
		r.outs[i].col = cols[i]
	}
	return rel, r.outs
}

// cteRef reads a WITH query.
func (b *binder) cteRef(ref *sql.TableRef, c *cte) (*from, error) {
	r := &algebra.Ref{Def: c.def}
	c.def.Refs++
	out := &bound{rel: r}
	for _, o := range c.outs {
		col := b.q.NewLike(o.col)
		r.Cols = append(r.Cols, col)
		out.outs = append(out.outs, output{name: o.name, col: col})
	}
	name := ref.Alias
	if name == "" {
		name = c.name
	}
	return b.derived(out, name, ref.Columns, ref.Pos())
}
