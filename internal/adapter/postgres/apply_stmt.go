package postgres

import (
	"fmt"
	"strings"
)

// verb is what a statement does with its rows.
type verb byte

const (
	insertRows    verb = iota
	insertMissing      // only rows whose key is not there
	updateRows         // by key, other columns
	updateChanged      // by key, only rows that differ
	moveRows           // by old key, all columns
	updateAll          // as updateRows; fails when one is not there
	moveAll            // as moveRows; fails when one is not there
	moveFree           // as moveRows, where no row has the new key
	deleteRows         // by key
	deleteOne          // of a keyless table: one row equal to the old image
	updateOne          // of a keyless table: one row equal to the old image; without one the new row is inserted
	rememberKeys       // of a chunk that reconciles; see chunk
)

// stmtKey names a statement of a binding.
type stmtKey struct {
	verb verb
	mask string
}

// stmt is a prepared statement that takes any number of rows: each parameter is
// a text array with the values of one column.
//
//	UPDATE t SET b = s.c1::int4 FROM unnest($1::text[], $2::text[]) s(c0, c1) WHERE t.a = s.c0::int8
//
// A value is cast from its text by the server, to the type the target has.
type stmt struct {
	sql  string
	name string // when prepared
	// The parameters: first the key or old image, then columns of the new image.
	olds []int // source columns of the old image, or of the key
	news []int // source columns of the new image
}

// statement builds, or finds, the statement for rows with that mask. It is nil
// when there is nothing to write: an update of a table that is all key.
func (b *binding) statement(v verb, mask []byte) *stmt {
	if s, ok := b.stmts[stmtKey{v, string(mask)}]; ok {
		return s
	}
	s := b.build(v, mask)
	b.stmts[stmtKey{v, string(mask)}] = s
	return s
}

func (b *binding) build(v verb, mask []byte) *stmt {
	s := &stmt{}
	switch v {
	case insertRows, insertMissing:
		s.news = b.columns(nil, true)
	case updateRows, updateAll, updateChanged:
		s.olds, s.news = b.keys, b.columns(mask, false)
		if len(s.news) == 0 {
			return nil
		}
	case moveRows, moveAll, moveFree:
		s.olds, s.news = b.keys, b.columns(mask, true)
	case deleteRows, rememberKeys:
		s.olds = b.keys
	case deleteOne:
		s.olds = b.columns(nil, true)
	case updateOne:
		s.olds, s.news = b.columns(nil, true), b.columns(nil, true)
	}
	s.sql = b.text(v, s)
	return s
}

// columns lists the source columns to write that mask does not leave out.
func (b *binding) columns(mask []byte, withKeys bool) []int {
	var out []int
	key := map[int]bool{}
	for _, k := range b.keys {
		key[k] = true
	}
	for i := range b.cols {
		if b.cols[i].name != "" && (withKeys || !key[i]) && (len(mask) == 0 || mask[i] == 0) {
			out = append(out, i)
		}
	}
	return out
}

func (b *binding) text(v verb, s *stmt) string {
	t, from := b.table.sql(), s.from()
	switch v {
	case insertRows:
		return b.insertText(s) + from
	case insertMissing:
		return b.insertText(s) + from + ` WHERE NOT EXISTS (SELECT FROM ` + t + ` AS t WHERE ` + b.match(`t`, b.keys, s.newAlias) + `)`
	case updateRows:
		return `UPDATE ` + t + ` AS t SET ` + b.set(s) + from + ` WHERE ` + b.match(`t`, b.keys, s.oldAlias)
	case updateChanged:
		return `UPDATE ` + t + ` AS t SET ` + b.set(s) + from + ` WHERE ` + b.match(`t`, b.keys, s.oldAlias) + ` AND (` + b.differs(s) + `)`
	case moveRows:
		return `UPDATE ` + t + ` AS t SET ` + b.set(s) + from + ` WHERE ` + b.match(`t`, b.keys, s.oldAlias)
	case updateAll:
		return b.all(b.text(updateRows, s))
	case moveAll:
		return b.all(b.text(moveRows, s))
	case moveFree:
		return `UPDATE ` + t + ` AS u SET ` + b.set(s) + from + ` WHERE ` + b.match(`u`, b.keys, s.oldAlias) +
			` AND NOT EXISTS (SELECT FROM ` + t + ` AS t WHERE ` + b.match(`t`, b.keys, s.newAlias) + `)`
	case deleteRows:
		return `DELETE FROM ` + t + ` AS t USING ` + strings.TrimPrefix(from, ` FROM `) + ` WHERE ` + b.match(`t`, b.keys, s.oldAlias)
	case deleteOne:
		return b.one(s) + ` DELETE FROM ` + t + ` AS t USING x WHERE t.ctid = x.ctid AND t.tableoid = x.tableoid`
	case updateOne:
		return b.one(s) + `, u AS (UPDATE ` + t + ` AS t SET ` + b.set(s) + ` FROM x, ` + strings.TrimPrefix(from, ` FROM `) + ` WHERE t.ctid = x.ctid AND t.tableoid = x.tableoid) ` +
			b.insertText(s) + from + ` WHERE NOT EXISTS (SELECT FROM x)`
	}
	panic(fmt.Sprintf("postgres: no text for verb %d", v))
}

// all makes an update fail, by division_by_zero, that does not find all its rows:
// whatever is sent behind it then has no effect.
func (b *binding) all(update string) string {
	return `WITH u AS (` + update + ` RETURNING 1) SELECT 1 / (count(*) >= cardinality($1::text[]))::int FROM u`
}

func (s *stmt) oldAlias(i int) string { return fmt.Sprintf("s.o%d", i) }
func (s *stmt) newAlias(i int) string { return fmt.Sprintf("s.n%d", i) }

// from is the rows as a relation s.
func (s *stmt) from() string {
	var params, names []string
	add := func(prefix string, cols []int) {
		for _, c := range cols {
			params = append(params, fmt.Sprintf("$%d::text[]", len(params)+1))
			names = append(names, fmt.Sprintf("%s%d", prefix, c))
		}
	}
	add("o", s.olds)
	add("n", s.news)
	return ` FROM unnest(` + strings.Join(params, ", ") + `) AS s(` + strings.Join(names, ", ") + `)`
}

// value is a source column's value at the alias, in the target's type.
func (b *binding) value(col int, alias string) string { return alias + `::` + b.cols[col].cast }

func (b *binding) insertText(s *stmt) string {
	return `INSERT INTO ` + b.table.sql() + ` (` + b.names(s.news) + `) OVERRIDING SYSTEM VALUE SELECT ` +
		b.each(s.news, ", ", func(c int) string { return b.value(c, s.newAlias(c)) })
}

func (b *binding) names(cols []int) string {
	return b.each(cols, ", ", func(c int) string { return b.cols[c].name })
}

func (b *binding) set(s *stmt) string {
	return b.each(s.news, ", ", func(c int) string { return b.cols[c].name + ` = ` + b.value(c, s.newAlias(c)) })
}

// match compares columns of a row at the target with values that are not null.
func (b *binding) match(at string, cols []int, alias func(int) string) string {
	return b.each(cols, " AND ", func(c int) string { return at + `.` + b.cols[c].name + ` = ` + b.value(c, alias(c)) })
}

// differs compares by text, since some types have no equality and others hold
// different values equal.
func (b *binding) differs(s *stmt) string {
	return b.each(s.news, " OR ", func(c int) string {
		return `t.` + b.cols[c].name + `::text IS DISTINCT FROM ` + b.value(c, s.newAlias(c)) + `::text`
	})
}

// one finds one row equal to the old image, as relation x.
func (b *binding) one(s *stmt) string {
	return `WITH x AS MATERIALIZED (SELECT t.tableoid, t.ctid FROM ` + b.table.sql() + ` AS t, ` + strings.TrimPrefix(s.from(), ` FROM `) + ` WHERE ` +
		b.each(s.olds, " AND ", func(c int) string {
			return `t.` + b.cols[c].name + `::text IS NOT DISTINCT FROM ` + b.value(c, s.oldAlias(c)) + `::text`
		}) + ` LIMIT 1)`
}

func (b *binding) each(cols []int, sep string, f func(col int) string) string {
	var out strings.Builder
	for i, c := range cols {
		if i > 0 {
			out.WriteString(sep)
		}
		out.WriteString(f(c))
	}
	return out.String()
}

// copyText is the COPY that takes rows of the shape.
func (b *binding) copyText() string {
	return `COPY ` + b.table.sql() + ` (` + b.names(b.columns(nil, true)) + `) FROM STDIN`
}
