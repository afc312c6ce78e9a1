package pgvalue

import (
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/zset"
)

var fuzzTypes = []datum.TypeRef{
	datum.Ref(datum.OIDBool), datum.Ref(datum.OIDInt2), datum.Ref(datum.OIDInt4), datum.Ref(datum.OIDInt8), datum.Ref(datum.OIDOID), datum.Ref(datum.OIDFloat4),
	datum.Ref(datum.OIDFloat8), datum.Ref(datum.OIDNumeric), {OID: datum.OIDNumeric, Mod: 10<<16 | 2 + 4}, datum.Ref(datum.OIDText), {OID: datum.OIDVarchar, Mod: 7},
	{OID: datum.OIDBpchar, Mod: 7}, datum.Ref(datum.OIDBytea), datum.Ref(datum.OIDUUID), datum.Ref(datum.OIDDate), datum.Ref(datum.OIDTime), datum.Ref(datum.OIDTimeTZ),
	datum.Ref(datum.OIDTimestamp), {OID: datum.OIDTimestampTZ, Mod: 3}, datum.Ref(datum.OIDInterval), datum.Ref(datum.OIDJSON), datum.Ref(datum.OIDJSONB),
	datum.Ref(datum.OIDMoney), datum.Ref(1007), datum.Ref(1009), datum.Ref(1231), datum.Ref(1185), datum.Ref(1001), datum.Ref(3807),
}

// Any text is a value or a fault; a value's text reads back as that value, and so do its octets.
func FuzzValue(f *testing.F) {
	for k, s := range []string{"t", "1", "-5", "99999999999", "7", "1.5", "1e300", "1.10", "12345678.995", "é", "abc  ", "a", `\x00ff`, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
		"2024-02-29", "10:00 PM", "10:00+02", "Jan 5 2024 10:00", "2024-01-01 EST", "1 day 2 hours ago", `{"a":1}`, `{"b":[1,2],"a":"\u00e9"}`, "$1.00", "{1,NULL}", `[2:3]={"a b",c}`, "{1.1}", "{2024-01-01}", "{}", "{1}"} {
		f.Add(k, []byte(s))
	}
	f.Fuzz(func(t *testing.T, k int, text []byte) {
		ref := fuzzTypes[uint(k)%uint(len(fuzzTypes))]
		kind := zset.KindOf(ref.OID)
		v := zset.NewVec(kind, 1)
		if err := AppendValue(v, ref, text, Options{}); err != nil {
			if _, ours := err.(*Error); !ours || v.N != 0 || len(v.Data) != 0 {
				t.Fatalf("%q: %v (%T), %d values", text, err, err, v.N)
			}
			_ = ParseBinary(v, ref, text)
			return
		}
		shown := AppendText(nil, v, 0, ref, Options{})
		again := zset.NewVec(kind, 1)
		if err := AppendValue(again, ref, shown, Options{}); err != nil {
			t.Fatalf("%q is shown as %q, which is refused: %v", text, shown, err)
		}
		if back := AppendText(nil, again, 0, ref, Options{}); string(back) != string(shown) {
			t.Fatalf("%q is shown as %q, which is shown as %q", text, shown, back)
		}
		if HasBinary(ref.OID) && CheckUTF8(text) == nil {
			checkBinary(t, v, ref)
		}
	})
}

func FuzzBinary(f *testing.F) {
	for k, s := range []string{"\x01", "\x00\x01", "\x00\x02\x00\x00\x40\x00\x00\x02\x00\x01\x13\x88", "\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x17\x00\x00\x00\x01\x00\x00\x00\x01\xff\xff\xff\xff"} {
		f.Add(k, []byte(s))
		f.Add(k+7, []byte(s))
		f.Add(k+23, []byte(s))
	}
	f.Fuzz(func(t *testing.T, k int, b []byte) {
		ref := fuzzTypes[uint(k)%uint(len(fuzzTypes))]
		v := zset.NewVec(zset.KindOf(ref.OID), 1)
		if err := ParseBinary(v, ref, b); err != nil {
			if _, ours := err.(*Error); !ours || v.N != 0 {
				t.Fatalf("%x: %v (%T), %d values", b, err, err, v.N)
			}
			return
		}
		checkBinary(t, v, ref)
	})
}

// Any octets are a row or a fault, and a fault leaves the columns as they were.
func FuzzDecodeRow(f *testing.F) {
	image, _, _ := benchRow(benchTypes, benchTexts)
	f.Add([]byte(image))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, d, cols := benchRow(benchTypes, benchTexts)
		err := d.DecodeRow(row.Tuple(b), cols)
		for _, v := range cols {
			if err == nil && v.N != 1 || err != nil && v.N != 0 {
				t.Fatalf("%x: %v, %d values", b, err, v.N)
			}
		}
	})
}
