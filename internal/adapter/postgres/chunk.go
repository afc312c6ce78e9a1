package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// tableKey is how the rows of a table are ordered in chunks: by the key's columns
// in the order of its index, so that the server can use that. Key tuples have the
// same columns in the table's order.
type tableKey struct {
	from string // what to select from: ONLY "s"."t"
	name string
	cols []keyColumn // in index order; empty: keyless
	rows int64       // estimate
}

// keyColumn is one column of a key.
type keyColumn struct {
	id        int32
	name      string
	at        int    // place in a key tuple
	oid       uint32 // of the type
	cast      string // the type's name without modifier, for literals
	collation string // of the column, quoted; "" when the type has none
}

// keyQuery adds what a comparison needs to know of columns.
const keyQuery = `SELECT a.attnum::int4, format_type(a.atttypid, -1),
  COALESCE((SELECT quote_ident(n.nspname) || '.' || quote_ident(l.collname) FROM pg_collation l JOIN pg_namespace n ON n.oid = l.collnamespace WHERE l.oid = a.attcollation), ''),
  (SELECT GREATEST(CASE c.relkind WHEN 'r' THEN c.reltuples ELSE (SELECT sum(p.reltuples) FROM pg_partition_tree(c.oid) t JOIN pg_class p ON p.oid = t.relid WHERE t.isleaf AND p.reltuples > 0) END, 0)::int8 FROM pg_class c WHERE c.oid = a.attrelid)
FROM pg_attribute a WHERE a.attrelid = $1::int8::oid AND a.attnum = ANY($2::int4[])`

// loadKey reads how a table's rows are ordered.
func loadKey(ctx context.Context, q querier, f *tableFacts, schema *row.Schema) (*tableKey, error) {
	k := &tableKey{from: quoteTable(f.Namespace, f.Name), name: f.Namespace + "." + f.Name}
	if f.Kind == "r" {
		k.from = "ONLY " + k.from // rows of inheriting tables are theirs
	}
	for at, i := range schema.KeyColumns() {
		c := schema.Columns[i]
		k.cols = append(k.cols, keyColumn{id: c.ID, name: c.Name, at: at, oid: c.Type})
	}
	k.orderBy(f.Primary)
	if f.identityByte() == 'i' && keyByIdentity(&relation{identity: 'i', cols: f.streamColumns()}) {
		k.orderBy(f.Index)
	}
	nums := make([]int32, len(k.cols))
	for i, c := range k.cols {
		nums[i] = c.id
	}
	rows, err := q.Query(ctx, keyQuery, int64(f.OID), nums)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var num int32
		var cast, collation string
		if err := rows.Scan(&num, &cast, &collation, &k.rows); err != nil {
			return nil, err
		}
		i := slices.Index(nums, num)
		k.cols[i].cast, k.cols[i].collation = cast, collation
	}
	return k, rows.Err()
}

// orderBy sorts the columns as an index has them.
func (k *tableKey) orderBy(index []int32) {
	slices.SortStableFunc(k.cols, func(a, b keyColumn) int {
		return slices.Index(index, a.id) - slices.Index(index, b.id)
	})
}

// list writes the columns of the key.
func (k *tableKey) list() string {
	names := make([]string, len(k.cols))
	for i, c := range k.cols {
		names[i] = c.name
	}
	return quoteIdents(names)
}

// bound writes a comparison of the key with a key tuple, such as
// ("a", "b") > ('1'::int4, 'x'::text): row-wise, as an index can do it.
func (k *tableKey) bound(op string, t row.Tuple) (string, error) {
	values, err := k.values(t)
	if err != nil {
		return "", err
	}
	literals := make([]string, len(k.cols))
	for i, c := range k.cols {
		literals[i] = quoteLiteral(string(values[i])) + "::" + c.cast
	}
	return fmt.Sprintf("(%s) %s (%s)", k.list(), op, strings.Join(literals, ", ")), nil
}

// values takes a key tuple apart, in index order.
func (k *tableKey) values(t row.Tuple) ([][]byte, error) {
	byPlace := make([][]byte, 0, len(k.cols))
	it := t.Iter()
	for it.Next() {
		if it.State != row.Present {
			return nil, k.misfit("a key column is not there")
		}
		byPlace = append(byPlace, it.Value)
	}
	if it.Err() != nil || len(byPlace) != len(k.cols) {
		return nil, k.misfit("the key has other columns now")
	}
	out := make([][]byte, len(k.cols))
	for i, c := range k.cols {
		out[i] = byPlace[c.at]
	}
	return out, nil
}

func (k *tableKey) misfit(why string) error {
	return weirerr.New(weirerr.WrongState, "a key tuple does not fit the table: %s", why).With("table", k.name).
		Hint("the table's key was changed while its snapshot ran; snapshot it again")
}

// tuple makes a key tuple of values in index order.
func (k *tableKey) tuple(values [][]byte) row.Tuple {
	byPlace := make([][]byte, len(values))
	for i, c := range k.cols {
		byPlace[c.at] = values[i]
	}
	t := row.AppendTupleHeader(nil, len(values))
	for _, v := range byPlace {
		t = row.AppendValue(t, v)
	}
	return t
}

// where limits a query to lo < key <= hi.
func (k *tableKey) where(lo, hi row.Tuple) (string, error) {
	var terms []string
	for _, b := range []struct {
		op string
		t  row.Tuple
	}{{">", lo}, {"<=", hi}} {
		if b.t == nil {
			continue
		}
		term, err := k.bound(b.op, b.t)
		if err != nil {
			return "", err
		}
		terms = append(terms, term)
	}
	if len(terms) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(terms, " AND "), nil
}

// table looks a table up: what the catalog says, its schema and its key.
func (s *Source) table(ctx context.Context, q querier, id row.TableID) (*tableFacts, *row.Schema, *tableKey, error) {
	f, err := loadFacts(ctx, q, uint32(id))
	if err != nil {
		return nil, nil, nil, err
	}
	if f == nil || !f.captured() {
		return nil, nil, nil, weirerr.New(weirerr.TableGone, "the table is no longer there").With("table", id)
	}
	schema := schemaOf(f)
	if err := describeTypes(ctx, q, schema, nil); err != nil {
		return nil, nil, nil, err
	}
	k, err := loadKey(ctx, q, f, schema)
	if err == nil {
		s.mu.Lock()
		s.keys[id] = k
		s.mu.Unlock()
	}
	return f, schema, k, err
}

// snapshotFailed explains an error of a reader.
func snapshotFailed(err error, id row.TableID, k *tableKey) error {
	if err == nil {
		return nil
	}
	e := upstream.wrap(err, "cannot read the table")
	switch sqlState(err) {
	case "42P01", "42703":
		e.Code = weirerr.TableGone
	case "42501":
		e.Hint("GRANT SELECT on the table to the role; with row level security it needs BYPASSRLS as well")
	}
	if k != nil {
		return e.With("table", k.name)
	}
	return e.With("table", id)
}

// pool keeps a few connections for readers.
type pool struct {
	open func(ctx context.Context) (*pgx.Conn, error)
	free chan *pgx.Conn // nil: one that is not opened yet
}

func newPool(n int, open func(ctx context.Context) (*pgx.Conn, error)) *pool {
	p := &pool{open: open, free: make(chan *pgx.Conn, n)}
	for range n {
		p.free <- nil
	}
	return p
}

// do runs f on a connection of its own, waiting for a free one.
func (p *pool) do(ctx context.Context, f func(conn *pgx.Conn) error) (err error) {
	var conn *pgx.Conn
	select {
	case conn = <-p.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.free <- conn }()
	if conn == nil || conn.IsClosed() {
		if conn, err = p.open(ctx); err != nil {
			conn = nil
			return err
		}
		if _, err := conn.Exec(ctx, `SET jit = off`); err != nil {
			return err
		}
	}
	err = f(conn)
	if err != nil && !conn.IsClosed() && conn.PgConn().TxStatus() != 'I' {
		quietly(conn)
	}
	return err
}

func (p *pool) close() {
	for range cap(p.free) {
		if conn := <-p.free; conn != nil {
			quietly(conn)
		}
		p.free <- nil
	}
}
