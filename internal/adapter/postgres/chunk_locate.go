package postgres

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Locate implements capture.Snapshotter. Keys whose order is certain without the
// server are compared here; all others in one query.
func (s *Source) Locate(ctx context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error) {
	k, err := s.key(ctx, table)
	if err != nil {
		return nil, snapshotFailed(err, table, k)
	}
	b, err := k.split(bounds)
	if err != nil {
		return nil, err
	}
	v, err := k.split(keys)
	if err != nil {
		return nil, err
	}
	if compare := k.comparer(); compare != nil {
		out := make([]int, len(v))
		for i, key := range v {
			out[i] = sort.Search(len(b), func(j int) bool { return compare(b[j], key) >= 0 })
		}
		return out, nil
	}
	var out []int
	err = s.readers.do(ctx, func(conn *pgx.Conn) (err error) {
		out, err = k.locate(ctx, conn, b, v)
		return err
	})
	return out, snapshotFailed(err, table, k)
}

// key is how a table was last found to be ordered.
func (s *Source) key(ctx context.Context, table row.TableID) (k *tableKey, err error) {
	s.mu.Lock()
	k = s.keys[table]
	s.mu.Unlock()
	if k == nil {
		err = s.readers.do(ctx, func(conn *pgx.Conn) (err error) {
			_, _, k, err = s.table(ctx, conn, table)
			return err
		})
	}
	if err == nil && len(k.cols) == 0 {
		err = weirerr.New(weirerr.WrongState, "the table has no key").With("table", k.name)
	}
	return k, err
}

func (k *tableKey) split(tuples []row.Tuple) ([][][]byte, error) {
	out := make([][][]byte, len(tuples))
	for i, t := range tuples {
		var err error
		if out[i], err = k.values(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Types whose order is known here: OIDs of bool, bytea, int8, int2, int4, oid,
// text, varchar, uuid.
const (
	oidBool, oidBytea, oidInt8, oidInt2, oidInt4 = 16, 17, 20, 21, 23
	oidText, oidOid, oidVarchar, oidUUID         = 25, 26, 1043, 2950
)

// comparer compares keys as the server does, by their text; nil when only the
// server can. Text of uuid, bytea (hex) and bool sorts as the values do, strings
// under collation "C" are compared by bytes. All else (other collations, numeric,
// dates of BC, floats, user types) is left to the server.
func (k *tableKey) comparer() func(a, b [][]byte) int {
	compare := make([]func(a, b []byte) int, len(k.cols))
	for i, c := range k.cols {
		switch c.oid {
		case oidInt2, oidInt4, oidInt8, oidOid:
			compare[i] = compareIntegers
		case oidBool, oidBytea, oidUUID:
			compare[i] = bytes.Compare
		case oidText, oidVarchar:
			if c.collation != `pg_catalog."C"` {
				return nil
			}
			compare[i] = bytes.Compare
		default:
			return nil
		}
	}
	return func(a, b [][]byte) int {
		for i := range compare {
			if d := compare[i](a[i], b[i]); d != 0 {
				return d
			}
		}
		return 0
	}
}

func compareIntegers(a, b []byte) int {
	x, err1 := strconv.ParseInt(string(a), 10, 64)
	y, err2 := strconv.ParseInt(string(b), 10, 64)
	switch {
	case err1 != nil || err2 != nil:
		return bytes.Compare(a, b)
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// locate sorts bounds and keys together in the server, a key before a bound that
// equals it, and counts the bounds that come before.
func (k *tableKey) locate(ctx context.Context, conn *pgx.Conn, bounds, keys [][][]byte) ([]int, error) {
	args := []any{len(bounds)}
	var unnest, names, order []string
	for i, c := range k.cols {
		values := make([]string, 0, len(bounds)+len(keys))
		for _, t := range bounds {
			values = append(values, string(t[i]))
		}
		for _, t := range keys {
			values = append(values, string(t[i]))
		}
		args = append(args, values)
		unnest = append(unnest, fmt.Sprintf("$%d::text[]", i+2))
		names = append(names, fmt.Sprintf("k%d", i))
		by := fmt.Sprintf("k%d::%s", i, c.cast)
		if c.collation != "" {
			by += " COLLATE " + c.collation
		}
		order = append(order, by)
	}
	rows, err := conn.Query(ctx, fmt.Sprintf(`SELECT n FROM (
  SELECT i, count(*) FILTER (WHERE i <= $1::int8) OVER (ORDER BY %s, i <= $1::int8 ROWS UNBOUNDED PRECEDING) AS n
  FROM unnest(%s) WITH ORDINALITY AS u(%s, i)) x WHERE i > $1::int8 ORDER BY i`,
		strings.Join(order, ", "), strings.Join(unnest, ", "), strings.Join(names, ", ")), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

// Fetch implements capture.Snapshotter. Columns are found by their id, since their
// names may have changed after shape; those that are gone are NULL.
func (s *Source) Fetch(ctx context.Context, shape *row.Schema, key row.Tuple) (out row.Tuple, found bool, err error) {
	var k *tableKey
	err = s.readers.do(ctx, func(conn *pgx.Conn) error {
		f, _, key_, err := s.table(ctx, conn, shape.Table)
		if err != nil {
			return err
		}
		k = key_
		if len(k.cols) == 0 {
			return weirerr.New(weirerr.WrongState, "the table has no key").With("table", k.name)
		}
		match, err := k.bound("=", key)
		if err != nil {
			return err
		}
		var names []string
		for _, c := range shape.Columns {
			name := c.Name
			if a := f.attr(c.ID); a != nil {
				name = a.Name
			} else if c.ID != 0 {
				names = append(names, "NULL")
				continue
			}
			names = append(names, quoteIdent(name))
		}
		results, err := conn.PgConn().Exec(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+k.from+" WHERE "+match).ReadAll()
		if err != nil || len(results[0].Rows) == 0 {
			return err
		}
		found = true
		out = row.AppendTupleHeader(nil, len(names))
		for _, v := range results[0].Rows[0] {
			if v == nil {
				out = row.AppendNull(out)
			} else {
				out = row.AppendValue(out, v)
			}
		}
		return nil
	})
	return out, found, snapshotFailed(err, shape.Table, k)
}
