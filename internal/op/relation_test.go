package op_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// The epoch's delta is the difference between the view before and after, each row once.
func TestMaterializeGivesTheConsolidatedDelta(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		kinds := rowKinds
		r := newRig(t, func() op.Operator { return op.NewMaterialize(op.MaterializeConfig{Kinds: kinds}) }, kinds)
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs {
			stored := op.Stored{Kinds: kinds}
			if got := r.stored(&stored); !maps.Equal(got, collect(in[0])) {
				t.Fatalf("stored\n%vwant\n%v", got, collect(in[0]))
			}
			return collect(in[0])
		})
	})
}

// stored are the rows of the first table's store.
func (r *rig) stored(s *op.Stored) zs {
	out := zs{}
	for k, v := range r.store[0] {
		c := zset.NewChunk(s.Kinds, 1)
		if err := s.DecodeRow([]byte(k), []byte(v), c); err != nil {
			r.t.Fatal(err)
		}
		x := rowsOf(c)[0]
		out.add(x.row, x.w)
	}
	return out
}

// With a key, rows of one key may overlap while the epoch runs, not at its end.
func TestMaterializeByKey(t *testing.T) {
	kinds := []zset.Kind{zset.Int, zset.Numeric, zset.Bytes, zset.Numeric}
	checkRig(t, func(t *rapid.T) {
		stored := op.Stored{Kinds: kinds, Key: []int{2, 0}}
		r := newRig(t, func() op.Operator {
			return op.NewMaterialize(op.MaterializeConfig{Kinds: kinds, Key: stored.Key})
		}, kinds)
		present := map[string]row{}
		for range rapid.IntRange(1, 5).Draw(t, "epochs") {
			var delta []weighted
			for range rapid.IntRange(0, 8).Draw(t, "changes") {
				x := small(kinds).Draw(t, "row")
				key := row{x[2], x[0]}.String()
				if old, ok := present[key]; ok {
					delta = append(delta, weighted{old, -1})
					delete(present, key)
				}
				if rapid.IntRange(0, 3).Draw(t, "keep") > 0 {
					delta = append(delta, weighted{x, 1})
					present[key] = x
				}
			}
			r.push(0, rapid.Permutation(delta).Draw(t, "order"))
			r.epoch()
			var want []weighted
			for _, x := range present {
				want = append(want, weighted{x, 1})
			}
			r.expect(collect(want))
			if got := r.stored(&stored); !maps.Equal(got, collect(want)) {
				t.Fatalf("stored\n%vwant\n%v", got, collect(want))
			}
		}
	})
}

func TestANegativeWeightIsAFault(t *testing.T) {
	print := func(dst []byte, in *zset.Chunk, i int) []byte { return append(dst, "the row"...) }
	for name, o := range map[string]op.Operator{
		"materialize": op.NewMaterialize(op.MaterializeConfig{Kinds: leftKinds, Print: print}),
		"keyed":       op.NewMaterialize(op.MaterializeConfig{Kinds: leftKinds, Key: []int{0}, Print: print}),
		"distinct":    op.NewDistinct(op.DistinctConfig{Kinds: leftKinds, Print: print}),
	} {
		t.Run(name, func(t *testing.T) {
			o.Push(0, build(leftKinds, []weighted{{row{int64(1), "a", nil}, -1}}))
			o.Flush()
			var out op.Output
			for out.Fault == nil && o.Run(&out, 100) != op.Done {
			}
			if out.Fault == nil {
				t.Fatal("no fault")
			}
			if !strings.Contains(out.Fault.Error(), "the row") {
				t.Errorf("%v does not show the row", out.Fault)
			}
		})
	}
}

var tableKinds = []zset.Kind{zset.Int, zset.Bytes, zset.Numeric, zset.Bytes}

// writer draws the changes of a table, as a log has them, and knows what the table then holds.
type writer struct {
	t    *rapid.T
	c    op.UpsertConfig
	rows map[string]row // by key
	list []row          // without a key
}

func (w *writer) key(r row) row {
	k := row{}
	for _, c := range w.c.Key {
		k = append(k, r[c])
	}
	return k
}

// fresh draws a row; its key has no NULL.
func (w *writer) fresh() row {
	r := small(tableKinds).Draw(w.t, "row")
	for _, c := range w.c.Key {
		switch tableKinds[c] {
		case zset.Int:
			r[c] = int64(rapid.IntRange(0, 3).Draw(w.t, "key"))
		case zset.Bytes:
			r[c] = rapid.SampledFrom([]string{"", "a", "b\x00c"}).Draw(w.t, "key")
		}
	}
	return r
}

// change is an input row.
func (w *writer) change(what int64, fresh, old row, unchanged any) weighted {
	if fresh == nil {
		fresh = make(row, len(tableKinds))
	}
	if n := len(w.c.Key); w.c.Key == nil {
		n = len(tableKinds)
		if old == nil {
			old = make(row, n)
		}
	} else if old == nil {
		old = make(row, n)
	}
	return weighted{append(append(append(row{what}, fresh...), old...), unchanged), 1}
}

// keyed draws a change of a table with a key.
func (w *writer) keyed() weighted {
	keys := slices.Sorted(maps.Keys(w.rows))
	what := rapid.IntRange(0, 20).Draw(w.t, "what")
	switch {
	case what == 0:
		clear(w.rows)
		return w.change(op.UpsertTruncate, nil, nil, nil)
	case what < 8 || len(keys) == 0:
		r := w.fresh()
		w.rows[w.key(r).String()] = r
		return w.change(op.UpsertInsert, r, nil, nil)
	case what < 12:
		k := rapid.SampledFrom(keys).Draw(w.t, "gone")
		old := w.key(w.rows[k])
		delete(w.rows, k)
		return w.change(op.UpsertDelete, nil, old, nil)
	case what == 12:
		r := w.fresh()
		delete(w.rows, w.key(r).String())
		return w.change(op.UpsertDelete, nil, w.key(r), nil)
	}
	k := rapid.SampledFrom(keys).Draw(w.t, "updated")
	old, r := w.rows[k], w.fresh()
	var oldKey row
	if what < 16 {
		for _, c := range w.c.Key {
			r[c] = old[c]
		}
	} else {
		oldKey = w.key(old)
	}
	given, marks := w.unchanged(r, old)
	delete(w.rows, k)
	w.rows[w.key(r).String()] = r
	return w.change(op.UpsertUpdate, given, oldKey, marks)
}

// unchanged draws columns that keep their old values: r gets them, what is given for the log does not.
func (w *writer) unchanged(r, old row) (given row, marks any) {
	given = slices.Clone(r)
	bits := byte(0)
	for c := range r {
		if !slices.Contains(w.c.Key, c) && rapid.IntRange(0, 3).Draw(w.t, "unchanged") == 0 {
			bits |= 1 << c
			r[c], given[c] = old[c], nil
		}
	}
	if bits == 0 {
		return given, nil
	}
	return given, string([]byte{bits})
}

// byRow draws a change of a table without a key.
func (w *writer) byRow() weighted {
	what := rapid.IntRange(0, 20).Draw(w.t, "what")
	switch {
	case what == 0:
		w.list = nil
		return w.change(op.UpsertTruncate, nil, nil, nil)
	case what < 10 || len(w.list) == 0:
		r := w.fresh()
		w.list = append(w.list, r)
		return w.change(op.UpsertInsert, r, nil, nil)
	}
	i := rapid.IntRange(0, len(w.list)-1).Draw(w.t, "which")
	old := w.list[i]
	if what < 15 {
		w.list = slices.Delete(w.list, i, i+1)
		return w.change(op.UpsertDelete, nil, old, nil)
	}
	r := w.fresh()
	given, marks := w.unchanged(r, old)
	w.list[i] = r
	return w.change(op.UpsertUpdate, given, old, marks)
}

func (w *writer) want() zs {
	out := zs{}
	for _, r := range w.rows {
		out.add(r, 1)
	}
	for _, r := range w.list {
		out.add(r, 1)
	}
	return out
}

func TestUpsertIsTheTable(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		c := op.UpsertConfig{Kinds: tableKinds, Key: rapid.SampledFrom([][]int{{0}, {1}, {1, 0}, nil}).Draw(t, "key"), OldRows: true}
		w := &writer{t: t, c: c, rows: map[string]row{}}
		r := newRig(t, func() op.Operator { return op.NewUpsert(c) }, c.InputKinds())
		stored := op.Stored{Kinds: tableKinds, Key: c.Key}
		for range rapid.IntRange(1, 6).Draw(t, "epochs") {
			var log []weighted
			for range rapid.IntRange(0, 15).Draw(t, "changes") {
				if c.Key != nil {
					log = append(log, w.keyed())
				} else {
					log = append(log, w.byRow())
				}
			}
			r.push(0, log)
			r.epoch()
			if r.fault != nil {
				t.Fatal(r.fault)
			}
			r.expect(w.want())
			if got := r.stored(&stored); !maps.Equal(got, w.want()) {
				t.Fatalf("stored\n%vwant\n%v", got, w.want())
			}
		}
	})
}

// Two shards over one store take back their own rows only, with a key and without.
func TestTruncateTakesTheShardsBuckets(t *testing.T) {
	for _, c := range []op.UpsertConfig{
		{Kinds: []zset.Kind{zset.Int}, Key: []int{0}},
		{Kinds: []zset.Kind{zset.Int}, OldRows: true},
	} {
		stored := &op.Stored{Kinds: c.Kinds, Key: c.Key}
		store := map[string]string{}
		for id := range int64(100) {
			one := build(c.Kinds, []weighted{{row{id}, 1}})
			value := []byte{2} // weight 1
			if c.Key != nil {
				value = zset.AppendExact(value, one.Cols[0], 0)
			}
			store[string(stored.AppendGroup(nil, one, 0))] = string(value)
		}
		total := int64(0)
		for shard := range 2 {
			n := takenBack(t, c, store, shard)
			if n == 0 || n == 100 {
				t.Errorf("key %v: shard %d takes back %d rows of 100", c.Key, shard, n)
			}
			total += n
		}
		if total != 100 {
			t.Errorf("key %v: both take back %d rows, want 100", c.Key, total)
		}
	}
}

// takenBack truncates one of two shards, and checks that its rows are those whose keys lead there.
func takenBack(t *testing.T, c op.UpsertConfig, store map[string]string, shard int) (n int64) {
	u := op.NewUpsert(c)
	u.SetShard(shard, 2)
	u.Tables()[0].SetCold()
	kinds := c.InputKinds()
	truncate := row{int64(op.UpsertTruncate)}
	for len(truncate) < len(kinds) {
		truncate = append(truncate, nil)
	}
	u.Push(0, build(kinds, []weighted{{truncate, 1}}))
	r := &rig{op: u, store: []map[string]string{store}}
	var out op.Output
	for s := u.Run(&out, 7); s != op.Done; s = u.Run(&out, 7) {
		if s == op.Miss {
			r.fill()
		}
	}
	for _, chunk := range out.Chunks {
		for i := range chunk.N {
			n -= chunk.Weight(i)
			var keys zset.Rows
			keys.EncodeKeys(chunk.Cols, chunk.N, nil)
			if at := int(keys.Hash(nil)[i]>>56) % 2; at != shard {
				t.Errorf("key %v: shard %d takes back a row of shard %d", c.Key, shard, at)
			}
		}
	}
	return n
}
