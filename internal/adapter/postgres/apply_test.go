package postgres

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
	"pgregory.net/rapid"
)

// COPY's escapes: what we write, the reader of COPY text reads back.
func TestCopyTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("\\\t\n\r\v\x00\x0d\x0e\x8a\xdc")))).Draw(t, "v")
		text := appendCopyText(nil, v)
		if bytes.ContainsAny(text, "\t\n\r") {
			t.Fatalf("%q is not escaped: %q", v, text)
		}
		if back := unescape(nil, text); !bytes.Equal(back, v) {
			t.Fatalf("%q writes %q reads %q", v, text, back)
		}
	})
}

// print tells what netting left.
func (n *netted) print(p *piece) string {
	var out []string
	key := func(s span) string {
		var k []string
		keyValues(p.bytes(s), func(_ int, v []byte) { k = append(k, string(v)) })
		return strings.Join(k, ",")
	}
	image := func(s span) string {
		var v []string
		for it := p.tuple(s).Iter(); it.Next(); {
			v = append(v, map[row.State]string{row.Null: "NULL", row.Unchanged: "=", row.Present: string(it.Value)}[it.State])
		}
		return strings.Join(v, ",")
	}
	for _, r := range n.deletes {
		out = append(out, "-"+key(r.key))
	}
	for _, g := range n.updates {
		for _, r := range g.rows {
			out = append(out, key(r.key)+"~"+image(r.image))
		}
	}
	for _, g := range n.moves {
		for _, r := range g.rows {
			out = append(out, key(r.key)+">"+image(r.image))
		}
	}
	for _, r := range n.inserts {
		out = append(out, "+"+image(r.image))
	}
	return strings.Join(out, " ")
}

func TestNetting(t *testing.T) {
	s := &row.Schema{Table: 1, Version: 1, Columns: []row.Column{{Name: "id", Key: true}, {Name: "v"}, {Name: "big"}}}
	key := func(id int) row.Tuple { return tuple(id, nil, nil) }
	for _, c := range []struct {
		name  string
		items []feed.Item
		want  string // "" when it cannot be netted
	}{
		{"insert", []feed.Item{insert(s, 1, "a", "b")}, "+1,a,b"},
		{"insert, update", []feed.Item{insert(s, 1, "a", "b"), update(s, 1, "c", unchanged{})}, "+1,c,b"},
		{"insert, delete", []feed.Item{insert(s, 1, "a", "b"), remove(s, 1, nil, nil), insert(s, 2, "x", "y")}, "+2,x,y"},
		{"update twice", []feed.Item{update(s, 1, "a", "b"), update(s, 1, "c", unchanged{})}, "1~1,c,b"},
		{"update in part", []feed.Item{update(s, 1, "a", unchanged{}), update(s, 1, "c", unchanged{})}, "1~1,c,="},
		{"masks that differ", []feed.Item{insert(s, 1, "a", "b"), update(s, 1, "c", unchanged{}), update(s, 1, unchanged{}, "d"), update(s, 1, unchanged{}, unchanged{})}, "+1,c,d"},
		{"masks that differ, in part", []feed.Item{update(s, 1, "c", unchanged{}), update(s, 1, unchanged{}, unchanged{})}, "1~1,c,="},
		{"update, delete", []feed.Item{update(s, 1, "a", "b"), remove(s, 1, nil, nil)}, "-1"},
		{"delete, insert", []feed.Item{remove(s, 1, nil, nil), insert(s, 1, "a", "b"), update(s, 1, "c", unchanged{})}, "-1 +1,c,b"},
		{"move", []feed.Item{rekey(s, key(1), 2, "a", unchanged{}), update(s, 2, "b", unchanged{})}, "1>2,b,="},
		{"move back", []feed.Item{rekey(s, key(1), 2, "a", "x"), rekey(s, key(2), 1, "b", unchanged{})}, "1~1,b,x"},
		{"move, delete", []feed.Item{rekey(s, key(1), 2, "a", "x"), remove(s, 2, nil, nil)}, "-1"},
		{"insert, move", []feed.Item{insert(s, 1, "a", "x"), rekey(s, key(1), 2, "b", unchanged{})}, "+2,b,x"},
		{"chain", []feed.Item{rekey(s, key(2), 3, "b", "x"), rekey(s, key(1), 2, "a", "x")}, "2>3,b,x 1>2,a,x"},
		{"move into a deleted key", []feed.Item{remove(s, 2, nil, nil), rekey(s, key(1), 2, "a", "x")}, "-2 1>2,a,x"},
		{"swap", []feed.Item{rekey(s, key(1), 9, "a", "x"), rekey(s, key(2), 1, "b", "x"), rekey(s, key(9), 2, "a", "x")}, ""},
		{"insert twice", []feed.Item{insert(s, 1, "a", "b"), insert(s, 1, "c", "d")}, ""},
		{"move onto a row", []feed.Item{insert(s, 1, "a", "b"), rekey(s, key(2), 1, "c", "d")}, ""},
		{"no key", []feed.Item{insert(s, nil, "a", "b"), remove(s, 1, nil, nil)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, sh := newPiece(), newShape(s)
			var net netter
			var out netted
			for i := range c.items {
				p.add(sh, &c.items[i].Change)
			}
			net.reset(p, sh.keyCols, 1) // to make it grow
			ok := true
			for i := range p.ops {
				ok = ok && net.apply(&p.ops[i])
			}
			got := ""
			if ok && net.collect(&out) {
				got = out.print(p)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A large value is not copied with every update that leaves it alone.
func TestNettingKeepsLargeValuesOnce(t *testing.T) {
	s := &row.Schema{Table: 1, Version: 1, Columns: []row.Column{{Name: "id", Key: true}, {Name: "v"}, {Name: "big"}}}
	p, sh := newPiece(), newShape(s)
	var net netter
	var out netted
	first := insert(s, 1, 0, strings.Repeat("x", 1<<20))
	p.add(sh, &first.Change)
	for i := range 1000 {
		it := update(s, 1, i, unchanged{})
		p.add(sh, &it.Change)
	}
	net.reset(p, sh.keyCols, len(p.ops))
	for i := range p.ops {
		if !net.apply(&p.ops[i]) {
			t.Fatal("cannot net")
		}
	}
	if !net.collect(&out) || len(out.inserts) != 1 || len(p.buf) > 3<<20 {
		t.Fatalf("%d inserts, %d bytes", len(out.inserts), len(p.buf))
	}
}

// A batch with one bad row: the error names it, and nothing of the batch is there.
func TestSinkNamesTheBadRow(t *testing.T) {
	for _, c := range []struct {
		name, check string
		bad         func(s *row.Schema) feed.Item
		want        []string
	}{
		{"check", `ALTER TABLE public.items ADD CONSTRAINT small CHECK (qty < 100)`, func(s *row.Schema) feed.Item { return insert(s, 500, "x", 100, "n") }, []string{"public.items", "id=500", "small"}},
		{"not null", `ALTER TABLE public.items ALTER note SET NOT NULL`, func(s *row.Schema) feed.Item { return update(s, 7, "x", 1, nil) }, []string{"id=7", "column note"}},
		{"number", `ALTER TABLE public.items ALTER note TYPE int2 USING 1`, func(s *row.Schema) feed.Item { return insert(s, 500, "x", 1, "70000") }, []string{"id=500", "column note"}},
		{"length", `ALTER TABLE public.items ALTER name TYPE varchar(3)`, func(s *row.Schema) feed.Item { return insert(s, 500, "four", 1, "1") }, []string{"id=500", "column name"}},
		{"unique", `CREATE UNIQUE INDEX other ON public.items (note)`, func(s *row.Schema) feed.Item { return insert(s, 500, "x", 1, "1") }, []string{"id=500", "other"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, SinkConfig{}, itemsDDL)
			s := r.shape("public.items")
			var items []feed.Item
			for i := range 100 {
				items = append(items, insert(s, i, "a", 1, fmt.Sprint(i)))
			}
			r.deliver(items...)
			exec(t, r.dst, c.check)
			before := rows(t, r.dst, `SELECT count(*), max(id) FROM public.items`)
			r.reopen()
			for i := range items {
				items[i] = insert(s, i+1000, "b", 1, fmt.Sprint(i+1000))
			}
			items[50] = c.bad(s)
			wantCode(t, r.try(items...), weirerr.BadRow, c.want...)
			r.reopen()
			if after := rows(t, r.dst, `SELECT count(*), max(id) FROM public.items`); after[0] != before[0] {
				t.Errorf("%s rows, want %s", after, before)
			}
		})
	}
}

// Rows that the target already has: the replay makes inserts meet them, and only
// what is new fires an insert trigger.
func TestSinkReplayUpserts(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "old", 1, "x"), insert(s, 2, "old", 1, "x"))
	r.lane.Incarnation++
	r.reopen()
	r.deliver(insert(s, 1, "new", 2, "y"), insert(s, 3, "new", 2, "y"), rekey(s, tuple(3, nil, nil, nil), 2, "moved", 3, "z"),
		update(s, 9, "appears", 1, "z"), remove(s, 8, nil, nil, nil))
	r.expect(`SELECT * FROM public.items`, "1|new|2|y", "2|moved|3|z", "9|appears|1|z")
	// An update of a part of a row that is not there cannot be made whole.
	err := r.try(update(s, 77, "a", 1, unchanged{}))
	wantCode(t, err, weirerr.TargetConflict, "public.items", "id=77")
}

// A net batch may break a unique constraint that the order of changes keeps.
func TestSinkReplayKeepsOrder(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a", 1, "x"), insert(s, 2, "b", 1, "y"))
	exec(t, r.dst, `CREATE UNIQUE INDEX ON public.items (name)`)
	r.deliver(update(s, 1, "tmp", 1, "x"), update(s, 2, "a", 1, "y"), update(s, 1, "b", 1, "x"), insert(s, 3, "c", 0, "z"))
	r.expect(`SELECT id, name FROM public.items`, "1|b", "2|a", "3|c")
}

// An update whose row is not there, because the feed began without a snapshot.
func TestSinkUpdatesBringRows(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	var items []feed.Item
	for i := range 100 {
		items = append(items, update(s, i, "a", 1, "n"))
	}
	r.deliver(items...)
	r.expect(`SELECT count(*) FROM public.items`, "100")
}

func TestSinkPieces(t *testing.T) {
	r := newRig(t, SinkConfig{}, `CREATE TABLE public.wide (id int PRIMARY KEY, v text)`)
	s := r.shape("public.wide")
	v := strings.Repeat("x", 1<<20)
	var items []feed.Item
	for i := range 20 {
		items = append(items, insert(s, i, v))
	}
	if err := r.write(items...); err != nil {
		t.Fatal(err)
	}
	for i := range 20 { // other pieces of the same transaction update and delete them
		items[i] = update(s, i, fmt.Sprint(i))
		if i%2 == 0 {
			items[i] = remove(s, i, nil)
		}
	}
	if err := r.write(items...); err != nil {
		t.Fatal(err)
	}
	if err := r.commit(); err != nil {
		t.Fatal(err)
	}
	r.expect(`SELECT count(*), max(length(v)) FROM public.wide`, "10|2")
}

// More columns than a function takes arguments.
func TestSinkManyColumns(t *testing.T) {
	var cols, vals []string
	args := []any{1}
	for i := range 300 {
		cols = append(cols, fmt.Sprintf("c%d int", i))
		vals = append(vals, fmt.Sprint(i))
		args = append(args, i)
	}
	r := newRig(t, SinkConfig{}, `CREATE TABLE public.wide (id int PRIMARY KEY, `+strings.Join(cols, ", ")+`)`)
	s := r.shape("public.wide")
	r.deliver(insert(s, args...))
	args[1] = -1
	r.deliver(update(s, args...))
	r.expect(`SELECT * FROM public.wide`, "1|-1|"+strings.Join(vals[1:], "|"))
}

// Foreign keys and ordinary triggers at a target whose role may not switch them
// off: parents come first, children go first.
func TestSinkForeignKeys(t *testing.T) {
	ddl := []string{`CREATE TABLE public.child (id int PRIMARY KEY, parent int)`, `CREATE TABLE public.parent (id int PRIMARY KEY, v text)`}
	url := newDB(t)
	admin := dial(t, url)
	role := fmt.Sprintf("plain%d", shared.names.Add(1))
	exec(t, admin, append(ddl, `ALTER TABLE public.child ADD FOREIGN KEY (parent) REFERENCES public.parent`,
		`CREATE ROLE `+role+` LOGIN PASSWORD 'p'`, `GRANT SELECT, INSERT, UPDATE, DELETE ON public.parent, public.child TO `+role,
		`CREATE SCHEMA weir`, `GRANT USAGE, CREATE ON SCHEMA weir TO `+role)...)
	c := admin.Config()
	r := newRig(t, SinkConfig{URL: fmt.Sprintf("postgres://%s:p@%s:%d/%s", role, c.Host, c.Port, c.Database)}, ddl...)
	r.dst = pinnedConn(t, url)
	if r.sink.work.a.replica {
		t.Fatal("a plain role switched triggers off")
	}
	child, parent := r.shape("public.child"), r.shape("public.parent")
	r.deliver(insert(parent, 1, "a"), insert(child, 10, 1), insert(parent, 2, "b"), insert(child, 20, 2))
	// Net, the order of the tables is all that is left.
	r.deliver(insert(child, 30, nil), insert(parent, 3, "c"), update(child, 30, 3), remove(child, 10, nil), remove(parent, 1, nil))
	r.expect(`SELECT * FROM public.child`, "20|2", "30|3")
	// A child goes from an old parent to a new one, and the old one goes.
	r.deliver(insert(parent, 4, "d"), update(child, 20, 4), remove(parent, 2, nil))
	r.expect(`SELECT id FROM public.parent`, "3", "4")
	// Deleted and brought back while a child refers to it: only the order resolves it.
	r.deliver(update(child, 20, nil), remove(parent, 4, nil), insert(parent, 4, "again"), update(child, 20, 4))
	r.expect(`SELECT v FROM public.parent`, "again", "c")
	err := r.try(insert(child, 99, 999))
	wantCode(t, err, weirerr.BadRow, "public.child", "id=99", "child_parent_fkey", "DEFERRABLE")
}
