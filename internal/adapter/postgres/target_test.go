package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// alike checks that source and target have the same columns, key and rows.
func (r *rig) alike(table string) {
	r.t.Helper()
	for _, q := range []string{
		`SELECT attname, format_type(atttypid, atttypmod), attnotnull, attgenerated, pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute a
		 LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND attgenerated <> '' WHERE attrelid = '` + table + `'::regclass AND attnum > 0 AND NOT attisdropped`,
		`SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '` + table + `'::regclass AND contype = 'p'`,
	} {
		if got, want := rows(r.t, r.dst, q), rows(r.t, r.src, q); !slices.Equal(got, want) {
			r.t.Fatalf("%s\ngot  %q\nwant %q", table, got, want)
		}
	}
	if c := r.compare(table, 5); !c.Equal() || len(c.Skipped) > 0 {
		r.t.Fatalf("%s: %s, skipped %v", table, c, c.Skipped)
	}
}

// Every kind of change of shape, in one table, each with rows around it.
func TestSchemaEvolves(t *testing.T) {
	r := newRig(t, SinkConfig{}, `CREATE TYPE public.mood AS ENUM ('sad', 'ok')`,
		`CREATE TABLE public.t (id int PRIMARY KEY, a text NOT NULL, b varchar(5), c int, m public.mood, g int GENERATED ALWAYS AS (id * 2) STORED)`,
		`INSERT INTO public.t VALUES (1, 'a', 'b', 3, 'ok')`)
	s := r.shape("public.t")
	r.deliver(reshape(nil, s), insert(s, 1, "a", "b", 3, "ok"))
	r.alike("public.t")
	for i, ddl := range []string{
		`ALTER TABLE public.t ADD d int`,
		`ALTER TABLE public.t ADD e text NOT NULL DEFAULT 'it''s \x'`,
		`ALTER TABLE public.t ADD f int[] DEFAULT '{1,NULL}'`,
		`ALTER TABLE public.t RENAME a TO aa`,
		`ALTER TABLE public.t RENAME aa TO x; ALTER TABLE public.t RENAME b TO aa; ALTER TABLE public.t RENAME x TO b`, // trade names
		`ALTER TABLE public.t ALTER c TYPE int8`,
		`ALTER TABLE public.t ALTER c TYPE text`,
		`ALTER TABLE public.t ALTER c TYPE numeric(8,1) USING c::numeric`,
		`ALTER TABLE public.t ALTER aa TYPE varchar(50)`,
		`ALTER TABLE public.t DROP d`,
		`ALTER TABLE public.t DROP e, ADD e date`, // another column of that name
		`ALTER TABLE public.t ALTER b DROP NOT NULL`,
		`ALTER TABLE public.t ALTER c SET NOT NULL`,
		`ALTER TYPE public.mood ADD VALUE 'happy' AFTER 'sad'; ALTER TYPE public.mood ADD VALUE 'angry' BEFORE 'sad'`,
		`ALTER TABLE public.t DROP g`,
		`ALTER TABLE public.t ADD h text GENERATED ALWAYS AS (upper(b)) STORED`,
		`ALTER TABLE public.t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (id, c)`,
		`ALTER TABLE public.t ALTER c TYPE text`,
	} {
		exec(t, r.src, ddl)
		after := r.shape("public.t")
		var vals []any
		for _, c := range after.Columns {
			v := any(fmt.Sprint(10 + i))
			switch c.TypeName {
			case "date":
				v = "2024-01-02"
			case "integer[]":
				v = "{1,2}"
			case "public.mood":
				v = after.Types[0].Labels[i%len(after.Types[0].Labels)]
			case "numeric(8,1)":
				v = fmt.Sprintf("%d.0", i)
			case "character varying(5)":
				v = nil
			}
			vals = append(vals, v)
		}
		exec(t, r.src, `INSERT INTO public.t (`+columnNames(after)+`) VALUES (`+literals(vals)+`)`)
		r.deliver(reshape(s, after), insert(after, vals...))
		s = after
		r.alike("public.t")
	}
	exec(t, r.src, `ALTER TABLE public.t RENAME TO u`, `CREATE SCHEMA other`, `ALTER TABLE public.u SET SCHEMA other`)
	after := r.shape("other.u")
	r.deliver(reshape(s, after))
	r.alike("other.u")
	gone := *after
	gone.Version, gone.Dropped = gone.Version+1, true
	r.deliver(reshape(after, &gone))
	r.expect(`SELECT to_regclass('other.u')`, "NULL")
}

func columnNames(s *row.Schema) string {
	var out []string
	for _, c := range s.Columns {
		out = append(out, quoteIdent(c.Name))
	}
	return strings.Join(out, ", ")
}

func literals(vals []any) string {
	var out []string
	for _, v := range vals {
		if v == nil {
			out = append(out, "NULL")
		} else {
			out = append(out, quoteLiteral(fmt.Sprint(v)))
		}
	}
	return strings.Join(out, ", ")
}

// A change of shape and the rows around it are one target transaction: what is
// rolled back leaves neither.
func TestSchemaChangeIsAtomic(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	before := r.shape("public.items")
	r.deliver(reshape(nil, before), insert(before, 1, "a", 1, "n"))
	exec(t, r.src, `ALTER TABLE public.items ADD extra int`)
	after := r.shape("public.items")
	items := func() error {
		return r.write(update(before, 1, "b", 1, "n"), reshape(before, after), insert(after, 2, "c", 1, "n", 7))
	}
	if err := items(); err != nil {
		t.Fatal(err)
	}
	r.reopen()
	r.expect(`SELECT * FROM public.items`, "1|a|1|n")
	if err := items(); err != nil {
		t.Fatal(err)
	}
	if err := r.commit(); err != nil {
		t.Fatal(err)
	}
	r.expect(`SELECT * FROM public.items`, "1|b|1|n|NULL", "2|c|1|n|7")
}

func TestSchemaPolicies(t *testing.T) {
	start := func(t *testing.T, policy string) (*rig, *row.Schema, *row.Schema) {
		r := newRig(t, SinkConfig{SchemaPolicy: policy}, itemsDDL)
		before := r.shape("public.items")
		err := r.try(reshape(nil, before))
		wantCode(t, err, weirerr.TargetMissing, "public.items")
		exec(t, r.dst, `CREATE TABLE public.items (note text, added int DEFAULT 7, id int8 PRIMARY KEY, qty int, name text)`) // another order, a column more
		r.reopen()
		r.deliver(reshape(nil, before), insert(before, 1, "a", 1, "n"), update(before, 1, "b", 1, unchanged{}))
		r.expect(`SELECT id, name, qty, note, added FROM public.items`, "1|b|1|n|7")
		exec(t, r.src, `ALTER TABLE public.items ADD extra int, DROP qty`)
		return r, before, r.shape("public.items")
	}
	t.Run(PolicyIgnore, func(t *testing.T) {
		r, before, after := start(t, PolicyIgnore)
		r.deliver(reshape(before, after), insert(after, 2, "c", "n", 99))
		r.expect(`SELECT id, name, qty, note FROM public.items`, "1|b|1|n", "2|c|NULL|n")
		r.reopen()
		r.deliver(update(after, 2, "d", "m", 98))
		r.expect(`SELECT id, name, qty, note FROM public.items`, "1|b|1|n", "2|d|NULL|m")
	})
	t.Run(PolicyFail, func(t *testing.T) {
		r, before, after := start(t, PolicyFail)
		wantCode(t, r.try(reshape(before, after)), weirerr.SchemaRefused, "public.items", "qty dropped", "extra added")
		r.reopen()
		wantCode(t, r.try(insert(after, 2, "c", "n", 99)), weirerr.TargetMissing, "public.items", "extra")
	})
}

// A column that is gone at the target is an error that names it, when the feed
// starts and when it runs.
func TestSinkMissingColumn(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a", 1, "n"))
	exec(t, r.dst, `ALTER TABLE public.items DROP note`)
	wantCode(t, r.try(insert(s, 2, "a", 1, "n")), weirerr.TargetMissing)
	r.reopen()
	wantCode(t, r.try(insert(s, 2, "a", 1, "n")), weirerr.TargetMissing, "public.items", "note")
	exec(t, r.dst, `ALTER TABLE public.items ADD note text`, `ALTER TABLE public.items RENAME TO elsewhere`, `CREATE VIEW public.items AS SELECT * FROM public.elsewhere`)
	r.reopen()
	wantCode(t, r.try(insert(s, 2, "a", 1, "n")), weirerr.TargetConfig, "public.items")
}

func TestSinkTypes(t *testing.T) {
	r := newRig(t, SinkConfig{}, `CREATE EXTENSION hstore SCHEMA public`, `CREATE SCHEMA kinds`,
		`CREATE TYPE kinds.mood AS ENUM ('a''b', 'c\d')`, `CREATE DOMAIN kinds.short AS varchar(4)`, `CREATE DOMAIN kinds.moods AS kinds.mood[]`,
		`CREATE TYPE kinds.pair AS (x int, "Y z" kinds.moods)`, `CREATE TYPE kinds.span AS RANGE (SUBTYPE = float8)`,
		`CREATE TABLE public.t (id int PRIMARY KEY, m kinds.mood, ms kinds.mood[], s kinds.short, p kinds.pair, pp kinds.pair[], r kinds.span, rr kinds.span[],
		 mr kinds.span_multirange, h public.hstore, b bit(3), vb varbit(5), q "char", n name, x xml, j json, jb jsonb, iv interval, mo money, n0 numeric, i4 int4range, ts tsvector, pt point, byt bytea, f float4, bc char(4))`)
	s := r.shape("public.t")
	vals := []any{1, "a'b", `{"c\\d",NULL}`, "abcd", `(1,"{""c\\\\d""}")`, `{"(2,)"}`, "[1.5,2)", `{"[1,2)"}`, "{[1,2),[3,4)}", `"k"=>"v", "n"=>NULL`, "101", "10", "x", "nm",
		"<a>&lt;</a>", `{"a": 12345678901234567890}`, `{"b": 1.10}`, "1 day 02:03:04.5", "-$5.10", "NaN", "[1,5)", "'a' 'b':1", "(1,-0)", `\x00ff`, "1e-30", "ab  "}
	exec(t, r.src, `INSERT INTO public.t VALUES (`+literals(vals)+`)`)
	r.deliver(insert(s, vals...))
	r.alike("public.t")
	vals[0] = 2
	var items []row.Tuple
	for i := range 200 { // by COPY
		vals[0] = 2 + i
		items = append(items, tuple(vals...))
	}
	c := r.begin(s, bound(1), nil)
	c.write(items...)
	r.commitAt(0)
	exec(t, r.src, `INSERT INTO public.t SELECT g, `+strings.Join(tail(s), ", ")+` FROM public.t, generate_series(2, 201) g`)
	r.alike("public.t")
	vals[0] = 1
	r.deliver(update(s, vals...)) // by arrays
	r.alike("public.t")
}

func tail(s *row.Schema) []string {
	var out []string
	for _, c := range s.Columns[1:] {
		out = append(out, quoteIdent(c.Name))
	}
	return out
}

func TestSinkTruncate(t *testing.T) {
	r := newRig(t, SinkConfig{}, `CREATE TABLE public.p (id int PRIMARY KEY)`, `CREATE TABLE public.q (id int PRIMARY KEY, p int)`)
	p, q := r.shape("public.p"), r.shape("public.q")
	r.deliver(insert(p, 1), insert(q, 1, 1))
	exec(t, r.dst, `ALTER TABLE public.q ADD FOREIGN KEY (p) REFERENCES public.p`)
	if err := r.write(insert(p, 2), insert(q, 2, 2), truncateItem(p)); err != nil {
		t.Fatal(err)
	}
	r.pos.Ts-- // the same transaction goes on in another Write
	if err := r.write(truncateItem(q), insert(p, 3)); err != nil {
		t.Fatal(err)
	}
	if err := r.commit(); err != nil {
		t.Fatal(err)
	}
	r.expect(`SELECT * FROM public.p`, "3")
	r.expect(`SELECT * FROM public.q`)
	wantCode(t, r.try(truncateItem(p)), weirerr.TargetConflict, "foreign key")
}

// Two feeds of one target database, begun at the same time.
func TestSinkFeedsShareATarget(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	done := make(chan error, 4)
	for i := range 4 {
		go func() {
			s := NewSink(SinkConfig{URL: r.url, SchemaPrefix: fmt.Sprintf("copy%d_", i)}, r.sink.log)
			lane := r.lane
			lane.Changefeed = fmt.Sprint("cf", i)
			_, _, err := s.Open(t.Context(), lane)
			if err == nil {
				err = s.Close(t.Context())
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	r.cfg.Schemas = map[string]string{"public": "elsewhere"}
	r.reopen()
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a", 1, "n"))
	r.expect(`SELECT id FROM elsewhere.items`, "1")
}
