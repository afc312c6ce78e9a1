package zset

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// values are the exact encodings of a column: what it is, apart from how it is held.
func values(v *Vec) []string {
	out := make([]string, v.N)
	for i := range out {
		out[i] = string(AppendExact(nil, v, i))
	}
	return out
}

// check sees that v is whole and has the wanted values.
func check(t *rapid.T, what string, v *Vec, want []string) {
	held := map[Kind]int{Int: len(v.Ints), Float: len(v.Floats), Numeric: len(v.Nums), Interval: len(v.Intervals), Bytes: len(v.Refs)}
	for k, n := range held {
		if k == v.Kind && n != v.N || k != v.Kind && n != 0 {
			t.Fatalf("%s: %d values of kind %d in a column of kind %d with N %d", what, n, k, v.Kind, v.N)
		}
	}
	if v.Nulls != nil && len(v.Nulls) != (v.N+63)/64 {
		t.Fatalf("%s: %d words of NULLs for %d values", what, len(v.Nulls), v.N)
	}
	if n := v.N; v.Nulls != nil && n%64 != 0 && v.Nulls[n/64]>>(n%64) != 0 {
		t.Fatalf("%s: NULLs beyond the %d values: %x", what, n, v.Nulls)
	}
	if got := values(v); !slices.Equal(got, want) {
		t.Fatalf("%s: %x, want %x", what, got, want)
	}
}

// drawRuns is a column in which runs of NULLs are longer than words, too.
func drawRuns(t *rapid.T, kind Kind) *Vec {
	v := NewVec(kind, 0)
	for range rapid.IntRange(0, 3).Draw(t, "runs") {
		n := rapid.SampledFrom([]int{1, 3, 63, 64, 65, 130}).Draw(t, "run")
		if rapid.Bool().Draw(t, "of NULLs") {
			for range n {
				v.AppendNull()
			}
			continue
		}
		one := NewVec(kind, 1)
		drawValue(t, one)
		for range n {
			v.AppendFrom(one, 0)
		}
	}
	return v
}

func TestColumnsAreWhatWasAppended(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(allKinds).Draw(t, "kind")
		a, b := drawRuns(t, kind), drawRuns(t, kind)
		va, vb := values(a), values(b)
		check(t, "drawn", a, va)
		sel := rapid.SliceOfN(rapid.Int32Range(0, int32(max(a.N-1, 0))), 0, 200).Draw(t, "sel")
		if a.N == 0 {
			sel = nil
		}
		var picked []string
		for _, i := range sel {
			picked = append(picked, va[i])
		}
		gathered := a.Gather(sel)
		check(t, "gathered", gathered, picked)
		lo := rapid.IntRange(0, a.N).Draw(t, "lo")
		hi := rapid.IntRange(lo, a.N).Draw(t, "hi")
		check(t, "sliced", a.Slice(lo, hi), va[lo:hi])
		both := NewVec(kind, 0)
		both.AppendAll(a)
		both.AppendAll(b)
		both.AppendAll(gathered)
		check(t, "joined", both, append(append(slices.Clone(va), vb...), picked...))
		one := NewVec(kind, 0)
		for i := range both.N {
			one.AppendFrom(both, i)
		}
		check(t, "one by one", one, values(both))
		n := rapid.IntRange(0, one.N).Draw(t, "n")
		want := values(one)[:n]
		one.Truncate(n)
		check(t, "truncated", one, want)
		drawValue(t, one)
		check(t, "appended after", one, append(want, values(one)[n]))
		if a.N > 0 {
			check(t, "constant", a.Constant(0, 70), slices.Repeat(va[:1], 70))
		}
		check(t, "at the end as at first", a, va)
	})
}

// A consolidated chunk is the same Z-set, with every row once and no weight 0.
func TestConsolidateKeepsTheZSet(t *testing.T) {
	var k Consolidator
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom(allKinds), 0, 3).Draw(t, "kinds")
		pool := NewChunk(kinds, 3)
		for range 3 {
			for _, v := range pool.Cols {
				drawValue(t, v)
			}
			pool.AppendWeight(1)
		}
		var chunks []*Chunk
		want := map[string]int64{}
		for range rapid.IntRange(1, 3).Draw(t, "chunks") {
			c := NewChunk(kinds, 0)
			for range rapid.IntRange(0, 6).Draw(t, "rows") {
				i := rapid.IntRange(0, 2).Draw(t, "row")
				w := int64(rapid.IntRange(-2, 2).Draw(t, "weight"))
				c.AppendRow(pool, i, w)
				want[string(AppendExactRow(nil, pool.Cols, i))] += w
			}
			chunks = append(chunks, c)
		}
		all := Concat(chunks)
		got := map[string]int64{}
		out := k.Consolidate(all)
		for i := range out.N {
			row := string(AppendExactRow(nil, out.Cols, i))
			if _, twice := got[row]; twice || out.Weight(i) == 0 {
				t.Fatalf("row %x has weight %d, seen before: %v", row, out.Weight(i), twice)
			}
			got[row] = out.Weight(i)
		}
		for row, w := range want {
			if w == 0 {
				delete(want, row)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%x, want %x", got, want)
		}
		if neg := k.Consolidate(Concat([]*Chunk{all, all.Negate()})); neg.N != 0 {
			t.Fatalf("a chunk less itself has %d rows", neg.N)
		}
	})
}

// The batch forms give what the single ones give.
func TestBatchesAreRowByRow(t *testing.T) {
	var r Rows
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "rows")
		var cols []*Vec
		var order []Order
		for range rapid.IntRange(1, 3).Draw(t, "columns") {
			cols = append(cols, drawVec(t, rapid.SampledFrom(allKinds).Draw(t, "kind"), n))
			order = append(order, Order{rapid.Bool().Draw(t, "desc"), rapid.Bool().Draw(t, "nulls first")})
		}
		if rapid.Bool().Draw(t, "plain") {
			order = nil
		}
		r.EncodeKeys(cols, n, order)
		hashes := r.Hash(nil)
		for i := range n {
			var want []byte
			for k, v := range cols {
				var o Order
				if order != nil {
					o = order[k]
				}
				want = AppendKey(want, v, i, o)
			}
			if string(r.At(i)) != string(want) || hashes[i] != Hash(want) || r.Len() != n {
				t.Fatalf("row %d: %x, want %x", i, r.At(i), want)
			}
		}
		r.EncodeExact(cols, n)
		back := make([]*Vec, len(cols))
		for k, v := range cols {
			back[k] = NewVec(v.Kind, n)
		}
		for i := range n {
			if rest, err := DecodeExactRow(back, r.At(i)); err != nil || len(rest) > 0 {
				t.Fatalf("row %d: %x left, %v", i, rest, err)
			}
		}
		for k, v := range cols {
			check(t, "decoded", back[k], values(v))
		}
	})
}
