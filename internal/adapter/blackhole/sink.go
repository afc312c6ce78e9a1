package blackhole

import (
	"context"
	"net/url"
	"sync"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Counters say what went in. Bytes are of row images, as encoded in the log.
type Counters struct {
	Items, Bytes, Transactions int64
	Inserts, Updates, Deletes  int64
	Reads                      int64 // rows of snapshots
	Truncates, SchemaChanges   int64
	Commits                    int64
	Committed                  int64 // items
}

// Target is one blackhole. Its sinks may come and go; it keeps positions and
// counters. Safe for concurrent use.
type Target struct {
	mu       sync.Mutex
	counters Counters
	lanes    map[laneID]*state
}

type laneID struct {
	cluster, changefeed string
	incarnation         uint64
	lane                int
}

type state struct {
	term   uint64
	pos    feed.Position
	placed bool
}

// New makes a target with nothing in it.
func New() *Target { return &Target{lanes: map[laneID]*state{}} }

// Check says whether uri is blackhole://, which takes no options.
func Check(uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "blackhole" || u.Host != "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil {
		return weirerr.New(weirerr.TargetConfig, "not a blackhole").Hint("write it as blackhole://, without options")
	}
	return nil
}

// Counters is what went in so far, over all sinks.
func (t *Target) Counters() Counters {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counters
}

// Sink makes a sink of the target.
func (t *Target) Sink() feed.Sink { return &sink{target: t} }

// sink counts on its own and adds up once a Write.
type sink struct {
	target  *Target
	lane    *state
	term    uint64
	txn     feed.Txn // the newest seen, to count transactions
	pending int64    // items not committed
}

var _ feed.Sink = (*sink)(nil)

// Open implements feed.Sink.
func (s *sink) Open(_ context.Context, lane feed.Lane) (feed.Position, bool, error) {
	t := s.target
	t.mu.Lock()
	defer t.mu.Unlock()
	id := laneID{lane.Cluster, lane.Changefeed, lane.Incarnation, lane.Lane}
	st := t.lanes[id]
	if st == nil {
		st = &state{}
		t.lanes[id] = st
	}
	if st.term > lane.Term {
		return feed.Position{}, false, fenced(lane.Term, st.term)
	}
	st.term = lane.Term
	s.lane, s.term, s.pending, s.txn = st, lane.Term, 0, feed.Txn{}
	return st.pos, st.placed, nil
}

// Write implements feed.Sink.
func (s *sink) Write(_ context.Context, items []feed.Item) error {
	if s.lane == nil {
		return weirerr.New(weirerr.WrongState, "the blackhole is not open")
	}
	var c Counters
	for i := range items {
		it := &items[i]
		c.Items++
		c.Bytes += int64(len(it.Change.Old) + len(it.Change.New))
		if it.Txn.Ts != s.txn.Ts || it.Txn.Xid != s.txn.Xid || s.txn.Ts == 0 {
			c.Transactions++
			s.txn = feed.Txn{Ts: it.Txn.Ts, Xid: it.Txn.Xid}
		}
		c.countOp(it.Change.Op)
	}
	s.pending += c.Items
	s.target.mu.Lock()
	defer s.target.mu.Unlock()
	s.target.counters.add(&c)
	return nil
}

func (c *Counters) countOp(op row.Op) {
	switch op {
	case row.Insert:
		c.Inserts++
	case row.Update:
		c.Updates++
	case row.Delete:
		c.Deletes++
	case row.Read:
		c.Reads++
	case row.Truncate:
		c.Truncates++
	case row.SchemaChange:
		c.SchemaChanges++
	}
}

func (c *Counters) add(d *Counters) {
	c.Items += d.Items
	c.Bytes += d.Bytes
	c.Transactions += d.Transactions
	c.Inserts += d.Inserts
	c.Updates += d.Updates
	c.Deletes += d.Deletes
	c.Reads += d.Reads
	c.Truncates += d.Truncates
	c.SchemaChanges += d.SchemaChanges
}

// Commit implements feed.Sink.
func (s *sink) Commit(_ context.Context, pos feed.Position) error { return s.move(pos, 1) }

// Resolved implements feed.Sink.
func (s *sink) Resolved(_ context.Context, pos feed.Position) error { return s.move(pos, 0) }

func (s *sink) move(pos feed.Position, commits int64) error {
	if s.lane == nil {
		return weirerr.New(weirerr.WrongState, "the blackhole is not open")
	}
	s.target.mu.Lock()
	defer s.target.mu.Unlock()
	if s.lane.term != s.term {
		return fenced(s.term, s.lane.term)
	}
	if s.lane.placed && pos.Less(s.lane.pos) {
		return weirerr.New(weirerr.CheckpointStale, "a commit at %d.%d lies below the position %d.%d",
			pos.Ts, pos.Offset, s.lane.pos.Ts, s.lane.pos.Offset)
	}
	s.lane.pos, s.lane.placed = pos, true
	s.target.counters.Commits += commits
	s.target.counters.Committed += s.pending * commits
	s.pending -= s.pending * commits
	return nil
}

// Close implements feed.Sink.
func (s *sink) Close(context.Context) error {
	s.lane = nil
	return nil
}

func fenced(ours, theirs uint64) error {
	return weirerr.New(weirerr.TargetFenced, "a newer owner delivers this lane").
		With("our_term", ours).With("their_term", theirs).Hint("nothing to do: the newer one goes on")
}
