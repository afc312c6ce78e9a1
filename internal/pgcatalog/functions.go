package pgcatalog

import (
	"fmt"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
)

// Functions are those that clients call beside the relations. Their Env has a *Context as its Session.
func Functions() []expr.External {
	var all []expr.External
	for _, some := range [][]expr.External{describing(), names(), privileges(), sessions(), sizes(), absent()} {
		all = append(all, some...)
	}
	return all
}

// context is what the call may know.
func context(r *expr.Row) (*Context, error) {
	if c, ok := r.Env().Session.(*Context); ok {
		return c, nil
	}
	return nil, &sql.Error{Code: sql.FeatureNotSupported, Pos: -1, Message: "a function of the system catalog has no session here"}
}

// over makes functions of the same meaning, one for each signature.
func over(eval func(c *Context, r *expr.Row) error, signatures ...string) []expr.External {
	all := make([]expr.External, len(signatures))
	for i, s := range signatures {
		all[i] = expr.External{Signature: s, Volatility: expr.Stable, Eval: func(r *expr.Row) error {
			c, err := context(r)
			if err != nil {
				return err
			}
			return eval(c, r)
		}}
	}
	return all
}

// text is over, of a value that may not be there.
func text(eval func(c *Context, r *expr.Row) (string, bool), signatures ...string) []expr.External {
	return over(func(c *Context, r *expr.Row) error {
		if s, ok := eval(c, r); ok {
			r.SetString(s)
		} else {
			r.SetNull()
		}
		return nil
	}, signatures...)
}

func concat(lists ...[]expr.External) (all []expr.External) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// describing are the functions that write definitions as SQL.
func describing() []expr.External {
	return concat(
		text(func(c *Context, r *expr.Row) (string, bool) {
			if ix := c.indexed(r.Int(0)); ix != nil {
				return indexDef(ix), true
			}
			return "", false
		}, "pg_get_indexdef(oid) text"),
		text(func(c *Context, r *expr.Row) (string, bool) {
			ix, n := c.indexed(r.Int(0)), int(r.Int(1))
			switch {
			case ix == nil || n > len(ix.Key):
				return "", ix != nil
			case n > 0:
				return sql.QuoteIdent(ix.Columns[ix.Key[n-1]].Name), true
			}
			return indexDef(ix), true
		}, "pg_get_indexdef(oid,int4,bool) text"),
		text(func(c *Context, r *expr.Row) (string, bool) {
			if rel := c.constrained(r.Int(0)); rel != nil {
				return "PRIMARY KEY (" + keyColumns(rel) + ")", true
			}
			return "", false
		}, "pg_get_constraintdef(oid) text", "pg_get_constraintdef(oid,bool) text"),
		text(func(c *Context, r *expr.Row) (string, bool) {
			return viewDefinition(c.Catalog.Get(catalog.ID(r.Int(0))))
		}, "pg_get_viewdef(oid) text", "pg_get_viewdef(oid,bool) text", "pg_get_viewdef(oid,int4) text"),
		over(func(c *Context, r *expr.Row) error {
			rel, err := c.relationNamed(string(r.Bytes(0)))
			if err != nil {
				return err
			}
			if s, ok := viewDefinition(rel); ok {
				r.SetString(s)
			} else {
				r.SetNull()
			}
			return nil
		}, "pg_get_viewdef(text) text", "pg_get_viewdef(text,bool) text"),
		text(func(_ *Context, r *expr.Row) (string, bool) { return string(r.Bytes(0)), true },
			"pg_get_expr(text,oid) text", "pg_get_expr(text,oid,bool) text"),
		[]expr.External{{Signature: "format_type(oid,int4) text", Lax: true, Volatility: expr.Stable, Eval: formatType}},
	)
}

func formatType(r *expr.Row) error {
	if r.Null(0) {
		r.SetNull()
		return nil
	}
	t := datum.Ref(uint32(r.Int(0)))
	if !r.Null(1) {
		t.Mod = int32(r.Int(1))
	}
	if t.OID == 0 {
		r.SetString("-")
	} else {
		r.SetString(expr.FormatType(t))
	}
	return nil
}

// viewDefinition is a view's query as pg_get_viewdef gives it.
func viewDefinition(rel *catalog.Relation) (string, bool) {
	if rel == nil || rel.Query == "" {
		return "", false
	}
	return " " + strings.TrimRight(strings.TrimSpace(rel.Query), "; \n\t") + ";", true
}

// indexed is the relation whose primary key has that OID as an index, nil: none.
func (c *Context) indexed(oid int64) *catalog.Relation { return c.keyed(oid, 2<<28) }

// constrained is indexed, by the OID of the constraint.
func (c *Context) constrained(oid int64) *catalog.Relation { return c.keyed(oid, 3<<28) }

func (c *Context) keyed(oid, base int64) *catalog.Relation {
	if oid < base || oid >= base+1<<28 {
		return nil
	}
	if rel := c.Catalog.Get(catalog.ID(oid - base)); rel != nil && hasKey(rel) {
		return rel
	}
	return nil
}

// keyColumns lists the columns of a primary key, quoted.
func keyColumns(rel *catalog.Relation) string {
	names := make([]string, len(rel.Key))
	for i, k := range rel.Key {
		names[i] = sql.QuoteIdent(rel.Columns[k].Name)
	}
	return strings.Join(names, ", ")
}

// indexDef is what pg_get_indexdef says of a primary key.
func indexDef(rel *catalog.Relation) string {
	return fmt.Sprintf("CREATE UNIQUE INDEX %s ON %s.%s USING btree (%s)",
		sql.QuoteIdent(rel.Name+"_pkey"), sql.QuoteIdent(rel.Schema), sql.QuoteIdent(rel.Name), keyColumns(rel))
}
