package catalog

import (
	"fmt"
	"strings"

	"github.com/weirstream/weir/internal/sql"
)

// at points an error at a name in the statement.
func at(err *sql.Error, n sql.Name) error {
	err.Pos = n.Pos()
	return err
}

func fail(code, format string, args ...any) *sql.Error {
	return &sql.Error{Code: code, Message: fmt.Sprintf(format, args...), Pos: -1}
}

// internal is a mistake of ours, or a state that was damaged.
func internal(format string, args ...any) error { return fail(sql.InternalError, format, args...) }

func duplicate(relation string) error {
	return fail(sql.DuplicateRelation, "relation \"%s\" already exists", relation)
}

func duplicateSchema(schema string) error {
	return fail(sql.DuplicateSchema, "schema \"%s\" already exists", schema)
}

func noSchema(schema string) *sql.Error {
	return fail(sql.UndefinedSchema, "schema \"%s\" does not exist", schema)
}

func missing(n sql.Name) *sql.Error {
	if n.Schema != "" {
		return fail(sql.UndefinedTable, "relation \"%s.%s\" does not exist", n.Schema, n.Name)
	}
	return fail(sql.UndefinedTable, "relation \"%s\" does not exist", n.Name)
}

// wrongKind: DROP VIEW of a table, and their like.
func wrongKind(r *Relation, want Kind) *sql.Error {
	e := fail(sql.WrongObjectType, "\"%s\" is not a %s", r.Name, want.Noun())
	e.Detail = fmt.Sprintf("It is a %s.", r.Kind.Noun())
	return e
}

// Noun is what a statement calls the kind.
func (k Kind) Noun() string {
	switch k {
	case KindCapture:
		return "table"
	case KindSystem:
		return "system relation"
	}
	return string(k)
}

func readOnly(schema string) error {
	return fail(sql.InsufficientPrivilege, "permission denied for schema %s", schema)
}

func systemRelation(r *Relation, verb string) error {
	return fail(sql.InsufficientPrivilege, "cannot %s %s: it is a system relation", verb, r.Name)
}

// needed says who stands in the way, as PostgreSQL does.
func needed(r *Relation, verb string, users []*Relation) error {
	e := fail(sql.DependentObjects, "cannot %s %s %s because other objects depend on it", verb, r.Kind.Noun(), r.Name)
	var lines []string
	for _, u := range users {
		lines = append(lines, fmt.Sprintf("%s %s depends on %s %s", u.Kind.Noun(), u.Name, r.Kind.Noun(), r.Name))
	}
	e.Detail = strings.Join(lines, "\n")
	if verb == "drop" {
		e.Hint = "Use DROP ... CASCADE to drop the dependent objects too."
	} else {
		e.Hint = "Drop what depends on it first, and create it again afterwards."
	}
	return e
}

func notEmpty(schema string, in []*Relation) error {
	e := fail(sql.DependentObjects, "cannot drop schema %s because other objects depend on it", schema)
	var lines []string
	for _, r := range in {
		lines = append(lines, fmt.Sprintf("%s %s.%s depends on schema %s", r.Kind.Noun(), schema, r.Name, schema))
	}
	e.Detail = strings.Join(lines, "\n")
	e.Hint = "Use DROP ... CASCADE to drop the dependent objects too."
	return e
}
