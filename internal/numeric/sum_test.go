package numeric

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func drawVal(t *rapid.T, label string) Val {
	text := rapid.OneOf(rapid.StringMatching(`-?[0-9]{1,6}(\.[0-9]{1,3})?`), rapid.StringMatching(`-?[0-9]{1,60}(\.[0-9]{1,30})?`),
		rapid.SampledFrom([]string{"0", "0.00", "NaN", "Infinity", "-Infinity", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999", "1e37", "1000000000000000000000000001", "-1000000000.000000000000000000001"})).Draw(t, label)
	n, arena, err := FromText(nil, []byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	return Val{n, arena}
}

// In whatever order values come and go, the state is that of those that stay; it
// survives being stored; and its value is what adding them gives.
func TestSumIsOfWhatStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stay := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Val { return drawVal(t, "stay") }), 0, 6).Draw(t, "stays")
		gone := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Val { return drawVal(t, "gone") }), 0, 6).Draw(t, "goes")
		type step struct {
			v Val
			w int64
		}
		var steps []step
		for _, v := range stay {
			steps = append(steps, step{v, 1})
		}
		for _, v := range gone {
			w := rapid.SampledFrom([]int64{1, 2, 1 << 40}).Draw(t, "weight")
			steps = append(steps, step{v, w}, step{v, -w})
		}
		var want, got Sum
		var wantSpill, spill []byte
		for _, v := range stay {
			wantSpill = want.Add(v, 1, wantSpill)
		}
		for _, k := range rapid.Permutation(steps).Draw(t, "order") {
			spill = got.Add(k.v, k.w, spill)
			var fixed [SumSize]byte
			if got.Put(fixed[:]); LoadSum(fixed[:]) != got || got.Spilled() != (len(spill) > 0) {
				t.Fatalf("%+v has the fixed form %x, spill %x", got, fixed, spill)
			}
			stored := AppendSum(nil, &got, spill)
			back, backSpill, rest, err := DecodeSum(stored)
			if err != nil || len(rest) > 0 || back != got || !bytes.Equal(backSpill, spill) {
				t.Fatalf("%+v %x stored as %x is read as %+v %x, %v", got, spill, stored, back, backSpill, err)
			}
		}
		if got != want || !bytes.Equal(spill, wantSpill) {
			t.Fatalf("%+v %x, want %+v %x", got, spill, want, wantSpill)
		}
		checkSum(t, &got, spill, stay)
		var left, right Sum
		var leftSpill, rightSpill []byte
		for i, v := range stay {
			if i%2 == 0 {
				leftSpill = left.Add(v, 1, leftSpill)
			} else {
				rightSpill = right.Add(v, 1, rightSpill)
			}
		}
		leftSpill = left.Merge(&right, rightSpill, leftSpill)
		if left != want || !bytes.Equal(leftSpill, wantSpill) {
			t.Fatalf("halves merge to %+v %x, want %+v %x", left, leftSpill, want, wantSpill)
		}
	})
}

func checkSum(t *rapid.T, s *Sum, spill []byte, of []Val) {
	total := V(Num{})
	for _, v := range of {
		n, arena, err := Add(nil, total, v)
		if err != nil {
			t.Fatal(err)
		}
		total = Val{n, arena}
	}
	n, arena, err := s.Value(nil, spill)
	if got := str(Val{n, arena}); err != nil || got != str(total) || s.Count(spill) != int64(len(of)) {
		t.Fatalf("sum %s of %d, %v; want %s of %d", got, s.Count(spill), err, str(total), len(of))
	}
}

func TestSumDoesNotAllocate(t *testing.T) {
	a, b := n(t, "12345.67"), n(t, "-3.10")
	var s Sum
	if allocs := testing.AllocsPerRun(100, func() {
		s.Add(a, 1, nil)
		s.Add(b, 3, nil)
		s.Add(a, -1, nil)
		s.Add(b, -3, nil)
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
