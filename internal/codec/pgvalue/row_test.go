package pgvalue

import (
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/zset"
)

func TestDecodeRow(t *testing.T) {
	image := row.AppendTupleHeader(nil, 4)
	image = row.AppendValue(image, []byte("42"))
	image = row.AppendUnchanged(image)
	image = row.AppendValue(image, []byte("ignored"))
	image = row.AppendValue(image, []byte("1.50"))
	types := []datum.TypeRef{{OID: datum.OIDNumeric, Mod: -1}, datum.Ref(datum.OIDText), datum.Ref(datum.OIDInt4), datum.Ref(datum.OIDText)}
	d := NewRowDecoder(types, []int{3, 1, 0, -1}, 4)
	cols := make([]*zset.Vec, len(types))
	for k, ref := range types {
		cols[k] = zset.NewVec(zset.KindOf(ref.OID), 1)
	}
	if err := d.DecodeRow(image, cols); err != nil {
		t.Fatal(err)
	}
	if len(d.Unchanged) != 1 || d.Unchanged[0] != 1 || cols[2].Ints[0] != 42 || !cols[1].Null(0) || !cols[3].Null(0) {
		t.Errorf("unchanged %v, columns %+v", d.Unchanged, cols)
	}
	if got := string(AppendText(nil, cols[0], 0, types[0], Options{})); got != "1.50" {
		t.Errorf("numeric %s", got)
	}
	bad := row.AppendTupleHeader(nil, 4)
	for _, s := range []string{"43", "x", "y", "z"} {
		bad = row.AppendValue(bad, []byte(s))
	}
	if err := d.DecodeRow(bad, cols); err == nil {
		t.Error("a numeric z is taken")
	}
	for k, v := range cols {
		if v.N != 1 {
			t.Errorf("column %d has %d values after a row that failed", k, v.N)
		}
	}
}
