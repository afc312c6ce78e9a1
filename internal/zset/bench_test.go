package zset

import (
	"fmt"
	"testing"

	"github.com/weirstream/weir/internal/numeric"
)

const benchRows = 4096

// benchVec is a column of values as streams have them.
func benchVec(kind Kind) *Vec {
	v := NewVec(kind, benchRows)
	for i := range benchRows {
		x := int64(i) * 7919 % 100003
		switch kind {
		case Int:
			v.AppendInt(x * 31)
		case Float:
			v.AppendFloat(float64(x) / 7)
		case Numeric:
			v.AppendNumHere(numeric.Scaled(x*101, 2))
		case Bytes:
			v.AppendString(fmt.Sprintf("customer-%d", x))
		}
	}
	return v
}

var benchColumns = map[string][]Kind{"int": {Int}, "text": {Bytes}, "numeric": {Numeric}, "int+text": {Int, Bytes}, "row": {Int, Int, Bytes, Numeric, Float, Int}}

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func forColumns(b *testing.B, f func(b *testing.B, cols []*Vec)) {
	for name, kinds := range benchColumns {
		cols := make([]*Vec, len(kinds))
		for i, k := range kinds {
			cols[i] = benchVec(k)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f(b, cols)
			perRow(b)
		})
	}
}

func BenchmarkEncodeKeys(b *testing.B) {
	forColumns(b, func(b *testing.B, cols []*Vec) {
		var r Rows
		for b.Loop() {
			r.EncodeKeys(cols, benchRows, nil)
		}
	})
}

func BenchmarkHash(b *testing.B) {
	forColumns(b, func(b *testing.B, cols []*Vec) {
		var r Rows
		var h []uint64
		for b.Loop() {
			r.EncodeKeys(cols, benchRows, nil)
			h = r.Hash(h[:0])
		}
	})
}

func BenchmarkEncodeExact(b *testing.B) {
	forColumns(b, func(b *testing.B, cols []*Vec) {
		var r Rows
		for b.Loop() {
			r.EncodeExact(cols, benchRows)
		}
	})
}

func BenchmarkDecodeExact(b *testing.B) {
	forColumns(b, func(b *testing.B, cols []*Vec) {
		var r Rows
		r.EncodeExact(cols, benchRows)
		out := make([]*Vec, len(cols))
		for i, v := range cols {
			out[i] = NewVec(v.Kind, benchRows)
		}
		for b.Loop() {
			for _, v := range out {
				v.Reset()
			}
			for i := range benchRows {
				if _, err := DecodeExactRow(out, r.At(i)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func BenchmarkConsolidate(b *testing.B) {
	forColumns(b, func(b *testing.B, cols []*Vec) {
		var k Consolidator
		c := &Chunk{N: benchRows, Cols: cols}
		for b.Loop() {
			k.Consolidate(c)
		}
	})
}

func BenchmarkGather(b *testing.B) {
	sel := make([]int32, benchRows)
	for i := range sel {
		sel[i] = int32(i * 7 % benchRows)
	}
	forColumns(b, func(b *testing.B, cols []*Vec) {
		c := &Chunk{N: benchRows, Cols: cols}
		for b.Loop() {
			c.Gather(sel)
		}
	})
}
