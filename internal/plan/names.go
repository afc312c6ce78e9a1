package plan

import "github.com/weirstream/weir/internal/sql"

// strength tells how good a name is that figure finds: a cast's type gives way to the
// name of what is cast.
type strength uint8

const (
	noName strength = iota
	weakName
	strongName
)

// figure finds the name that PostgreSQL gives to an unnamed column.
func figure(e sql.Expr) (string, strength) {
	switch e := e.(type) {
	case *sql.ColumnRef:
		if len(e.Parts) > 0 {
			return e.Parts[len(e.Parts)-1], strongName
		}
	case *sql.Call:
		return e.Name[len(e.Name)-1], strongName
	case *sql.Cast:
		if name, s := figure(e.X); s == strongName {
			return name, s
		}
		if n := len(e.Type.Names); n > 0 {
			return e.Type.Names[n-1], weakName
		}
	case *sql.Case:
		if e.Else != nil {
			if name, s := figure(e.Else); s == strongName {
				return name, s
			}
		}
		return "case", weakName
	case *sql.Collate:
		return figure(e.X)
	case *sql.Subscript:
		return figure(e.X)
	case *sql.Field:
		return e.Name, strongName
	case *sql.Subquery:
		return figureSubquery(e)
	}
	return figureForm(e)
}

// figureForm names what has a syntax of its own.
func figureForm(e sql.Expr) (string, strength) {
	switch e := e.(type) {
	case *sql.Coalesce:
		return "coalesce", strongName
	case *sql.MinMax:
		if e.Least {
			return "least", strongName
		}
		return "greatest", strongName
	case *sql.NullIf:
		return "nullif", strongName
	case *sql.ArrayLit:
		return "array", strongName
	case *sql.Row:
		return "row", strongName
	case *sql.AtTimeZone:
		return "timezone", strongName
	case *sql.SQLValue:
		return e.Name, strongName
	}
	return "", noName
}

func figureSubquery(e *sql.Subquery) (string, strength) {
	switch e.Kind {
	case sql.Exists:
		return "exists", strongName
	case sql.Array:
		return "array", strongName
	case sql.Scalar:
		q := e.Query
		for q.SetOp != "" {
			q = q.Left
		}
		if len(q.Targets) == 1 {
			if q.Targets[0].Name != "" {
				return q.Targets[0].Name, strongName
			}
			return figure(q.Targets[0].X)
		}
	}
	return "", noName
}

// leftmost is where an expression begins: an operator stands behind its left side.
func leftmost(e sql.Expr) int {
	switch e := e.(type) {
	case *sql.Binary:
		return leftmost(e.Left)
	case *sql.And:
		return leftmost(e.Args[0])
	case *sql.Or:
		return leftmost(e.Args[0])
	}
	return e.Pos()
}
