package reconcile_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
)

// cell is a column of a tuple in text: "-" NULL, "~" Unchanged, else the value.
type cell = string

func tuple(cells ...cell) row.Tuple {
	b := row.AppendTupleHeader(nil, len(cells))
	for _, c := range cells {
		switch c {
		case "-":
			b = row.AppendNull(b)
		case "~":
			b = row.AppendUnchanged(b)
		default:
			b = row.AppendValue(b, []byte(c))
		}
	}
	return b
}

func cells(t row.Tuple) (out []cell) {
	for it := t.Iter(); it.Next(); {
		out = append(out, map[row.State]cell{row.Null: "-", row.Unchanged: "~", row.Present: string(it.Value)}[it.State])
	}
	return out
}

func drawTuple(t *rapid.T, n int, label string) []cell {
	return rapid.SliceOfN(rapid.SampledFrom([]cell{"-", "~", "a", "b", ""}), n, n).Draw(t, label)
}

// What a change says is kept; what it leaves open comes from the other row, and what that
// leaves open too stays open.
func TestFillKeepsWhatIsSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "columns")
		said, other := drawTuple(t, n, "said"), drawTuple(t, rapid.IntRange(0, n).Draw(t, "of"), "other")
		got, missing := reconcile.Fill(nil, tuple(said...), tuple(other...))
		open := false
		for i, c := range cells(got) {
			want := said[i]
			if want == "~" && i < len(other) {
				want = other[i]
			}
			if c != want {
				t.Fatalf("column %d of %q with %q is %q, want %q", i, said, other, c, want)
			}
			open = open || want == "~"
		}
		if got.Len() != n || missing != open {
			t.Fatalf("%q with %q: %d columns, missing %v", said, other, got.Len(), missing)
		}
	})
}

func TestAppendKeyTakesAnUnchangedKeyFromTheOldRow(t *testing.T) {
	for _, c := range []struct {
		columns  []int
		new, old []cell
		want     []cell
	}{
		{[]int{0}, []cell{"1", "x"}, nil, []cell{"1"}},
		{[]int{1, 2}, []cell{"1", "~", "3"}, []cell{"1", "2", "2"}, []cell{"2", "3"}},
		{[]int{0}, []cell{"-", "x"}, nil, []cell{"-"}},
	} {
		var old row.Tuple
		if c.old != nil {
			old = tuple(c.old...)
		}
		got, err := reconcile.AppendKey(nil, c.columns, tuple(c.new...), old)
		if err != nil || string(got) != string(tuple(c.want...)) {
			t.Errorf("key %v of %q, before %q: %q, %v; want %q", c.columns, c.new, c.old, cells(got), err, c.want)
		}
	}
	if got, err := reconcile.AppendKey(nil, []int{0, 4}, tuple("1", "2"), nil); err == nil {
		t.Errorf("a key column that is not there gives %q", cells(got))
	}
}

// upstream is a source that has one row, or none.
type upstream struct {
	reconcile.Source
	now   []cell
	asked []cell
}

func (u *upstream) Fetch(_ context.Context, _ *row.Schema, key row.Tuple) (row.Tuple, bool, error) {
	u.asked = cells(key)
	if u.now == nil {
		return nil, false, nil
	}
	return tuple(u.now...), true, nil
}

// The row of an update that appears: the change, then its old row, then upstream, then NULL.
func TestAppearAsksUpstreamOnlyForWhatIsOpen(t *testing.T) {
	for name, c := range map[string]struct {
		new, old, now []cell
		asked, want   []cell
	}{
		"nothing is open":         {new: []cell{"1", "b", "-"}, want: []cell{"1", "b", "-"}},
		"the old row has it":      {new: []cell{"1", "~", "-"}, old: []cell{"1", "was", "x"}, want: []cell{"1", "was", "-"}},
		"upstream has it":         {new: []cell{"1", "~", "new"}, now: []cell{"1", "now", "later"}, asked: []cell{"1"}, want: []cell{"1", "now", "new"}},
		"upstream has NULL":       {new: []cell{"1", "~", "new"}, now: []cell{"1", "-", "later"}, asked: []cell{"1"}, want: []cell{"1", "-", "new"}},
		"the row is gone by then": {new: []cell{"1", "~", "new"}, asked: []cell{"1"}, want: []cell{"1", "-", "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := &upstream{now: c.now}
			change := &row.Change{Op: row.Update, New: tuple(c.new...)}
			if c.old != nil {
				change.OldKind, change.Old = row.OldFull, tuple(c.old...)
			}
			got, err := reconcile.Appear(t.Context(), u, &row.Schema{}, []int{0}, change)
			if err != nil || string(got) != string(tuple(c.want...)) {
				t.Errorf("%q, %v; want %q", cells(got), err, c.want)
			}
			if string(tuple(u.asked...)) != string(tuple(c.asked...)) {
				t.Errorf("asked for %q, want %q", u.asked, c.asked)
			}
		})
	}
}
