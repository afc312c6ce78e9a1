package zset

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

var allKinds = []Kind{Int, Float, Numeric, Interval, Bytes}

// drawValue appends a random value, now and then NULL, often one of a few.
func drawValue(t *rapid.T, v *Vec) {
	if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
		v.AppendNull()
		return
	}
	switch v.Kind {
	case Int:
		v.AppendInt(drawInt(t))
	case Float:
		v.AppendFloat(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0xfff8000000000001), math.Inf(1), math.Inf(-1), 1, 1.5})).Draw(t, "float"))
	case Numeric:
		text := rapid.OneOf(rapid.SampledFrom([]string{"0", "0.00", "1.10", "1.1", "-1.1", "NaN", "Infinity", "-Infinity", "1e40", "-1e40", "1e-30", "100", "1e2"}),
			rapid.StringMatching(`-?[0-9]{1,45}(\.[0-9]{1,30})?`), rapid.StringMatching(`-?[0-9]{1,5}(\.[0-9]{1,3})?`)).Draw(t, "numeric")
		n, arena, err := numeric.FromText(v.Data, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		v.Data = arena
		v.AppendNumHere(n)
	case Interval:
		v.AppendInterval(datum.Interval{Months: int32(drawInt(t)), Days: int32(drawInt(t)), Micros: drawInt(t)})
	case Bytes:
		v.AppendBytes(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 'a', 'b', 0xfe, 0xff}), 0, 6).Draw(t, "bytes"))
	}
}

func drawInt(t *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(-300, 300), rapid.Int64(), rapid.SampledFrom([]int64{-23, -24, 223, 224, 100, 101, -100, -101, math.MinInt64, math.MaxInt64, 1 << 31, -1 << 31, 86400000000, 30, 1 << 16, -1 << 16})).Draw(t, "int")
}

func drawVec(t *rapid.T, kind Kind, n int) *Vec {
	v := NewVec(kind, n)
	for range n {
		drawValue(t, v)
	}
	return v
}

// The order of keys is the order of values, and no key is another's prefix.
func TestKeysSortLikeValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(allKinds).Draw(t, "kind")
		o := Order{rapid.Bool().Draw(t, "desc"), rapid.Bool().Draw(t, "nulls first")}
		v := drawVec(t, kind, 2)
		a, b := AppendKey(nil, v, 0, o), AppendKey(nil, v, 1, o)
		if got, want := bytes.Compare(a, b), compareValues(v, 0, 1, o); got != want {
			t.Fatalf("keys %x, %x compare %d, the values %d", a, b, got, want)
		}
		if !bytes.Equal(a, b) && (bytes.HasPrefix(a, b) || bytes.HasPrefix(b, a)) {
			t.Fatalf("%x and %x: one is a prefix of the other", a, b)
		}
		rest, err := SkipKey(kind, append(a, b...), o)
		if err != nil || !bytes.Equal(rest, b) {
			t.Fatalf("skipping %x in %x%x leaves %x, %v", a, a, b, rest, err)
		}
		out := NewVec(kind, 2)
		if rest, err = DecodeKey(out, rest, o); err != nil || len(rest) != 0 || !bytes.Equal(AppendKey(nil, out, 0, o), b) {
			t.Fatalf("%x decodes to what has the key %x, %v", b, AppendKey(nil, out, 0, o), err)
		}
	})
}

// compareValues is PostgreSQL's comparison, the slow way.
func compareValues(v *Vec, i, j int, o Order) int {
	a, b := v.Null(i), v.Null(j)
	if a || b {
		c := 0
		if a != b {
			c = 1
			if a == o.NullsFirst {
				c = -1
			}
		}
		return c
	}
	c := Compare(v, i, v, j)
	if o.Desc {
		c = -c
	}
	return c
}

// What was encoded exactly comes back exactly, whatever follows.
func TestExactComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(allKinds).Draw(t, "kind")
		v := drawVec(t, kind, 3)
		b := append(AppendExact(nil, v, 0), 7)
		out := NewVec(kind, 1)
		rest, err := DecodeExact(out, b)
		if err != nil || len(rest) != 1 || !bytes.Equal(AppendExact(nil, out, 0), b[:len(b)-1]) || out.Null(0) != v.Null(0) {
			t.Fatalf("%x decodes to what encodes as %x, rest %x, %v", b, AppendExact(nil, out, 0), rest, err)
		}
		if skipped, err := SkipExact(kind, b); err != nil || len(skipped) != 1 {
			t.Fatalf("skipping %x leaves %x, %v", b, skipped, err)
		}
		if _, err := DecodeExact(NewVec(kind, 1), b[:len(b)-2]); err == nil && len(b) > 2 {
			t.Fatalf("%x cut short is taken for a value", b)
		}
	})
}
