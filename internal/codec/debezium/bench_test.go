package debezium

import (
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
)

// orders is a table of common types, and one row of it.
func orders() (*row.Schema, *row.Change) {
	types := []uint32{datum.OIDInt8, datum.OIDInt4, datum.OIDText, datum.OIDNumeric, datum.OIDTimestampTZ, datum.OIDBool, datum.OIDUUID, datum.OIDJSONB, datum.OIDDate, datum.OIDFloat8}
	words := []string{"123456", "42", "A customer's note, with a \"quote\"", "1234.56", "2024-02-29_12:34:56.789012+00", "t",
		"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", `{"k": [1, 2, 3]}`, "2024-02-29", "3.25"}
	words[4] = "2024-02-29 12:34:56.789012+00"
	s := &row.Schema{Table: 1, Version: 1, Namespace: "public", Name: "orders"}
	for i, typ := range types {
		s.Columns = append(s.Columns, row.Column{Name: "column_" + string(rune('a'+i)), Type: typ, Typmod: -1, Key: i == 0})
	}
	s.Columns[3].Typmod = numericMod(10, 2)
	return s, &row.Change{Op: row.Insert, Table: 1, Version: 1, New: tuple(words...)}
}

func TestEncodingDoesNotAllocate(t *testing.T) {
	e, _ := New(Options{Source: Source{Version: "0.1.0", Name: "shop", DB: "inventory"}})
	s, c := orders()
	buf := make([]byte, 0, 4096)
	n := testing.AllocsPerRun(100, func() {
		var err error
		if buf, err = e.AppendValue(buf[:0], Create, c, s, &testInfo); err != nil {
			t.Fatal(err)
		}
		buf, err = e.AppendKey(buf, Create, c, s)
	})
	if n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}

func BenchmarkAppendValue(b *testing.B) {
	e, _ := New(Options{Source: Source{Version: "0.1.0", Name: "shop", DB: "inventory"}})
	s, c := orders()
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = e.AppendValue(buf[:0], Create, c, s, &testInfo)
	}
	b.SetBytes(int64(len(buf)))
}
