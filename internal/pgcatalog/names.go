package pgcatalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
)

// names are the functions and casts between what things are called and their OIDs. A
// value of regclass and its like is held as the name that it prints.
func names() []expr.External {
	implicit, assignment, explicit := expr.Implicit, expr.Assignment, expr.Explicit
	cast := func(how *expr.How, list []expr.External) []expr.External {
		for i := range list {
			list[i].Cast = how
		}
		return list
	}
	return concat(
		over(func(c *Context, r *expr.Row) error {
			r.SetBool(c.visible(r.Int(0)))
			return nil
		}, "pg_table_is_visible(oid) bool"),
		constantBool(true, "pg_type_is_visible(oid) bool", "pg_function_is_visible(oid) bool", "pg_operator_is_visible(oid) bool",
			"pg_opclass_is_visible(oid) bool", "pg_opfamily_is_visible(oid) bool", "pg_collation_is_visible(oid) bool",
			"pg_conversion_is_visible(oid) bool", "pg_statistics_obj_is_visible(oid) bool", "pg_ts_config_is_visible(oid) bool",
			"pg_ts_dict_is_visible(oid) bool", "pg_ts_parser_is_visible(oid) bool", "pg_ts_template_is_visible(oid) bool"),
		text(func(c *Context, r *expr.Row) (string, bool) { return c.user(r.Int(0)), true }, "pg_get_userbyid(oid) name"),
		cast(&implicit, text(func(c *Context, r *expr.Row) (string, bool) { return c.relationName(r.Int(0)), true }, numbers("regclass")...)),
		cast(&implicit, over(func(c *Context, r *expr.Row) error {
			oid, err := c.relationOID(string(r.Bytes(0)))
			r.SetInt(oid)
			return err
		}, "oid(regclass) oid")),
		cast(&implicit, over(func(c *Context, r *expr.Row) error {
			oid, err := c.relationOID(string(r.Bytes(0)))
			if err == nil {
				r.SetString(c.relationName(oid))
			}
			return err
		}, "regclass(text) regclass")),
		text(func(c *Context, r *expr.Row) (string, bool) {
			oid, err := c.relationOID(string(r.Bytes(0)))
			return c.relationName(oid), err == nil
		}, "to_regclass(text) regclass"),
		cast(&implicit, text(func(_ *Context, r *expr.Row) (string, bool) { return typeName(r.Int(0)), true }, numbers("regtype")...)),
		cast(&implicit, over(func(_ *Context, r *expr.Row) error {
			oid, err := typeOID(string(r.Bytes(0)))
			r.SetInt(oid)
			return err
		}, "oid(regtype) oid")),
		cast(&explicit, over(func(_ *Context, r *expr.Row) error {
			oid, err := typeOID(string(r.Bytes(0)))
			if err == nil {
				r.SetString(typeName(oid))
			}
			return err
		}, "regtype(text) regtype")),
		text(func(_ *Context, r *expr.Row) (string, bool) {
			oid, err := typeOID(string(r.Bytes(0)))
			return typeName(oid), err == nil
		}, "to_regtype(text) regtype"),
		cast(&implicit, text(func(c *Context, r *expr.Row) (string, bool) { return c.schemaName(r.Int(0)), true }, numbers("regnamespace")...)),
		cast(&implicit, over(func(c *Context, r *expr.Row) error { return c.namedOID(r, schemaOID, c.schemas(), "schema") }, "oid(regnamespace) oid")),
		cast(&implicit, text(func(c *Context, r *expr.Row) (string, bool) { return c.user(r.Int(0)), true }, numbers("regrole")...)),
		cast(&implicit, over(func(c *Context, r *expr.Row) error { return c.namedOID(r, userOID, c.Users, "role") }, "oid(regrole) oid")),
		cast(&assignment, text(func(_ *Context, r *expr.Row) (string, bool) { return numberOrDash(r.Int(0)), true }, "regproc(oid) regproc",
			"regprocedure(oid) regprocedure", "regoper(oid) regoper", "regoperator(oid) regoperator")),
		cast(&implicit, missing("function", sql.UndefinedFunction, "oid(regproc) oid", "oid(regprocedure) oid")),
		cast(&implicit, missing("operator", sql.UndefinedFunction, "oid(regoper) oid", "oid(regoperator) oid")),
	)
}

// missing looks a kind of thing up that the catalogs do not list: only a number is one.
func missing(kind, code string, signatures ...string) []expr.External {
	return over(func(_ *Context, r *expr.Row) error {
		name := string(r.Bytes(0))
		oid, ok := number32(name)
		if !ok {
			return &sql.Error{Code: code, Message: fmt.Sprintf("%s \"%s\" does not exist", kind, name), Pos: -1}
		}
		r.SetInt(oid)
		return nil
	}, signatures...)
}

// numbers are a type's casts from numbers.
func numbers(to string) []string {
	return []string{to + "(oid) " + to, to + "(int4) " + to, to + "(int8) " + to}
}

func constantBool(b bool, signatures ...string) []expr.External {
	return over(func(_ *Context, r *expr.Row) error {
		r.SetBool(b)
		return nil
	}, signatures...)
}

// visible tells a relation that its bare name means.
func (c *Context) visible(oid int64) bool {
	rel := c.Catalog.Get(catalog.ID(oid))
	if rel == nil {
		rel = c.indexed(oid)
	}
	return rel != nil && c.Catalog.Lookup("", rel.Name) == rel
}

func (c *Context) user(oid int64) string {
	for _, u := range c.Users {
		if int64(userOID(u)) == oid {
			return u
		}
	}
	return fmt.Sprintf("unknown (OID=%d)", oid)
}

func (c *Context) schemaName(oid int64) string {
	for _, s := range c.schemas() {
		if int64(schemaOID(s)) == oid {
			return sql.QuoteIdent(s)
		}
	}
	return numberOrDash(oid)
}

// namedOID finds the OID of what is in a list by name, or was a number to begin with.
func (c *Context) namedOID(r *expr.Row, number func(string) uint32, list []string, kind string) error {
	name := string(r.Bytes(0))
	if oid, ok := number32(name); ok {
		r.SetInt(oid)
		return nil
	}
	for _, s := range list {
		if s == name || sql.QuoteIdent(s) == name {
			r.SetInt(int64(number(s)))
			return nil
		}
	}
	return &sql.Error{Code: sql.UndefinedObject, Message: fmt.Sprintf("%s \"%s\" does not exist", kind, name), Pos: -1}
}

// relationName is how regclass prints an OID: with its schema only where the bare name means another.
func (c *Context) relationName(oid int64) string {
	rel, suffix := c.Catalog.Get(catalog.ID(oid)), ""
	if ix := c.indexed(oid); ix != nil {
		rel, suffix = ix, "_pkey"
	}
	switch {
	case rel == nil:
		return numberOrDash(oid)
	case c.Catalog.Lookup("", rel.Name) == rel:
		return sql.QuoteIdent(rel.Name + suffix)
	}
	return sql.QuoteIdent(rel.Schema) + "." + sql.QuoteIdent(rel.Name+suffix)
}

// relationOID reads what regclass takes: a name, perhaps with its schema, or a number.
func (c *Context) relationOID(text string) (int64, error) {
	if oid, ok := number32(text); ok {
		return oid, nil
	}
	schema, name, err := identifiers(text)
	if err != nil {
		return 0, err
	}
	if rel := c.Catalog.Lookup(schema, name); rel != nil {
		return int64(rel.ID), nil
	}
	if table, ok := strings.CutSuffix(name, "_pkey"); ok {
		if rel := c.Catalog.Lookup(schema, table); rel != nil && hasKey(rel) {
			return int64(indexOID(rel.ID)), nil
		}
	}
	return 0, &sql.Error{Code: sql.UndefinedTable, Message: fmt.Sprintf("relation \"%s\" does not exist", text), Pos: -1}
}

func (c *Context) relationNamed(text string) (*catalog.Relation, error) {
	oid, err := c.relationOID(text)
	if err != nil {
		return nil, err
	}
	return c.Catalog.Get(catalog.ID(oid)), nil
}

// number32 reads a number in place of a name; - is none, 0.
func number32(text string) (int64, bool) {
	if text == "-" {
		return 0, true
	}
	n, err := strconv.ParseUint(text, 10, 32)
	return int64(n), err == nil
}

func numberOrDash(oid int64) string {
	if oid == 0 {
		return "-"
	}
	return strconv.FormatInt(oid, 10)
}

// identifiers reads name or schema.name, with or without quotes.
func identifiers(text string) (schema, name string, err error) {
	var parts []string
	rest := strings.TrimSpace(text)
	for {
		var part string
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			end := strings.Index(quoted, `"`)
			for end >= 0 && strings.HasPrefix(quoted[end+1:], `"`) {
				next := strings.Index(quoted[end+2:], `"`)
				if next < 0 {
					end = -1
					break
				}
				end += 2 + next
			}
			if end < 0 {
				return "", "", invalidName(text)
			}
			part, rest = strings.ReplaceAll(quoted[:end], `""`, `"`), quoted[end+1:]
		} else {
			part, _, _ = strings.Cut(rest, ".")
			rest = rest[len(part):]
			part = strings.ToLower(strings.TrimSpace(part))
		}
		parts = append(parts, part)
		more, ok := strings.CutPrefix(strings.TrimSpace(rest), ".")
		switch {
		case part == "" || !ok && rest != "" || len(parts) > 3:
			return "", "", invalidName(text)
		case !ok && len(parts) == 1:
			return "", parts[0], nil
		case !ok: // a database before them says nothing new
			return parts[len(parts)-2], parts[len(parts)-1], nil
		}
		rest = more
	}
}

func invalidName(text string) error {
	return &sql.Error{Code: "42602", Message: fmt.Sprintf("invalid name syntax: \"%s\"", text), Pos: -1}
}

func typeName(oid int64) string {
	if oid == 0 {
		return "-"
	}
	if s := expr.FormatType(datum.Ref(uint32(oid))); s != "???" {
		return s
	}
	return strconv.FormatInt(oid, 10)
}

// typeOID reads what regtype takes: int4, integer, text[], pg_catalog.int4, or a number.
func typeOID(text string) (int64, error) {
	if oid, ok := number32(text); ok {
		return oid, nil
	}
	name, array := strings.TrimSpace(text), 0
	for strings.HasSuffix(name, "[]") {
		name, array = strings.TrimSuffix(name, "[]"), array+1
	}
	name = strings.Trim(strings.TrimPrefix(name, "pg_catalog."), `"`)
	t, err := expr.TypeByName(sql.TypeName{At: -1, Names: []string{strings.ToLower(name)}, Array: array})
	return int64(t.OID), err
}
