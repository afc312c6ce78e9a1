package outbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/zset"
)

// notes is a Handler that writes down what it is told.
type notes struct {
	versions map[row.TableID]uint32
	buf      []byte
	said     []string
}

func (n *notes) Changes(_, _ uint64, changes []byte) error {
	n.buf = append(n.buf, changes...)
	return nil
}

func (n *notes) Commit(txn uint64, position []byte, _ int64) error {
	var parts []string
	it := row.Changes(n.buf)
	for it.Next() {
		c := &it.Change
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%c%d %s %s", c.Op, c.Table, values(c.Old), values(c.New))))
	}
	if err := it.Err(); err != nil {
		return err
	}
	at, err := epochAt(position)
	if err != nil || uint64(at) != txn {
		return fmt.Errorf("epoch %d at %d: %w", txn, at, err)
	}
	n.said = append(n.said, fmt.Sprintf("%d: %s", txn, strings.Join(parts, ", ")))
	n.buf = n.buf[:0]
	return nil
}

func values(t row.Tuple) string {
	if t == nil {
		return ""
	}
	var all []string
	for it := t.Iter(); it.Next(); {
		all = append(all, string(it.Value))
	}
	return "(" + strings.Join(all, " ") + ")"
}

func (n *notes) Register(shape *row.Schema) (uint32, bool, error) {
	known := n.versions[shape.Table]
	n.versions[shape.Table] = 1
	return 1, known == 1, nil
}

func (n *notes) Abort(uint64, uint64) error    { return nil }
func (n *notes) Alive([]byte) error            { return nil }
func (n *notes) Durable() []byte               { return nil }
func (n *notes) Shape(row.TableID) *row.Schema { return nil }
func (n *notes) TablesChanged()                {}

// delta is a chunk of rows (key, value, weight).
func delta(rows ...[3]int64) *zset.Chunk {
	c := zset.NewChunk([]zset.Kind{zset.Int, zset.Int}, len(rows))
	for _, r := range rows {
		c.Cols[0].AppendInt(r[0])
		c.Cols[1].AppendInt(r[1])
		c.AppendWeight(r[2])
	}
	return c
}

func relationOf(id catalog.ID, notNull, hidden bool) *catalog.Relation {
	return &catalog.Relation{
		ID: id, Schema: "public", Name: fmt.Sprintf("r%d", id), Key: []int{0},
		Columns: []catalog.Column{{Name: "k", Type: datum.Ref(datum.OIDInt8), NotNull: notNull, Hidden: hidden}, {Name: "v", Type: datum.Ref(datum.OIDInt8)}},
	}
}

// TestTransactions: an epoch is one transaction; a key's old and new row are one update, over
// blocks too; rows without a key make up for their like.
func TestTransactions(t *testing.T) {
	keyed, bag, hidden := relationOf(7, true, false), relationOf(8, false, false), relationOf(9, true, true)
	n := &notes{versions: map[row.TableID]uint32{}}
	p := &publisher{h: n}
	for _, b := range []struct {
		epoch ts.Ts
		rel   *catalog.Relation
		rows  *zset.Chunk
	}{
		{10, keyed, delta([3]int64{1, 5, -1}, [3]int64{2, 5, -1})},
		{10, keyed, delta([3]int64{1, 6, 1}, [3]int64{3, 7, 1})},
		{10, bag, delta([3]int64{1, 5, -2}, [3]int64{1, 6, 2})},
		{20, hidden, delta([3]int64{1, 5, -1}, [3]int64{2, 5, 1}, [3]int64{3, 5, 1}, [3]int64{4, 6, 1})},
		{30, keyed, delta([3]int64{3, 7, -1})},
	} {
		if err := p.block(b.epoch, b.rel, b.rows); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // at the end there is one end
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"10: S7, U7 (1 5) (1 6), I7  (3 7), D7 (2 5), S8, I8  (1 6), I8  (1 6), D8 (1 5), D8 (1 5)",
		"20: S9, I9  (5), I9  (6)",
		"30: D7 (3 7)",
	}
	if got := strings.Join(n.said, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestMoreThanPairs: what waits for its pair is bounded; the rest is deleted and inserted.
func TestMoreThanPairs(t *testing.T) {
	rel := relationOf(7, true, false)
	n := &notes{versions: map[row.TableID]uint32{7: 1}}
	p := &publisher{h: n}
	old, came := make([][3]int64, pairs+2), make([][3]int64, pairs+2)
	for i := range old {
		old[i], came[i] = [3]int64{int64(i), 1, -1}, [3]int64{int64(i), 2, 1}
	}
	for _, rows := range [][][3]int64{old, came} {
		if err := p.block(10, rel, delta(rows...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	said := n.said[0]
	if u, d, i := strings.Count(said, "U7"), strings.Count(said, "D7"), strings.Count(said, "I7"); u != pairs || d != 2 || i != 2 {
		t.Errorf("%d updates, %d deletes, %d inserts", u, d, i)
	}
	if strings.Contains(said[strings.Index(said, "I7"):], "D7") {
		t.Error("a row is deleted after one was inserted in its place")
	}
}
