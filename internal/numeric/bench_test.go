package numeric

import "testing"

const benchRows = 4096

func benchCol(step int64, scale int16) Col {
	var c Col
	for i := range int64(benchRows) {
		c.Nums = append(c.Nums, Scaled(i*step%1000003, scale))
	}
	return c
}

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkColumns(b *testing.B) {
	x, y := benchCol(7919, 2), benchCol(104729, 2)
	rate := Col{Nums: []Num{Scaled(908, 3)}}
	for name, f := range map[string]func(out *Col){
		"add":          func(out *Col) { AddCols(out, x, y, benchRows, nil) },
		"add scales":   func(out *Col) { AddCols(out, x, rate, benchRows, nil) },
		"sub":          func(out *Col) { SubCols(out, x, y, benchRows, nil) },
		"mul constant": func(out *Col) { MulCols(out, x, rate, benchRows, nil) },
	} {
		b.Run(name, func(b *testing.B) {
			var out Col
			for b.Loop() {
				out.Nums = out.Nums[:0]
				f(&out)
			}
			perRow(b)
		})
	}
	for name, f := range map[string]func(i int){
		"cmp": func(i int) { Cmp128(x.Nums[i], y.Nums[i]) },
		"div": func(i int) { Div(nil, V(x.Nums[i]), V(rate.Nums[0])) },
		"key": func(i int) { AppendKey(benchBuf[:0], V(x.Nums[i])) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for i := range benchRows {
					f(i)
				}
			}
			perRow(b)
		})
	}
}

var benchBuf = make([]byte, 0, 64)

func BenchmarkSum(b *testing.B) {
	x := benchCol(7919, 2)
	b.Run("numeric", func(b *testing.B) {
		var s Sum
		for b.Loop() {
			for i := range benchRows {
				s.Add(V(x.Nums[i]), 1, nil)
			}
		}
		perRow(b)
	})
	b.Run("bigint", func(b *testing.B) {
		var s Sum
		for b.Loop() {
			for i := range int64(benchRows) {
				s.AddInt64(i, 1, nil)
			}
		}
		perRow(b)
	})
}

func BenchmarkTranscend(b *testing.B) {
	x, y := n(b, "12345.678"), n(b, "2.5")
	b.Run("sqrt", func(b *testing.B) {
		for b.Loop() {
			Sqrt(nil, x)
		}
	})
	b.Run("ln", func(b *testing.B) {
		for b.Loop() {
			Ln(nil, x)
		}
	})
	b.Run("exp", func(b *testing.B) {
		for b.Loop() {
			Exp(nil, y)
		}
	})
	b.Run("power", func(b *testing.B) {
		for b.Loop() {
			Power(nil, x, y)
		}
	})
}
