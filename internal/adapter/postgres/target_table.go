package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// targetTable is a table at the target as its catalog has it.
type targetTable struct {
	oid             uint32
	namespace, name string
	columns         map[string]targetColumn
	primary         []string // columns of the primary key, in its order
	primaryName     string   // of the constraint
}

// targetColumn is one column of a targetTable.
type targetColumn struct {
	// cast is the column's type, for a domain what it is made of, quoted and
	// without modifiers: a value cast to it and then assigned is checked against
	// the modifiers, never cut.
	cast string
	// declared is the type with its modifiers, as format_type prints it.
	declared  string
	typmod    int32
	generated bool
	notNull   bool
}

func (t *targetTable) sql() string { return quoteTable(t.namespace, t.name) }

const targetTableQuery = `
SELECT c.oid::int8, c.relkind::text,
       COALESCE((SELECT array_agg(a.attname::text ORDER BY k.n) FROM pg_index i, unnest(i.indkey) WITH ORDINALITY k(attnum, n), pg_attribute a
                 WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.attnum AND k.n <= i.indnkeyatts), '{}'),
       COALESCE((SELECT conname::text FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p'), '')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'f')`

const targetColumnQuery = `
WITH RECURSIVE base(attnum, typ) AS (
  SELECT attnum, atttypid FROM pg_attribute WHERE attrelid = $1::int8::oid AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT b.attnum, t.typbasetype FROM base b JOIN pg_type t ON t.oid = b.typ WHERE t.typtype = 'd')
SELECT a.attname::text, quote_ident(n.nspname) || '.' || quote_ident(t.typname), format_type(a.atttypid, a.atttypmod), a.atttypmod,
       a.attgenerated <> '', a.attnotnull
FROM base b JOIN pg_type t ON t.oid = b.typ AND t.typtype <> 'd' JOIN pg_namespace n ON n.oid = t.typnamespace
JOIN pg_attribute a ON a.attrelid = $1::int8::oid AND a.attnum = b.attnum ORDER BY a.attnum`

// loadTable looks a table up; nil when the target has none.
func loadTable(ctx context.Context, q querier, namespace, name string) (*targetTable, error) {
	t := &targetTable{namespace: namespace, name: name, columns: map[string]targetColumn{}}
	var oid int64
	var kind string
	err := q.QueryRow(ctx, targetTableQuery, namespace, name).Scan(&oid, &kind, &t.primary, &t.primaryName)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, target.wrap(err, "cannot look up a table").With("table", namespace+"."+name)
	}
	if kind != "r" && kind != "p" {
		return nil, target.config("the target is not a table").With("table", namespace+"."+name).
			Hint("drop the view or foreign table of that name, or map the schema to another")
	}
	t.oid = uint32(oid)
	rows, err := q.Query(ctx, targetColumnQuery, oid)
	if err != nil {
		return nil, target.wrap(err, "cannot look up columns").With("table", namespace+"."+name)
	}
	_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (struct{}, error) {
		var n string
		var c targetColumn
		err := r.Scan(&n, &c.cast, &c.declared, &c.typmod, &c.generated, &c.notNull)
		t.columns[n] = c
		return struct{}{}, err
	})
	if err != nil {
		return nil, target.wrap(err, "cannot look up columns").With("table", namespace+"."+name)
	}
	return t, nil
}

// isEmpty tells whether a table has no row. It may need the right to read it.
func isEmpty(ctx context.Context, q querier, t *targetTable) (bool, error) {
	var some bool
	if err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+t.sql()+`)`).Scan(&some); err != nil {
		return false, target.wrap(err, "cannot read a table").With("table", t.namespace+"."+t.name)
	}
	return !some, nil
}

// foreignKeys lists which tables refer to which, by OID.
func foreignKeys(ctx context.Context, q querier) (map[uint32][]uint32, error) {
	rows, err := q.Query(ctx, `SELECT conrelid::int8, confrelid::int8 FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid`)
	if err != nil {
		return nil, target.wrap(err, "cannot look up foreign keys")
	}
	refs := map[uint32][]uint32{}
	var child, parent int64
	if _, err = pgx.ForEachRow(rows, []any{&child, &parent}, func() error {
		refs[uint32(child)] = append(refs[uint32(child)], uint32(parent))
		return nil
	}); err != nil {
		return nil, target.wrap(err, "cannot look up foreign keys")
	}
	return refs, nil
}
