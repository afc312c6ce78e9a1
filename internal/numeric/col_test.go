package numeric

import (
	"testing"

	"pgregory.net/rapid"
)

// A kernel gives row by row what the function gives, and reports the rows that have none.
func TestColumnsAreRowByRow(t *testing.T) {
	kernels := map[string]struct {
		cols func(out *Col, a, b Col, n int, fail func(i int, err error))
		one  kernel
	}{"add": {AddCols, Add}, "sub": {SubCols, Sub}, "mul": {MulCols, Mul}}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "rows")
		column := func(label string) (c Col) {
			size := n
			if rapid.Bool().Draw(t, label+" is constant") {
				size = 1
			}
			for range size {
				var m Num
				m, c.Arena = Copy(c.Arena, drawVal(t, label))
				c.Nums = append(c.Nums, m)
			}
			return c
		}
		a, b := column("a"), column("b")
		for name, k := range kernels {
			out := Col{Nums: []Num{{Lo: 7}}, Arena: []byte("before")}
			failed := map[int]error{}
			k.cols(&out, a, b, n, func(i int, err error) { failed[i] = err })
			if len(out.Nums) != n+1 || out.Nums[0].Lo != 7 || string(out.Arena[:6]) != "before" {
				t.Fatalf("%s: %+v", name, out)
			}
			for i := range n {
				want, arena, err := k.one(nil, a.Val(i*stride(a)), b.Val(i*stride(b)))
				if err != nil {
					if failed[i] != err {
						t.Fatalf("%s row %d: %v, want %v", name, i, failed[i], err)
					}
					continue
				}
				if got := out.Val(i + 1); str(got) != str(Val{want, arena}) || failed[i] != nil {
					t.Fatalf("%s row %d: %s, want %s", name, i, str(got), str(Val{want, arena}))
				}
			}
		}
	})
}

func TestAColumnReportsItsOverflow(t *testing.T) {
	huge := n(t, "9e131071")
	a := Col{Nums: []Num{{}, huge.Num, {}}, Arena: huge.Arena}
	for name, cols := range map[string]func(out *Col, a, b Col, n int, fail func(i int, err error)){"add": AddCols, "mul": MulCols} {
		var out Col
		rows := map[int]error{}
		cols(&out, a, a, 3, func(i int, err error) { rows[i] = err })
		if len(rows) != 1 || rows[1] != errOverflow {
			t.Errorf("%s: %v", name, rows)
		}
	}
}
