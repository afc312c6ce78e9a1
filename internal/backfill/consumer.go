package backfill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// Request asks for the snapshot of a table: the attempt whose markers the
// consumer will accept.
type Request struct {
	Table   row.TableID `json:"table"`
	Attempt int         `json:"attempt"`
}

// Progress is how far the snapshot of one table is, for people.
type Progress struct {
	Table      row.TableID `json:"table"`
	Name       string      `json:"name"`
	RowsDone   int64       `json:"rows_done"`
	RowsTotal  int64       `json:"rows_total"` // estimate
	ChunksDone int         `json:"chunks_done"`
	Waits      string      `json:"waits,omitempty"` // what for, when it waits
	SinceMs    int64       `json:"since_ms"`        // when that began
}

// Consumer merges the snapshots and the stream of one consumer. It is fed the
// source's channel in order. Not safe for concurrent use.
type Consumer struct {
	id string
	// known holds every table that was started or adopted.
	known map[row.TableID]bool
	// tables holds those whose snapshot is not settled; usually none.
	tables         map[row.TableID]*table
	consistentFrom ts.Ts
}

// table is a table whose snapshot has begun and is not yet history.
type table struct {
	Attempt int        `json:"attempt"`
	Ranges  []keyRange `json:"ranges,omitempty"` // covered, in key order
	// Covered: every key lies in a range. It stays here until every range settled.
	Covered bool `json:"covered,omitempty"`
}

// keyRange is a run of chunks that have taken effect.
type keyRange struct {
	First   int       `json:"first"` // chunk indexes, inclusive
	Last    int       `json:"last"`
	Lo      row.Tuple `json:"lo,omitempty"` // exclusive; nil: open
	Hi      row.Tuple `json:"hi,omitempty"` // inclusive; nil: open
	Settled bool      `json:"settled,omitempty"`
	// Visible and End as in the Marker, while not settled.
	Visible Visibility `json:"visible"`
	End     []byte     `json:"end,omitempty"`
}

// NewConsumer begins knowing no table.
func NewConsumer(id string) *Consumer {
	return &Consumer{id: id, known: map[row.TableID]bool{}, tables: map[row.TableID]*table{}}
}

// ID is what markers name the consumer by.
func (c *Consumer) ID() string { return c.id }

type state struct {
	Known          []row.TableID          `json:"known"`
	Tables         map[row.TableID]*table `json:"tables"`
	ConsistentFrom ts.Ts                  `json:"consistent_from"`
}

// State encodes what Restore needs to go on from here.
func (c *Consumer) State() []byte {
	known := slices.Sorted(maps.Keys(c.known))
	b, err := json.Marshal(state{known, c.tables, c.consistentFrom})
	if err != nil {
		panic(fmt.Sprintf("backfill: the state always encodes: %v", err))
	}
	return b
}

// Restore replaces the state by one that State encoded.
func (c *Consumer) Restore(b []byte) error {
	s := state{Tables: map[row.TableID]*table{}}
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("backfill: malformed state of consumer %s: %w", c.id, err)
	}
	c.tables, c.consistentFrom = s.Tables, s.ConsistentFrom
	c.known = map[row.TableID]bool{}
	for _, id := range s.Known {
		c.known[id] = true
	}
	return nil
}

// Start makes a table that is not known wholly uncovered: from here its changes
// are dropped until chunks cover their keys. It is to be called at the latest
// before the first change of the table is decided about.
func (c *Consumer) Start(id row.TableID) {
	if !c.known[id] {
		c.known[id] = true
		c.tables[id] = &table{}
	}
}

// Adopt makes a table known without a snapshot: every change from here on counts.
func (c *Consumer) Adopt(id row.TableID) { c.known[id] = true }

// Known tells whether the table was started or adopted.
func (c *Consumer) Known(id row.TableID) bool { return c.known[id] }

// Drop forgets a table, for instance because it was dropped upstream; at is where.
func (c *Consumer) Drop(id row.TableID, at ts.Ts) {
	delete(c.known, id)
	if c.tables[id] != nil {
		delete(c.tables, id)
		c.closed(at)
	}
}

// Active tells whether changes of the table need Bounds and Decide; all others
// are delivered as they are.
func (c *Consumer) Active(id row.TableID) bool { return c.tables[id] != nil }

// Complete tells whether every chunk of the table has taken effect.
func (c *Consumer) Complete(id row.TableID) bool {
	t := c.tables[id]
	return t == nil || t.Covered
}

// Idle tells whether no table is under snapshot any more, settling included.
func (c *Consumer) Idle() bool { return len(c.tables) == 0 }

// ConsistentFrom is where the last snapshot settled: from there on, what was
// delivered is the source's state after whole transactions. False while a
// snapshot is not settled: its chunks may hold more than the stream does.
func (c *Consumer) ConsistentFrom() (ts.Ts, bool) { return c.consistentFrom, c.Idle() }

// Wants lists the snapshots that are still needed, by table.
func (c *Consumer) Wants() []Request {
	var want []Request
	for id, t := range c.tables {
		if !t.Covered {
			want = append(want, Request{id, t.Attempt})
		}
	}
	slices.SortFunc(want, func(a, b Request) int { return int(a.Table) - int(b.Table) })
	return want
}

// Marker lets a chunk take effect. False means that its rows must not be
// delivered: it is another consumer's, a repetition, or of an older attempt.
func (c *Consumer) Marker(m *Marker) bool {
	if m.Consumer != c.id {
		return false
	}
	c.Start(m.Table) // a replay may meet the marker before whatever made the table known
	t := c.tables[m.Table]
	if t == nil || t.Covered || m.Attempt != t.Attempt {
		return false
	}
	i, found := slices.BinarySearchFunc(t.Ranges, m.Chunk, func(r keyRange, chunk int) int {
		switch {
		case r.Last < chunk:
			return -1
		case r.First > chunk:
			return 1
		}
		return 0
	})
	if found {
		return false
	}
	t.Ranges = slices.Insert(t.Ranges, i, keyRange{
		First: m.Chunk, Last: m.Chunk, Lo: m.Lo, Hi: m.Hi, Visible: m.Visible, End: m.End,
	})
	t.Covered = t.covered()
	return true
}

// covered: the ranges touch each other and are open at both ends.
func (t *table) covered() bool {
	n := len(t.Ranges)
	if n == 0 || t.Ranges[0].First != 0 || t.Ranges[n-1].Hi != nil {
		return false
	}
	for i := 1; i < n; i++ {
		if t.Ranges[i].First != t.Ranges[i-1].Last+1 {
			return false
		}
	}
	return true
}

func (c *Consumer) closed(at ts.Ts) {
	if c.Idle() {
		c.consistentFrom = max(c.consistentFrom, at)
	}
}

// Settle tells that everything at or below position has been delivered, up to
// Ts at: no later transaction is visible to a chunk that ended at or below it.
func (c *Consumer) Settle(position []byte, at ts.Ts) {
	for id, t := range c.tables {
		settled := t.Covered
		for i := range t.Ranges {
			r := &t.Ranges[i]
			if !r.Settled && bytes.Compare(position, r.End) >= 0 {
				r.Settled, r.Visible, r.End = true, Visibility{}, nil
			}
			settled = settled && r.Settled
		}
		t.merge()
		if settled {
			delete(c.tables, id)
			c.closed(at)
		}
	}
}

// merge joins neighbouring settled ranges, so that a long snapshot stays cheap.
func (t *table) merge() {
	out := t.Ranges[:0]
	for _, r := range t.Ranges {
		if n := len(out); n > 0 && out[n-1].Settled && r.Settled && out[n-1].Last+1 == r.First {
			out[n-1].Last, out[n-1].Hi = r.Last, r.Hi
			continue
		}
		out = append(out, r)
	}
	t.Ranges = out
}
