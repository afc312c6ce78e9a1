package postgres

import (
	"fmt"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// chunkOf is a snapshot chunk whose rows are to be written.
type chunkOf struct {
	r     *rig
	s     *row.Schema
	items []feed.Item
	rng   *feed.ChunkRange
	txn   *feed.Txn
}

// begin announces a chunk with lo < key <= hi; nil is open.
func (r *rig) begin(s *row.Schema, lo, hi row.Tuple) *chunkOf {
	r.t.Helper()
	r.pos.Ts++
	r.pos.Offset = 0
	c := r.resume(s, lo, hi)
	if err := r.sink.BeginChunk(r.t.Context(), s, c.rng); err != nil {
		r.t.Fatal(err)
	}
	return c
}

// resume goes on with a chunk after a restart.
func (r *rig) resume(s *row.Schema, lo, hi row.Tuple) *chunkOf {
	rng := &feed.ChunkRange{Table: s.Table, Lo: lo, Hi: hi}
	return &chunkOf{r: r, s: s, rng: rng, txn: &feed.Txn{Ts: r.pos.Ts, Snapshot: true, Chunk: rng}}
}

func (c *chunkOf) write(rows ...row.Tuple) {
	c.r.t.Helper()
	var items []feed.Item
	for _, t := range rows {
		items = append(items, feed.Item{Schema: c.s, Txn: c.txn, Change: row.Change{Op: row.Read, Table: c.s.Table, Version: c.s.Version, New: t}})
	}
	if err := c.r.sink.Write(c.r.t.Context(), items); err != nil {
		c.r.t.Fatal(err)
	}
}

// commit ends a target transaction; offset is 0 at the chunk's end.
func (r *rig) commitAt(offset uint64) {
	r.t.Helper()
	r.pos.Offset = offset
	if err := r.commit(); err != nil {
		r.t.Fatal(err)
	}
}

func bound(v ...any) row.Tuple { return tuple(v...) }

func TestChunkFirstLoad(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	c := r.begin(s, nil, bound(1000))
	for i := 1; i <= 1000; i++ {
		c.write(tuple(i, "a", i, "n"))
		if i == 400 {
			r.commitAt(uint64(i))
			if pos, ok := r.reopen(); !ok || pos != r.pos {
				t.Fatal(pos, ok)
			}
			c = r.resume(s, nil, bound(1000))
		}
	}
	r.commitAt(0)
	r.begin(s, bound(1000), nil)
	r.commitAt(0)
	r.expect(`SELECT count(*), sum(qty) FROM public.items`, "1000|500500")
	r.deliver(update(s, 5, "b", 0, "n"))
	r.expect(`SELECT count(*) FROM public.items WHERE name = 'b'`, "1")
}

// Rows may be there without a resync: the chunk's rows win, others stay, and
// rows that are equal are not touched.
func TestChunkMerges(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "same", 1, nil), insert(s, 2, "old", 2, "x"), insert(s, 3, "other", 3, "x"))
	before := rows(t, r.dst, `SELECT xmin FROM public.items WHERE id = 1`)
	c := r.begin(s, nil, nil)
	c.write(tuple(1, "same", 1, nil), tuple(2, "new", 2, nil), tuple(4, "four", 4, "x"))
	r.commitAt(0)
	r.expect(`SELECT * FROM public.items`, "1|same|1|NULL", "2|new|2|NULL", "3|other|3|x", "4|four|4|x")
	r.expect(`SELECT xmin FROM public.items WHERE id = 1`, before...)
}

// A resync: after the chunk the range holds its rows and no others, over several
// commits and a restart in the middle, and rows outside the range stay.
func TestChunkReconciles(t *testing.T) {
	r := newRig(t, SinkConfig{Reconcile: true}, `CREATE TABLE public.two (v text, a int, b text, PRIMARY KEY (a, b))`)
	s := r.shape("public.two")
	var items []feed.Item
	for a := range 10 {
		for b := range 100 {
			items = append(items, insert(s, "old", a, fmt.Sprintf("k%02d", b)))
		}
	}
	r.deliver(items...)
	lo, hi := bound(2, "k49"), bound(7, "k10")
	c := r.begin(s, lo, hi)
	c.write(tuple("old", 2, "k50"), tuple("new", 2, "k51"), tuple("new", 3, "zz"))
	r.commitAt(3)
	r.expect(`SELECT count(*) FROM public.two`, "1001")
	r.reopen()
	c = r.resume(s, lo, hi)
	c.write(tuple("new", 7, "k10"))
	r.commitAt(0)
	r.expect(`SELECT count(*) FROM weir.seen`, "0")
	r.expect(`SELECT * FROM public.two WHERE ROW(a, b) > ROW(2, 'k49') AND ROW(a, b) <= ROW(7, 'k10')`, "new|2|k51", "new|3|zz", "new|7|k10", "old|2|k50")
	r.expect(`SELECT count(*) FROM public.two WHERE ROW(a, b) <= ROW(2, 'k49') OR ROW(a, b) > ROW(7, 'k10')`, "539")
	// A chunk without rows empties its range, also when the next chunk follows in
	// the same transaction, and a change of the stream behind it.
	r.begin(s, nil, lo)
	c = r.begin(s, hi, nil)
	c.write(tuple("last", 9, "k99"))
	r.deliver(update(s, "later", 9, "k99"))
	r.expect(`SELECT * FROM public.two`, "later|9|k99", "new|2|k51", "new|3|zz", "new|7|k10", "old|2|k50")
}

func TestChunkReconcilesKeyless(t *testing.T) {
	r := newRig(t, SinkConfig{Reconcile: true}, `CREATE TABLE public.bag (a int)`)
	s := r.shape("public.bag")
	r.deliver(insert(s, 1), insert(s, 1), insert(s, 2))
	c := r.begin(s, nil, nil)
	c.write(tuple(1), tuple(3))
	r.commitAt(2)
	r.reopen()
	c = r.resume(s, nil, nil)
	c.write(tuple(3))
	r.commitAt(0)
	r.expect(`SELECT * FROM public.bag`, "1", "3", "3")
}

// A row of a chunk that meets a constraint: the replay remembers its keys too.
func TestChunkReplays(t *testing.T) {
	r := newRig(t, SinkConfig{Reconcile: true}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a", 1, "x"), insert(s, 2, "b", 1, "y"), insert(s, 3, "gone", 1, "y"))
	exec(t, r.dst, `CREATE UNIQUE INDEX ON public.items (name)`)
	c := r.begin(s, nil, nil)
	c.write(tuple(1, "tmp", 1, "x"), tuple(2, "a", 1, "y"), tuple(4, "b", 1, "y"))
	r.commitAt(0)
	r.expect(`SELECT id, name FROM public.items`, "1|tmp", "2|a", "4|b")
	r.reopen()
	c = r.begin(s, nil, nil)
	err := c.fails(tuple(1, "tmp", 1, "x"), tuple(2, "tmp", 1, "y"))
	wantCode(t, err, weirerr.BadRow, "id=2", "items_name_idx")
}

func (c *chunkOf) fails(rows ...row.Tuple) error {
	c.write(rows...)
	return c.r.commit()
}

// Where the target orders keys otherwise than the bounds say, nothing is deleted.
func TestChunkRefusesAnotherOrder(t *testing.T) {
	r := newRig(t, SinkConfig{Reconcile: true}, `CREATE TABLE public.w (k text PRIMARY KEY)`)
	s := r.shape("public.w")
	exec(t, r.dst, `CREATE TABLE public.w (k text COLLATE "C" PRIMARY KEY)`, `INSERT INTO public.w VALUES ('B'), ('b'), ('C')`)
	c := r.begin(s, bound("a"), bound("c")) // holds B as well, by a collation that ignores case
	wantCode(t, c.fails(tuple("b"), tuple("B")), weirerr.TargetConflict, "collation")
	r.reopen()
	r.expect(`SELECT count(*) FROM public.w`, "3")
}

// A table found empty is taken to stay so. Where somebody else has written, the
// chunk is replayed, and later ones look for themselves.
func TestChunkAhead(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	for n := range 12 {
		lo, hi := bound(n*1000), bound((n+1)*1000)
		if n == 0 {
			lo = nil
		}
		c := r.begin(s, lo, hi)
		for i := range 200 {
			c.write(tuple(n*1000+i+1, "a", i, "n"))
		}
		r.commitAt(100)
		c.write(tuple(n*1000+500, "last", 0, "n"))
		r.commitAt(0)
		if n == 1 {
			exec(t, r.dst, `INSERT INTO public.items VALUES (2010, 'theirs', 1, 'n'), (11010, 'theirs', 1, 'n')`)
		}
		if want := min(n/2, 1); r.sink.work.a.lapses != want {
			t.Fatalf("after chunk %d: %d pieces were refused, want %d", n, r.sink.work.a.lapses, want)
		}
	}
	r.expect(`SELECT count(*), count(*) FILTER (WHERE name = 'theirs') FROM public.items`, "2412|0")
	if pos, ok := r.reopen(); !ok || pos != r.pos {
		t.Fatalf("position %v, want %v", pos, r.pos)
	}
}
