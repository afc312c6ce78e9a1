package database

import (
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// duplicate is PostgreSQL's answer to a key that is there already.
func duplicate(rel *catalog.Relation, c *zset.Chunk, i int) error {
	var names, values []string
	for _, k := range rel.Key {
		names = append(names, rel.Columns[k].Name)
		values = append(values, string(pgvalue.AppendText(nil, c.Cols[k], i, rel.Columns[k].Type, pgvalue.Options{})))
	}
	return &sql.Error{
		Code: sql.UniqueViolation, Pos: -1,
		Message: "duplicate key value violates unique constraint \"" + rel.Name + "_pkey\"",
		Detail:  "Key (" + strings.Join(names, ", ") + ")=(" + strings.Join(values, ", ") + ") already exists.",
		Schema:  rel.Schema, Table: rel.Name, Constraint: rel.Name + "_pkey",
	}
}

// rowText is a row as PostgreSQL quotes it in details.
func rowText(rel *catalog.Relation, cols []*zset.Vec, i int) string {
	const limit = 64 // of one value, as PostgreSQL has it
	parts := make([]string, len(cols))
	for k, v := range cols {
		if v.Null(i) {
			parts[k] = "null"
			continue
		}
		s := pgvalue.AppendText(nil, v, i, rel.Columns[k].Type, pgvalue.Options{})
		if len(s) > limit {
			s = append(s[:limit:limit], "..."...)
		}
		parts[k] = string(s)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
