package op_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// row is a row as Go values: nil, int64, float64, string (Bytes) or num.
type row []any

// num is a numeric by its text.
type num string

// weighted is a row with a weight.
type weighted struct {
	row row
	w   int64
}

func (r row) String() string { return fmt.Sprintf("%#v", []any(r)) }

// zs is a Z-set in its printed form.
type zs map[string]int64

func (z zs) add(r row, w int64) {
	if z[r.String()] += w; z[r.String()] == 0 {
		delete(z, r.String())
	}
}

// collect makes a Z-set of weighted rows.
func collect(rows []weighted) zs {
	z := zs{}
	for _, r := range rows {
		z.add(r.row, r.w)
	}
	return z
}

func (z zs) String() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(z)) {
		fmt.Fprintf(&b, "%+d %s\n", z[k], k)
	}
	return b.String()
}

// build makes a chunk of rows.
func build(kinds []zset.Kind, rows []weighted) *zset.Chunk {
	c := zset.NewChunk(kinds, len(rows))
	for _, r := range rows {
		for k, v := range c.Cols {
			appendValue(v, r.row[k])
		}
		c.AppendWeight(r.w)
	}
	return c
}

func appendValue(v *zset.Vec, x any) {
	switch x := x.(type) {
	case nil:
		v.AppendNull()
	case int64:
		v.AppendInt(x)
	case float64:
		v.AppendFloat(x)
	case datum.Interval:
		v.AppendInterval(x)
	case string:
		v.AppendString(x)
	case num:
		n, arena, err := numeric.FromText(v.Data, []byte(x))
		if err != nil {
			panic(err)
		}
		v.Data = arena
		v.AppendNumHere(n)
	}
}

// value is value i of a column as a Go value.
func value(v *zset.Vec, i int) any {
	if v.Null(i) {
		return nil
	}
	switch v.Kind {
	case zset.Int:
		return v.Ints[i]
	case zset.Float:
		return v.Floats[i]
	case zset.Numeric:
		return num(numeric.AppendText(nil, v.Num(i)))
	case zset.Interval:
		return v.Intervals[i]
	}
	return string(v.Bytes(i))
}

// rowsOf lists a chunk's rows.
func rowsOf(c *zset.Chunk) (rows []weighted) {
	for i := range c.N {
		r := make(row, len(c.Cols))
		for k, v := range c.Cols {
			if v.N != c.N {
				panic(fmt.Sprintf("column %d has %d values, its chunk %d rows", k, v.N, c.N))
			}
			r[k] = value(v, i)
		}
		rows = append(rows, weighted{r, c.Weight(i)})
	}
	return rows
}

// rig runs an operator as a worker would, with a map for a store.
type rig struct {
	t       *rapid.T
	make    func() op.Operator
	op      op.Operator
	kinds   [][]zset.Kind          // of the inputs
	inputs  []map[string]*weighted // integrated
	store   []map[string]string
	out     zs
	errs    zs
	fault   error
	norm    func(row) row // what equal rows have in common, when not all
	appends []bool        // inputs that only grow
	keeps   bool          // state remains of empty inputs
}

func newRig(t *rapid.T, make func() op.Operator, kinds ...[]zset.Kind) *rig {
	r := &rig{t: t, make: make, op: make(), kinds: kinds, out: zs{}, errs: zs{}, appends: []bool{false, false, false}}
	for range kinds {
		r.inputs = append(r.inputs, map[string]*weighted{})
	}
	for range r.op.Tables() {
		r.store = append(r.store, map[string]string{})
	}
	return r
}

// input is an input's rows, integrated.
func (r *rig) input(port int) (rows []weighted) {
	for _, k := range slices.Sorted(maps.Keys(r.inputs[port])) {
		rows = append(rows, *r.inputs[port][k])
	}
	return rows
}

// delta draws a delta of an input: new rows, present rows gone, rows that come and go,
// in any order.
func (r *rig) delta(port int, draw *rapid.Generator[row]) (delta []weighted) {
	in := r.inputs[port]
	for range rapid.IntRange(0, 12).Draw(r.t, "changes") {
		what := rapid.IntRange(0, 9).Draw(r.t, "what")
		switch keys := slices.Sorted(maps.Keys(in)); {
		case r.appends[port] || what < 5 || len(keys) == 0:
			fresh := weighted{draw.Draw(r.t, "row"), int64(rapid.IntRange(1, 2).Draw(r.t, "weight"))}
			delta = append(delta, fresh)
			r.integrate(port, fresh)
		case what < 8:
			gone := *in[rapid.SampledFrom(keys).Draw(r.t, "gone")]
			gone.w = -rapid.Int64Range(1, gone.w).Draw(r.t, "weight")
			delta = append(delta, gone)
			r.integrate(port, gone)
		default:
			guest := draw.Draw(r.t, "guest")
			delta = append(delta, weighted{guest, -1}, weighted{guest, 1})
		}
	}
	return rapid.Permutation(delta).Draw(r.t, "order")
}

func (r *rig) integrate(port int, x weighted) {
	in := r.inputs[port]
	have := in[x.row.String()]
	if have == nil {
		have = &weighted{x.row, 0}
		in[x.row.String()] = have
	}
	if have.w += x.w; have.w == 0 {
		delete(in, x.row.String())
	}
}

// push hands a delta over in pieces.
func (r *rig) push(port int, delta []weighted) {
	for len(delta) > 0 {
		n := rapid.IntRange(1, len(delta)).Draw(r.t, "piece")
		r.op.Push(port, build(r.kinds[port], delta[:n]))
		delta = delta[n:]
		if rapid.Bool().Draw(r.t, "run now") {
			r.run()
		}
	}
}

// run works until nothing is left.
func (r *rig) run() {
	for range 100_000 {
		var out op.Output
		budget := rapid.SampledFrom([]int{1, 2, 7, 1000}).Draw(r.t, "budget")
		status := r.op.Run(&out, budget)
		r.take(&out)
		if r.fault != nil {
			return
		}
		if status == op.Miss {
			r.fill()
		} else if rapid.IntRange(0, 3).Draw(r.t, "evict") == 0 {
			r.evict()
		}
		if status == op.Done {
			return
		}
	}
	r.t.Fatal("Run does not come to an end")
}

func (r *rig) take(out *op.Output) {
	for _, c := range out.Chunks {
		if c.N == 0 {
			r.t.Fatal("an empty chunk came out")
		}
		for _, x := range rowsOf(c) {
			if x.w == 0 {
				r.t.Fatalf("%v comes out with weight 0", x.row)
			}
			if r.norm != nil {
				x.row = r.norm(x.row)
			}
			r.out.add(x.row, x.w)
		}
	}
	for _, c := range out.Errors {
		for _, x := range rowsOf(c) {
			r.errs.add(x.row, x.w)
		}
	}
	if out.Fault != nil {
		r.fault = out.Fault
	}
}

func (r *rig) evict() {
	for _, t := range r.op.Tables() {
		t.Evict(0)
	}
}

// fill fetches what is missing.
func (r *rig) fill() {
	filled := 0
	for i, t := range r.op.Tables() {
		keys := slices.Sorted(maps.Keys(r.store[i]))
		for _, group := range t.Wanted() {
			filled++
			t.Fill(group, func(yield func(suffix, value []byte) bool) {
				for _, k := range keys {
					if suffix, ok := strings.CutPrefix(k, string(group)); ok && !yield([]byte(suffix), []byte(r.store[i][k])) {
						return
					}
				}
			})
		}
	}
	if filled == 0 {
		r.t.Fatal("Run misses something that is not wanted")
	}
}

// epoch ends the epoch and saves its changes.
func (r *rig) epoch() {
	r.op.Flush()
	r.run()
	if r.fault != nil {
		return
	}
	for i, t := range r.op.Tables() {
		var last []byte
		t.Changes(func(key, value []byte) {
			if bytes.Compare(last, key) >= 0 {
				r.t.Fatalf("changes are not ascending: %q, %q", last, key)
			}
			last = bytes.Clone(key)
			if value == nil {
				delete(r.store[i], string(key))
			} else {
				r.store[i][string(key)] = string(value)
			}
		})
		t.Sealed()
	}
	switch rapid.IntRange(0, 3).Draw(r.t, "after the epoch") {
	case 0:
		r.evict()
	case 1:
		r.restart()
	}
}

// restart goes on with a new operator over the store.
func (r *rig) restart() {
	r.op = r.make()
	for _, t := range r.op.Tables() {
		t.SetCold()
	}
}

// expect compares what came out so far with a Z-set.
func (r *rig) expect(want zs) {
	r.t.Helper()
	if !maps.Equal(r.out, want) {
		r.t.Fatalf("output\n%vwant\n%v", r.out, want)
	}
}

// check runs epochs of random deltas and compares with batch after each.
func (r *rig) check(draw []*rapid.Generator[row], batch func(in [][]weighted) zs) {
	for range rapid.IntRange(1, 5).Draw(r.t, "epochs") {
		for range rapid.IntRange(1, 3).Draw(r.t, "steps") {
			port := rapid.IntRange(0, len(r.kinds)-1).Draw(r.t, "port")
			r.push(port, r.delta(port, draw[port]))
		}
		r.epoch()
		if r.fault != nil {
			r.t.Fatal(r.fault)
		}
		var in [][]weighted
		for port := range r.kinds {
			in = append(in, r.input(port))
		}
		r.expect(batch(in))
	}
	r.empty()
}

// empty checks that no state is left when all rows are taken back.
func (r *rig) empty() {
	for port := range r.kinds {
		if r.appends[port] {
			return
		}
	}
	for port := range r.kinds {
		var all []weighted
		for _, x := range r.input(port) {
			all = append(all, weighted{x.row, -x.w})
			r.integrate(port, weighted{x.row, -x.w})
		}
		r.push(port, all)
	}
	r.epoch()
	for i, s := range r.store {
		if len(s) > 0 && !r.keeps {
			r.t.Fatalf("table %d keeps %q of nothing", i, s)
		}
	}
}

// small draws rows of few values, so that they meet.
func small(kinds []zset.Kind) *rapid.Generator[row] {
	return rapid.Custom(func(t *rapid.T) row {
		r := make(row, len(kinds))
		rapid.Bool().Draw(t, "a row without columns is a draw, too")
		for i, kind := range kinds {
			if rapid.IntRange(0, 6).Draw(t, "null") == 0 {
				continue
			}
			n := rapid.IntRange(-1, 3).Draw(t, "value")
			switch kind {
			case zset.Int:
				r[i] = int64(n) * 70
			case zset.Float:
				r[i] = rapid.SampledFrom([]float64{0, 0.1, 0.2, -1e300, 1e300, 5e-324, math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "float")
			case zset.Numeric:
				r[i] = rapid.SampledFrom([]num{"1.0", "1.00", "-7", "123456789012345678901234567890123456789012.5"}).Draw(t, "numeric")
			case zset.Interval:
				r[i] = rapid.SampledFrom([]datum.Interval{{Months: 1}, {Days: 30}, {Micros: -5}}).Draw(t, "interval")
			case zset.Bytes:
				r[i] = strings.Repeat("x", n+1)
			}
		}
		return r
	})
}

func checkRig(t *testing.T, f func(t *rapid.T)) {
	t.Helper()
	rapid.Check(t, f)
}
