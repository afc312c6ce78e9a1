package zset

import (
	"bytes"
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

// Decoders take any bytes; what they take for a value leads back to itself.
func FuzzDecode(f *testing.F) {
	samples := []*Vec{NewVec(Int, 0), NewVec(Float, 0), NewVec(Numeric, 0), NewVec(Interval, 0), NewVec(Bytes, 0)}
	samples[0].AppendInt(-1 << 40)
	samples[1].AppendFloat(-1.5)
	samples[2].AppendNumHere(numeric.Scaled(-12345, 2))
	samples[3].AppendInterval(datum.Interval{Months: -5, Days: 7, Micros: 1 << 50})
	samples[4].AppendString("a\x00b")
	for k, v := range samples {
		v.AppendNull()
		for i := range v.N {
			f.Add(k, AppendKey(nil, v, i, Order{}), false)
			f.Add(k, AppendKey(nil, v, i, Descending), true)
			f.Add(k, AppendExact(nil, v, i), false)
		}
	}
	f.Fuzz(func(t *testing.T, k int, b []byte, desc bool) {
		kind, o := allKinds[uint(k)%5], Order{Desc: desc, NullsFirst: desc}
		v := NewVec(kind, 1)
		if rest, err := DecodeKey(v, b, o); err == nil {
			if key := AppendKey(nil, v, 0, o); !v.Null(0) && !bytes.Equal(key, b[:len(b)-len(rest)]) {
				again := NewVec(kind, 1)
				if _, err := DecodeKey(again, key, o); err != nil || Compare(v, 0, again, 0) != 0 {
					t.Errorf("%x is read as what has the key %x", b, key)
				}
			}
		} else if v.N != 0 {
			t.Errorf("%x: %v, and a value", b, err)
		}
		v = NewVec(kind, 1)
		rest, err := DecodeExact(v, b)
		skipped, skipErr := SkipExact(kind, b)
		if (err == nil) != (skipErr == nil) && kind != Numeric || err == nil && !bytes.Equal(rest, skipped) {
			t.Errorf("%x: decoding leaves %x, %v; skipping %x, %v", b, rest, err, skipped, skipErr)
		}
		if err == nil {
			again := NewVec(kind, 1)
			if _, err := DecodeExact(again, AppendExact(nil, v, 0)); err != nil || values(again)[0] != values(v)[0] {
				t.Errorf("%x does not come back: %v", b, err)
			}
		}
	})
}
