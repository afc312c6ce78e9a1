package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/reconcile/sourcetest"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// target is a foreign system that applies strictly: an insert of a row that is
// there, or a change of one that is not, is a fault of the feed. It keeps the
// position in the transaction.
type target struct {
	mu       sync.Mutex
	tables   map[row.TableID]map[string]string
	position map[uint64]Position
	terms    map[uint64]uint64
	appended map[row.TableID][]string // keyless tables
	faults   *rand.Rand               // nil: none
	broken   error                    // the first fault of the feed
	reshaped []string
	commits  int
	forgets  bool
	ahead    bool // it commits in the background
	onCommit func(t *target, pos Position)
	hang     chan struct{} // Write blocks on it
}

func newTarget() *target {
	return &target{
		tables: map[row.TableID]map[string]string{}, position: map[uint64]Position{}, terms: map[uint64]uint64{},
		appended: map[row.TableID][]string{},
	}
}

func (t *target) open() (Sink, error) {
	s := &sink{t: t}
	if t.forgets {
		return &forgetful{s}, nil
	}
	if t.ahead {
		return newPipelined(s), nil
	}
	return s, nil
}

type forgetful struct{ *sink }

func (*forgetful) Forgetful() {}

func (f *forgetful) Open(ctx context.Context, lane Lane) (Position, bool, error) {
	_, _, err := f.sink.Open(ctx, lane)
	return Position{}, false, err
}

// sink is one connection to a target.
type sink struct {
	t    *target
	lane Lane
	ops  []Item // copied, not yet committed
	head []*ChunkRange
}

var errSimulated = weirerr.New(weirerr.TargetUnreachable, "simulated")

func (s *sink) fault(n int) bool { return s.t.faults != nil && s.t.faults.IntN(n) == 0 }

func (s *sink) Open(_ context.Context, lane Lane) (Position, bool, error) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if s.fault(6) {
		return Position{}, false, errSimulated
	}
	if lane.Term <= s.t.terms[lane.Incarnation] {
		s.t.fail("term %d after %d", lane.Term, s.t.terms[lane.Incarnation])
	}
	s.lane, s.t.terms[lane.Incarnation] = lane, lane.Term
	pos, ok := s.t.position[lane.Incarnation]
	return pos, ok, nil
}

func (t *target) fail(format string, args ...any) {
	if t.broken == nil {
		t.broken = fmt.Errorf(format, args...)
	}
}

func (s *sink) Write(ctx context.Context, items []Item) error {
	s.t.mu.Lock()
	hang := s.t.hang
	s.t.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if s.fault(60) {
		return errSimulated
	}
	for _, it := range items {
		c := it.Change
		c.Old, c.New = slices.Clone(c.Old), slices.Clone(c.New)
		s.ops = append(s.ops, Item{Change: c, Schema: it.Schema, Before: it.Before, Txn: &Txn{Ts: it.Txn.Ts}})
	}
	return nil
}

func (s *sink) BeginChunk(_ context.Context, _ *row.Schema, c *ChunkRange) error {
	s.head = append(s.head, c)
	return nil
}

func (s *sink) Commit(_ context.Context, pos Position) error {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if s.fault(40) {
		return errSimulated
	}
	if s.lane.Term != s.t.terms[s.lane.Incarnation] {
		return weirerr.New(weirerr.TargetFenced, "fenced")
	}
	if was, ok := s.t.position[s.lane.Incarnation]; ok && !was.Less(pos) {
		s.t.fail("position goes from %v to %v", was, pos)
	}
	for i := range s.ops {
		s.t.apply(&s.ops[i])
	}
	s.ops, s.head = nil, nil
	s.t.position[s.lane.Incarnation] = pos
	s.t.commits++
	if s.t.onCommit != nil {
		s.t.onCommit(s.t, pos)
	}
	if s.fault(40) {
		return errSimulated // it has landed all the same
	}
	return nil
}

// Resolved is kept now and then only.
func (s *sink) Resolved(_ context.Context, pos Position) error {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	was, ok := s.t.position[s.lane.Incarnation]
	if ok && pos.Less(was) {
		s.t.fail("resolved goes from %v to %v", was, pos)
	}
	if ok && s.t.faults != nil && s.t.faults.IntN(3) == 0 {
		s.t.position[s.lane.Incarnation] = pos
	}
	return nil
}

func (s *sink) Close(context.Context) error { return nil }

func (t *target) apply(it *Item) {
	c := &it.Change
	if c.Op == row.SchemaChange {
		t.reshape(it)
		return
	}
	rows := t.tables[c.Table]
	if rows == nil {
		t.fail("change of table %d before its shape", c.Table)
		return
	}
	if len(it.Schema.KeyColumns()) == 0 {
		if c.Op == row.Truncate {
			t.appended[c.Table] = nil
			return
		}
		t.appended[c.Table] = append(t.appended[c.Table], string(c.New))
		return
	}
	switch c.Op {
	case row.Insert, row.Read:
		key := sourcetest.Values(c.New)[0]
		if _, ok := rows[key]; ok {
			t.fail("%c of %s in table %d, which is there, at %s", c.Op, key, c.Table, it.Txn.Ts)
		}
		rows[key] = string(c.New)
	case row.Update:
		t.update(it, rows)
	case row.Delete:
		key := sourcetest.Values(c.Old)[0]
		if _, ok := rows[key]; !ok {
			t.fail("delete of %s in table %d, which is not there, at %s", key, c.Table, it.Txn.Ts)
		}
		delete(rows, key)
	case row.Truncate:
		clear(rows)
	}
}

func (t *target) update(it *Item, rows map[string]string) {
	c := &it.Change
	next := sourcetest.Values(c.New)
	key := next[0]
	if c.OldKind != row.OldNone {
		key = sourcetest.Values(c.Old)[0]
	}
	was, ok := rows[key]
	if !ok {
		t.fail("update of %s in table %d, which is not there, at %s", key, c.Table, it.Txn.Ts)
		return
	}
	for i, v := range sourcetest.Values(row.Tuple(was)) {
		if next[i] == "~" {
			next[i] = v
		}
	}
	delete(rows, key)
	rows[next[0]] = string(sourcetest.Tuple(next...))
}

func (t *target) reshape(it *Item) {
	id := it.Schema.Table
	t.reshaped = append(t.reshaped, fmt.Sprintf("%d v%d", id, it.Schema.Version))
	rows := t.tables[id]
	if (rows == nil) != (it.Before == nil) {
		t.fail("table %d: before is %v, the target has it: %t", id, it.Before, rows != nil)
	}
	if rows == nil {
		t.tables[id] = map[string]string{}
		return
	}
	for k, r := range rows {
		v := sourcetest.Values(row.Tuple(r))
		for len(v) < len(it.Schema.Columns) {
			v = append(v, "")
		}
		rows[k] = string(sourcetest.Tuple(v...))
	}
}

// differs compares with the source; both are at rest.
func (t *target) differs(u *sourcetest.Upstream) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	u.Mu.Lock()
	defer u.Mu.Unlock()
	if t.broken != nil {
		return t.broken
	}
	for _, id := range slices.Sorted(maps.Keys(u.Relations)) {
		src := u.Relations[id]
		if len(src.Shape.KeyColumns()) == 0 {
			want, got := slices.Sorted(maps.Values(src.Rows)), slices.Sorted(slices.Values(t.appended[id]))
			if !slices.Equal(want, got) {
				return fmt.Errorf("table %d: %d rows, want %d", id, len(got), len(want))
			}
			continue
		}
		if !maps.Equal(src.Rows, t.tables[id]) {
			return fmt.Errorf("table %d:\n%v\nwant\n%v", id, printed(t.tables[id]), printed(src.Rows))
		}
	}
	return nil
}

func printed(rows map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, fmt.Sprint(sourcetest.Values(row.Tuple(rows[k]))))
	}
	return out
}

// memory is a Store and Pins that survive the feed's process.
type memory struct {
	mu     sync.Mutex
	u      *sourcetest.Upstream
	record *Record
	pins   map[string]ts.Ts
	faults *rand.Rand
	evict  func(error)
	saves  int
	keep   bool // the log is not truncated
}

func newMemory(u *sourcetest.Upstream) *memory { return &memory{u: u, pins: map[string]ts.Ts{}} }

var errStore = errors.New("simulated store failure")

func (m *memory) fault(n int) bool { return m.faults != nil && m.faults.IntN(n) == 0 }

func (m *memory) Load(context.Context) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.record == nil {
		return Record{}, false, nil
	}
	return *m.record, true, nil
}

func (m *memory) Save(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault(10) {
		return errStore
	}
	m.saves++
	if r.State == nil {
		r.State = m.record.State
	}
	m.record = &r
	if m.fault(10) {
		return errStore
	}
	return nil
}

func (m *memory) Delete(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record = nil
	return nil
}

func (m *memory) Pin(_ context.Context, owner string, at ts.Ts, evicted func(error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at < m.u.Log.Status().Truncated {
		return weirerr.New(weirerr.LogTruncated, "truncated")
	}
	m.pins[owner], m.evict = at, evicted
	return nil
}

func (m *memory) Advance(_ context.Context, owner string, at ts.Ts) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault(10) {
		return errStore
	}
	m.pins[owner] = max(m.pins[owner], at)
	if m.keep {
		return nil
	}
	return m.u.Log.Truncate(m.pins[owner])
}

func (m *memory) Release(_ context.Context, owner string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pins, owner)
	return nil
}
