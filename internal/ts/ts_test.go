package ts_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/ts"
)

// The layout is TiDB's. The example is in the manual of its pd-ctl.
func TestLayout(t *testing.T) {
	v, err := ts.Parse("395181938313123110")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2017, 10, 8, 21, 50, 59, 0, time.UTC)
	if v.Time().Truncate(time.Second) != at || v.Logical() != 120102 {
		t.Errorf("%s is %s and %d", v, v.Time(), v.Logical())
	}
	if first := ts.FromTime(v.Time()); first.Logical() != 0 || first.Ms() != v.Ms() {
		t.Errorf("the first of its millisecond is %s", first)
	}
}

func TestPartsAndTextComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms, logical := rapid.Int64Range(0, 1<<45).Draw(t, "ms"), rapid.Uint32Range(0, ts.MaxLogical).Draw(t, "logical")
		v := ts.New(ms, logical)
		if v.Ms() != ms || v.Logical() != logical || v.Time().UnixMilli() != ms {
			t.Fatalf("%d, %d become %d, %d", ms, logical, v.Ms(), v.Logical())
		}
		if back, err := ts.Parse(v.String()); err != nil || back != v {
			t.Fatalf("%s becomes %s, %v", v, back, err)
		}
		if next := ts.New(ms+1, 0); v >= next {
			t.Fatalf("%s is not before the next millisecond, %s", v, next)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for _, s := range []string{"", "-1", "1.5", "now", "18446744073709551616"} {
		if v, err := ts.Parse(s); err == nil {
			t.Errorf("%q is read as %s", s, v)
		}
	}
}
