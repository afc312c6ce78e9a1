package postgres

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// One mutant for each rule of the pure parts of the capture.
func TestCaptureMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"pieces of sub-transactions run together": {"decode.go", "	err := d.flush()\n	d.sub = sub", "	var err error\n	d.sub = sub"},
		"an abort keeps the shapes it told":       {"decode.go", "			delete(t.versions, table)\n", ""},
		"a reader relies on an unfinished one":    {"decode_relation.go", "ok && t != d.block {", "ok && t == d.block {"},
		"a tuple of other columns is taken":       {"decode_row.go", "if n != len(rel.cols) {", "if n > len(rel.cols) {"},
		"an unchanged value is not filled in":     {"decode_row.go", "			if kind == 't' {\n				return row.AppendValue(buf, value)", "			if kind == 'x' {\n				return row.AppendValue(buf, value)"},
		"long rows have a wrong length":           {"decode_row.go", "	if size < 0x80 {", "	if size < 0x100 {"},
		"a slot ahead of us is taken":             {"slot.go", "resume != 0 && st.Confirmed > resume:", "resume != 0 && st.Confirmed > resume+1:"},
		"a column that was replaced keeps its id": {"catalog_ids.go", "a.Num != prev.Columns[i].ID && a.changedBy(xid)", "a.Num != prev.Columns[i].ID && !a.changedBy(xid)"},
		"gaps are filled at a guess":              {"catalog_ids.go", "high == 0 && !dropped &&", "high == 0 &&"},
		"COPY's line ends in values are lost":     {"chunk_copy.go", "			c = '\\n'", "			c = 'n'"},
	} {
		t.Run(name, func(t *testing.T) {
			mutant.Kill(t, ".", m.file, m.old, m.new, "^(TestDecod|TestSlotCheck|TestColumnIDs|FuzzUnescape)")
		})
	}
}
