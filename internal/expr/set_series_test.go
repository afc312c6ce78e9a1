package expr

import (
	"testing"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// TestSeriesOfNumbersComeByPieces: pieces give what the whole does, and a series without an end is
// refused before its first row.
func TestSeriesOfNumbersComeByPieces(t *testing.T) {
	r := Builtins()
	numeric := datum.Ref(datum.OIDNumeric)
	series := func(texts ...string) (*Expander, []*zset.Vec) {
		var args []*zset.Vec
		types := make([]datum.TypeRef, len(texts))
		for i, s := range texts {
			v := zset.NewVec(zset.Numeric, 1)
			if err := pgvalue.AppendValue(v, numeric, []byte(s), pgvalue.Options{}); err != nil {
				t.Fatal(err)
			}
			args, types[i] = append(args, v), numeric
		}
		for _, f := range r.sets["generate_series"] {
			if f.Result == datum.OIDNumeric && len(f.Args) == len(texts) {
				return f.NewExpander(types), args
			}
		}
		t.Fatal("there is no such series")
		return nil, nil
	}
	for _, of := range [][]string{{"1", "100"}, {"1.5", "-20", "-0.25"}, {"0.10", "3", "0.001"}, {"5", "4"}} {
		x, args := series(of...)
		whole, parts := zset.NewVec(zset.Numeric, 0), zset.NewVec(zset.Numeric, 0)
		if _, more, err := x.Expand(&Env{}, args, 0, 0, maxHeld, whole); err != nil || more {
			t.Fatalf("%v: %v, more: %v", of, err, more)
		}
		for {
			_, more, err := x.Expand(&Env{}, args, 0, parts.N, 7, parts)
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
		}
		text := func(v *zset.Vec) (all string) {
			for i := range v.N {
				all += string(pgvalue.AppendText(nil, v, i, numeric, pgvalue.Options{})) + " "
			}
			return all
		}
		if a, b := text(whole), text(parts); a != b {
			t.Errorf("%v by pieces:\n%s\nand whole:\n%s", of, b, a)
		}
	}
	x, args := series("5", "9223372036854775808")
	if n, _, err := x.Expand(&Env{}, args, 0, 0, 10, zset.NewVec(zset.Numeric, 0)); err == nil || n != 0 || err.Code != "54000" {
		t.Errorf("a series of 2^63: %d rows, %v", n, err)
	}
}
