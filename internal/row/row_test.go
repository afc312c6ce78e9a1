package row_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/row"
)

// column is what a test says of one column.
type column struct {
	state row.State
	value []byte
}

func drawColumns(t *rapid.T, label string) []column {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) column {
		c := column{state: row.State(rapid.IntRange(0, 2).Draw(t, "state"))}
		if c.state == row.Present {
			c.value = rapid.SliceOfN(rapid.Byte(), 0, rapid.SampledFrom([]int{3, 300}).Draw(t, "most")).Draw(t, "value")
		}
		return c
	}), 0, 6).Draw(t, label)
}

func tuple(columns []column) row.Tuple {
	b := row.AppendTupleHeader(nil, len(columns))
	for _, c := range columns {
		switch c.state {
		case row.Null:
			b = row.AppendNull(b)
		case row.Unchanged:
			b = row.AppendUnchanged(b)
		case row.Present:
			b = row.AppendValue(b, c.value)
		}
	}
	return b
}

// An empty value, NULL and Unchanged are three things.
func TestTuplesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawColumns(t, "columns")
		tup := tuple(want)
		if tup.Len() != len(want) {
			t.Fatalf("%d columns of %d", tup.Len(), len(want))
		}
		it := tup.Iter()
		for i, c := range want {
			if !it.Next() || it.State != c.state || !bytes.Equal(it.Value, c.value) {
				t.Fatalf("column %d: %v %q (%v), want %v %q", i, it.State, it.Value, it.Err(), c.state, c.value)
			}
		}
		if it.Next() || it.Err() != nil {
			t.Fatalf("more than %d columns, or %v", len(want), it.Err())
		}
	})
}

func drawChange(t *rapid.T) row.Change {
	c := row.Change{
		Op:      rapid.SampledFrom([]row.Op{row.Insert, row.Update, row.Delete, row.Read, row.Truncate, row.SchemaChange}).Draw(t, "op"),
		Table:   row.TableID(rapid.Uint64().Draw(t, "table")),
		Version: rapid.Uint32().Draw(t, "version"),
	}
	switch c.Op {
	case row.Insert, row.Read:
		c.New = tuple(drawColumns(t, "new"))
	case row.Update:
		if c.OldKind = rapid.SampledFrom([]row.OldImage{row.OldNone, row.OldKey, row.OldFull}).Draw(t, "kind"); c.OldKind != row.OldNone {
			c.Old = tuple(drawColumns(t, "old"))
		}
		c.New = tuple(drawColumns(t, "new"))
	case row.Delete:
		c.OldKind = rapid.SampledFrom([]row.OldImage{row.OldKey, row.OldFull}).Draw(t, "kind")
		c.Old = tuple(drawColumns(t, "old"))
	case row.Truncate:
		c.Flags = rapid.Byte().Draw(t, "flags")
	case row.SchemaChange:
		c.Schema = rapid.SliceOf(rapid.Byte()).Draw(t, "schema")
	}
	return c
}

func equal(a, b *row.Change) bool {
	return a.Op == b.Op && a.Table == b.Table && a.Version == b.Version && a.OldKind == b.OldKind && a.Flags == b.Flags &&
		bytes.Equal(a.Old, b.Old) && bytes.Equal(a.New, b.New) && bytes.Equal(a.Schema, b.Schema)
}

// A sequence comes back change by change; a part of it that ends inside a change is an error,
// after all changes before that.
func TestChangesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(drawChange), 1, 5).Draw(t, "changes")
		var buf []byte
		ends := []int{0}
		for i := range want {
			buf = row.AppendChange(buf, &want[i])
			ends = append(ends, len(buf))
		}
		cut := rapid.IntRange(0, len(buf)).Draw(t, "cut")
		it, n := row.Changes(buf[:cut]), 0
		for ; it.Next(); n++ {
			if !equal(&it.Change, &want[n]) {
				t.Fatalf("change %d is %+v, want %+v", n, it.Change, want[n])
			}
			if got := cut - len(it.Rest()); got != ends[n+1] {
				t.Fatalf("change %d ends at %d, want %d", n, got, ends[n+1])
			}
		}
		whole := slices.Contains(ends, cut)
		if before, _ := slices.BinarySearch(ends, cut+1); n != before-1 || whole != (it.Err() == nil) {
			t.Fatalf("cut at %d of %v: %d changes, %v", cut, ends, n, it.Err())
		}
		if !whole && !errors.Is(it.Err(), row.ErrCorrupt) {
			t.Fatalf("cut at %d: %v", cut, it.Err())
		}
	})
}

// A walk over a row is on the path of every row that is delivered.
func TestWalksDoNotAllocate(t *testing.T) {
	c := row.Change{Op: row.Insert, Table: 7, Version: 1, New: tuple([]column{{row.Present, []byte("x")}, {state: row.Null}})}
	buf := row.AppendChange(row.AppendChange(nil, &c), &c)
	if n := testing.AllocsPerRun(100, func() {
		for it := row.Changes(buf); it.Next(); {
			for col := it.Change.New.Iter(); col.Next(); {
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Decoders take any bytes: they end, they do not panic, and what they give is within them.
func FuzzDecode(f *testing.F) {
	c := row.Change{Op: row.Update, Table: 300, Version: 2, OldKind: row.OldKey,
		Old: tuple([]column{{row.Present, []byte("k")}}), New: tuple([]column{{row.Present, []byte("k")}, {state: row.Unchanged}})}
	f.Add(row.AppendChange(nil, &c))
	f.Add([]byte{'I', 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		it := row.Changes(b)
		for it.Next() {
			if again := row.AppendChange(nil, &it.Change); len(again) > len(b) {
				t.Fatalf("%+v is larger than what it was read from", it.Change)
			}
			for _, tup := range []row.Tuple{it.Change.Old, it.Change.New} {
				n := 0
				for col := tup.Iter(); col.Next(); n++ {
				}
				if n > len(tup) {
					t.Fatalf("%d columns in %d bytes", n, len(tup))
				}
			}
		}
	})
}

func TestSchemaNamesItsKey(t *testing.T) {
	s := row.Schema{Namespace: "public", Name: "Order", Columns: []row.Column{{Name: "a", Key: true}, {Name: "b"}, {Name: "c", Key: true}}}
	if got := s.KeyColumns(); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("key columns %v", got)
	}
	if s.FullName() != "public.Order" {
		t.Error(s.FullName())
	}
}
