package postgres

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// rig drives a sink against a real target by items built by hand. Shapes are read
// from tables of a source database, which also serves as the model to compare with.
type rig struct {
	t        testing.TB
	src, dst *pgx.Conn // plain sessions with pinned settings
	url      string    // of the target
	cfg      SinkConfig
	lane     feed.Lane
	sink     *Sink
	pos      feed.Position
	versions uint32
}

func newRig(t testing.TB, cfg SinkConfig, ddl ...string) *rig {
	t.Helper()
	r := &rig{t: t, url: newDB(t), lane: feed.Lane{Cluster: "c", Changefeed: "cf", Incarnation: 1, Term: 1}, pos: feed.Position{Ts: 1000}}
	r.src, r.dst = pinnedConn(t, newDB(t)), pinnedConn(t, r.url)
	exec(t, r.src, ddl...)
	if cfg.URL == "" {
		cfg.URL = r.url
	}
	r.cfg = cfg
	r.open()
	t.Cleanup(func() { _ = r.sink.Close(context.Background()) })
	return r
}

func pinnedConn(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := connect(t.Context(), url, "test", target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// open opens a new sink on the lane and returns what the target says.
func (r *rig) open() (feed.Position, bool) {
	r.t.Helper()
	r.sink = NewSink(r.cfg, slog.New(slog.DiscardHandler))
	pos, ok, err := r.sink.Open(r.t.Context(), r.lane)
	if err != nil {
		r.t.Fatal(err)
	}
	return pos, ok
}

func (r *rig) reopen() (feed.Position, bool) {
	r.t.Helper()
	_ = r.sink.Close(r.t.Context())
	return r.open()
}

// shape reads a table's schema from the source.
func (r *rig) shape(table string) *row.Schema {
	r.t.Helper()
	r.versions++
	s := &row.Schema{Version: r.versions, Identity: row.IdentityDefault}
	var oid int64
	var full bool
	err := r.src.QueryRow(r.t.Context(), `SELECT c.oid::int8, n.nspname::text, c.relname::text, relreplident = 'f' FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)`, table).
		Scan(&oid, &s.Namespace, &s.Name, &full)
	if err != nil {
		r.t.Fatal(err)
	}
	if full {
		s.Identity = row.IdentityFull
	}
	s.Table = row.TableID(oid)
	rows, err := r.src.Query(r.t.Context(), `
SELECT a.attnum::int4, a.attname::text, a.atttypid::int8, a.atttypmod, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated <> '',
       EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)),
       COALESCE(pg_get_expr(d.adbin, d.adrelid), ''), (attmissingval::text::text[])[1]
FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = $1::int8::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, oid)
	if err != nil {
		r.t.Fatal(err)
	}
	var oids []uint32
	_, err = pgx.CollectRows(rows, func(cr pgx.CollectableRow) (struct{}, error) {
		var c row.Column
		var typ int64
		var generated bool
		var expr string
		err := cr.Scan(&c.ID, &c.Name, &typ, &c.Typmod, &c.TypeName, &c.NotNull, &generated, &c.Key, &expr, &c.Missing)
		c.Type = uint32(typ)
		if generated {
			s.Generated = append(s.Generated, row.GeneratedColumn{Name: c.Name, TypeName: c.TypeName, Expr: expr})
		} else {
			s.Columns = append(s.Columns, c)
			oids = append(oids, c.Type)
		}
		return struct{}{}, err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if s.Types, err = loadTypes(r.t.Context(), r.src, oids); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// unchanged is a value that an update did not touch.
type unchanged struct{}

// tuple builds a row image: nil is NULL, unchanged{} is unchanged, all else is printed.
func tuple(vals ...any) row.Tuple {
	t := row.AppendTupleHeader(nil, len(vals))
	for _, v := range vals {
		switch v := v.(type) {
		case nil:
			t = row.AppendNull(t)
		case unchanged:
			t = row.AppendUnchanged(t)
		default:
			t = row.AppendValue(t, []byte(fmt.Sprint(v)))
		}
	}
	return t
}

func insert(s *row.Schema, vals ...any) feed.Item {
	return feed.Item{Schema: s, Change: row.Change{Op: row.Insert, Table: s.Table, Version: s.Version, New: tuple(vals...)}}
}

func update(s *row.Schema, vals ...any) feed.Item {
	return feed.Item{Schema: s, Change: row.Change{Op: row.Update, Table: s.Table, Version: s.Version, New: tuple(vals...)}}
}

// rekey is an update that changes the key; old has the key columns, the others nil.
func rekey(s *row.Schema, old row.Tuple, vals ...any) feed.Item {
	it := update(s, vals...)
	it.Change.OldKind, it.Change.Old = row.OldKey, old
	return it
}

// full is an update with the whole old row.
func full(s *row.Schema, old row.Tuple, vals ...any) feed.Item {
	it := rekey(s, old, vals...)
	it.Change.OldKind = row.OldFull
	return it
}

func remove(s *row.Schema, vals ...any) feed.Item {
	return feed.Item{Schema: s, Change: row.Change{Op: row.Delete, Table: s.Table, Version: s.Version, OldKind: row.OldKey, Old: tuple(vals...)}}
}

func removeFull(s *row.Schema, vals ...any) feed.Item {
	it := remove(s, vals...)
	it.Change.OldKind = row.OldFull
	return it
}

func truncateItem(s *row.Schema) feed.Item {
	return feed.Item{Schema: s, Change: row.Change{Op: row.Truncate, Table: s.Table, Version: s.Version}}
}

func reshape(before, after *row.Schema) feed.Item {
	return feed.Item{Schema: after, Before: before, Change: row.Change{Op: row.SchemaChange, Table: after.Table, Version: after.Version}}
}

// write gives the items one upstream transaction and passes them on.
func (r *rig) write(items ...feed.Item) error {
	r.pos.Ts++
	txn := &feed.Txn{Ts: r.pos.Ts}
	for i := range items {
		if items[i].Txn == nil {
			items[i].Txn = txn
		}
	}
	return r.sink.Write(r.t.Context(), items)
}

// commit ends the target transaction at the last transaction written.
func (r *rig) commit() error { return r.sink.Commit(r.t.Context(), r.pos) }

// deliver writes and commits; it fails the test on an error.
func (r *rig) deliver(items ...feed.Item) {
	r.t.Helper()
	if err := r.try(items...); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) try(items ...feed.Item) error {
	if err := r.write(items...); err != nil {
		return err
	}
	return r.commit()
}

// rows prints what a query gives, sorted.
func rows(t testing.TB, conn *pgx.Conn, sql string) []string {
	t.Helper()
	res, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	var out []string
	for _, rw := range res[len(res)-1].Rows {
		var cells []string
		for _, v := range rw {
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, string(v))
			}
		}
		out = append(out, strings.Join(cells, "|"))
	}
	slices.Sort(out)
	return out
}

// expect compares a table of the target with rows.
func (r *rig) expect(sql string, want ...string) {
	r.t.Helper()
	if got := rows(r.t, r.dst, sql); !slices.Equal(got, want) {
		r.t.Fatalf("%s\ngot  %q\nwant %q", sql, got, want)
	}
}

// expectCode checks an error's code and that its text has the words.
func wantCode(t testing.TB, err error, code weirerr.Code, words ...string) {
	t.Helper()
	if weirerr.CodeOf(err) != code {
		t.Fatalf("got %v, want code %s", err, code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Fatalf("%v does not say %q", err, w)
		}
	}
}

// copyTable copies a table's rows past the sink.
func copyTable(t testing.TB, from, to *pgx.Conn, table string) {
	t.Helper()
	var buf bytes.Buffer
	if _, err := from.PgConn().CopyTo(t.Context(), &buf, `COPY `+table+` TO STDOUT`); err != nil {
		t.Fatal(err)
	}
	if _, err := to.PgConn().CopyFrom(t.Context(), &buf, `COPY `+table+` FROM STDIN`); err != nil {
		t.Fatal(err)
	}
}
