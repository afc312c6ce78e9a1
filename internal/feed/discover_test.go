package feed

import (
	"testing"

	"github.com/weirstream/weir/internal/row"
)

// listing is a source that only lists its tables.
type listing struct {
	Source
	tables []*row.Schema
}

func (l listing) Tables() []*row.Schema { return l.tables }

// TestADroppedTableIsNotDiscovered: the source's list may still have a table that
// the stream has dropped. No chunk of it would ever come, and the feed would wait
// for its snapshot for ever.
func TestADroppedTableIsNotDiscovered(t *testing.T) {
	alive := &row.Schema{Table: 8, Version: 1, Namespace: "public", Name: "c"}
	gone := &row.Schema{Table: 7, Version: 2, Namespace: "public", Name: "c", Dropped: true}
	tb := newTables(listing{tables: []*row.Schema{gone, alive}}, nil, "cf/1")
	if !tb.discover() || !tb.consumer.Known(8) || tb.consumer.Known(7) {
		t.Errorf("known: %v and %v, want the living one alone", tb.consumer.Known(7), tb.consumer.Known(8))
	}
	if want := tb.consumer.Wants(); len(want) != 1 || want[0].Table != 8 {
		t.Errorf("wants %v", want)
	}
}
