package pgvalue

import (
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/zset"
)

var benchTypes = []datum.TypeRef{datum.Ref(datum.OIDInt8), datum.Ref(datum.OIDInt4), datum.Ref(datum.OIDText), datum.Ref(datum.OIDNumeric),
	datum.Ref(datum.OIDTimestampTZ), datum.Ref(datum.OIDFloat8), datum.Ref(datum.OIDBool), datum.Ref(datum.OIDDate), datum.Ref(datum.OIDUUID)}

var benchTexts = []string{"1234567890123", "-42", "customer number 42", "12345.67", "2024-02-29 12:34:56.789012+00", "3.141592653589793", "t", "2024-02-29",
	"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}

func benchRow(types []datum.TypeRef, texts []string) (image row.Tuple, d *RowDecoder, cols []*zset.Vec) {
	image = row.AppendTupleHeader(nil, len(types))
	source := make([]int, len(types))
	for i, s := range texts {
		image = row.AppendValue(image, []byte(s))
		source[i] = i
		cols = append(cols, zset.NewVec(zset.KindOf(types[i].OID), 1024))
	}
	return image, NewRowDecoder(types, source, len(types)), cols
}

func BenchmarkDecodeRow(b *testing.B) {
	all := func(b *testing.B, types []datum.TypeRef, texts []string) {
		image, d, cols := benchRow(types, texts)
		b.ReportAllocs()
		for b.Loop() {
			for _, v := range cols {
				v.Reset()
			}
			for range 1024 {
				if err := d.DecodeRow(image, cols); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/row")
	}
	b.Run("nine columns", func(b *testing.B) { all(b, benchTypes, benchTexts) })
	for i, t := range benchTypes {
		name, _ := datum.LookupBuiltin(t.OID)
		b.Run(name.Name, func(b *testing.B) { all(b, []datum.TypeRef{t}, benchTexts[i:i+1]) })
	}
}

func BenchmarkAppendText(b *testing.B) {
	image, d, cols := benchRow(benchTypes, benchTexts)
	if err := d.DecodeRow(image, cols); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 256)
	for k, t := range benchTypes {
		name, _ := datum.LookupBuiltin(t.OID)
		b.Run(name.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = AppendText(buf[:0], cols[k], 0, t, Options{})
			}
		})
	}
}

// The log's rows are read, and values are printed, without allocating.
func TestRowsAreReadWithoutAllocating(t *testing.T) {
	image, d, cols := benchRow(benchTypes, benchTexts)
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(500, func() {
		if cols[0].N == 1000 {
			for _, v := range cols {
				v.Reset()
			}
		}
		if err := d.DecodeRow(image, cols); err != nil {
			t.Fatal(err)
		}
		for k, ref := range benchTypes {
			buf = AppendText(buf[:0], cols[k], 0, ref, Options{})
		}
	}); n > 0 {
		t.Errorf("%v allocations a row", n)
	}
}
