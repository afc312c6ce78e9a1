package reconcile_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
)

// slots is what a source's Locate answers: for each key, how many bounds lie below it.
func slots(bounds, keys []row.Tuple) []int {
	out := make([]int, len(keys))
	for i, k := range keys {
		for _, b := range bounds {
			if bytes.Compare(b, k) < 0 {
				out[i]++
			}
		}
	}
	return out
}

// consumer has tables 1 and 2 under snapshot, with some chunks of ten keys, and table 3 known.
func consumer(t *rapid.T) *backfill.Consumer {
	c := backfill.NewConsumer("c")
	c.Adopt(3)
	for table := row.TableID(1); table <= 2; table++ {
		c.Start(table)
		for chunk := range 10 {
			if rapid.Bool().Draw(t, "chunk") {
				m := backfill.Marker{Consumer: "c", Table: table, Chunk: chunk, Read: uint64(chunk), End: []byte{9}, Visible: backfill.Visibility{
					Xmin: 1000 + rapid.Uint64Range(0, 5).Draw(t, "xmin"), Xmax: 1010,
				}}
				m.Visible.Xip = []uint64{m.Visible.Xmin}
				if chunk > 0 {
					m.Lo = tuple(fmt.Sprintf("%d9", chunk-1))
				}
				if chunk < 9 {
					m.Hi = tuple(fmt.Sprintf("%d9", chunk))
				}
				c.Marker(&m)
			}
		}
	}
	return c
}

func drawKey(t *rapid.T) cell { return fmt.Sprintf("%02d", rapid.IntRange(0, 99).Draw(t, "key")) }

func drawChange(t *rapid.T) row.Change {
	c := row.Change{Table: row.TableID(rapid.IntRange(1, 3).Draw(t, "table")), Version: 1}
	switch k := drawKey(t); rapid.IntRange(0, 20).Draw(t, "kind") {
	case 0:
		c.Op = row.Truncate
	case 1:
		c.Op, c.Schema = row.SchemaChange, []byte("{}")
	case 2, 3, 4, 5:
		c.Op, c.OldKind, c.Old = row.Delete, row.OldKey, tuple(k, "-")
	case 6, 7, 8, 9:
		c.Op, c.New = row.Update, tuple(k, "v")
	case 10, 11, 12, 13:
		c.Op, c.OldKind, c.Old, c.New = row.Update, row.OldKey, tuple(drawKey(t), "-"), tuple(k, "v")
	default:
		c.Op, c.New = row.Insert, tuple(k, "v")
	}
	return c
}

// expected decides about one change by itself.
func expected(c *backfill.Consumer, change *row.Change, xid uint64) backfill.Verdict {
	slot := func(t row.Tuple) int {
		it := t.Iter()
		it.Next()
		return slots(c.Bounds(change.Table), []row.Tuple{tuple(string(it.Value))})[0]
	}
	d := c.Decider(change.Table)
	switch {
	case change.OldKind == row.OldNone:
		return d.Insert(slot(change.New), xid)
	case len(change.New) == 0:
		return d.Insert(slot(change.Old), xid)
	case slot(change.Old) == slot(change.New):
		return d.Insert(slot(change.New), xid)
	}
	return d.Update(slot(change.Old), slot(change.New), xid)
}

// A run decided together has the verdicts that its changes have one by one, and asks the
// source once for each table.
func TestRunsAreDecidedAsTheirChangesAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := consumer(t)
		asked := map[row.TableID]int{}
		f := reconcile.Finder{Consumer: c,
			Key: func(row.TableID, uint32) ([]int, bool, error) { return []int{0}, true, nil },
			Locate: func(_ context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error) {
				asked[table]++
				return slots(bounds, keys), nil
			}}
		units := make([][]byte, rapid.IntRange(1, 8).Draw(t, "units"))
		for i := range units {
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				change := drawChange(t)
				units[i] = row.AppendChange(units[i], &change)
			}
		}
		for done := 0; done < len(units); {
			clear(asked)
			n, err := f.Prepare(t.Context(), units[done:])
			if err != nil || n < 1 {
				t.Fatalf("%d units, %v", n, err)
			}
			together := n > 1
			for i, unit := range units[done : done+n] {
				xid := uint64(1000 + done + i)
				for it := row.Changes(unit); it.Next(); {
					change := &it.Change
					if turns := change.Op == row.SchemaChange || change.Op == row.Truncate && c.Active(change.Table); turns {
						if together {
							t.Fatalf("unit %d of %d changes what slots mean", i, n)
						}
						continue
					}
					if !c.Active(change.Table) {
						continue
					}
					got, err := f.Verdict(t.Context(), change, []int{0}, xid)
					if want := expected(c, change, xid); err != nil || got != want {
						t.Fatalf("change %c of %d: %v, %v; want %v", change.Op, change.Table, got, err, want)
					}
				}
			}
			for table, n := range asked {
				if together && n > 1 {
					t.Fatalf("asked %d times about table %d", n, table)
				}
			}
			done += n
		}
	})
}

// A table that was not met before is begun by the one change that shows it.
func TestNewTablesGoAlone(t *testing.T) {
	c := backfill.NewConsumer("c")
	c.Start(1)
	f := reconcile.Finder{Consumer: c,
		Key: func(table row.TableID, _ uint32) ([]int, bool, error) { return []int{0}, table != 9, nil },
		Locate: func(_ context.Context, _ row.TableID, bounds, keys []row.Tuple) ([]int, error) {
			return slots(bounds, keys), nil
		}}
	unit := func(table row.TableID) []byte {
		return row.AppendChange(nil, &row.Change{Op: row.Insert, Table: table, New: tuple("1")})
	}
	for name, tc := range map[string]struct {
		units [][]byte
		want  int
	}{
		"known":                      {[][]byte{unit(1), unit(1)}, 2},
		"new behind known ones":      {[][]byte{unit(1), unit(1), unit(2), unit(1)}, 2},
		"new":                        {[][]byte{unit(2), unit(1)}, 1},
		"not followed: never begins": {[][]byte{unit(9), unit(1), unit(9)}, 3},
	} {
		if n, err := f.Prepare(t.Context(), tc.units); err != nil || n != tc.want {
			t.Errorf("%s: %d units together, %v; want %d", name, n, err, tc.want)
		}
	}
}
