package feed

import (
	"encoding/json"
	"fmt"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// tables is what the reader knows of tables: shapes by version, which of them
// the feed takes, the shape last delivered of each, and their snapshots.
type tables struct {
	source   Source
	filter   *filter.Filter
	consumer *backfill.Consumer
	// delivered is the version last delivered, by table. It is part of the state.
	delivered map[row.TableID]uint32
	shapes    map[shapeKey]*shape
	last      *shape // of the last look-up: changes come in runs
}

type shapeKey struct {
	table   row.TableID
	version uint32
}

// shape is one version of a table, with what the feed asks of it all the time.
type shape struct {
	*row.Schema
	key   []int // indexes of the key columns
	taken bool  // by the filter
}

// savedState is a mark's state in JSON.
type savedState struct {
	Consumer  json.RawMessage        `json:"consumer"`
	Delivered map[row.TableID]uint32 `json:"delivered"`
}

// ConsumerID is what markers and the side channel call an incarnation of a feed by.
func ConsumerID(name string, incarnation uint64) string {
	return fmt.Sprintf("%s/%d", name, incarnation)
}

func newTables(source Source, f *filter.Filter, id string) *tables {
	return &tables{
		source: source, filter: f, consumer: backfill.NewConsumer(id),
		delivered: map[row.TableID]uint32{}, shapes: map[shapeKey]*shape{},
	}
}

func (t *tables) restore(state []byte) error {
	var s savedState
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("saved state of a changefeed: %w", err)
	}
	if s.Delivered != nil {
		t.delivered = s.Delivered
	}
	return t.consumer.Restore(s.Consumer)
}

func (t *tables) state() ([]byte, error) {
	return json.Marshal(savedState{t.consumer.State(), t.delivered})
}

// mark encodes the state as it is from since on.
func (t *tables) mark(incarnation uint64, since, side ts.Ts) (*mark, error) {
	state, err := t.state()
	if err != nil {
		return nil, err
	}
	m := &mark{incarnation: incarnation, state: state, since: since, side: side, idle: t.consumer.Idle()}
	m.consistent, _ = t.consumer.ConsistentFrom()
	return m, nil
}

// shape looks a version up.
func (t *tables) shape(id row.TableID, version uint32) (*shape, error) {
	if s := t.last; s != nil && s.Table == id && s.Version == version {
		return s, nil
	}
	s := t.shapes[shapeKey{id, version}]
	if s == nil {
		schema, err := t.source.Schema(id, version)
		if err != nil {
			return nil, err
		}
		s = t.keep(schema)
	}
	t.last = s
	return s, nil
}

// finder decides about changes of tables under snapshot.
func (t *tables) finder() reconcile.Finder {
	return reconcile.Finder{Consumer: t.consumer, Locate: t.source.Locate, Key: func(id row.TableID, version uint32) ([]int, bool, error) {
		s, err := t.shape(id, version)
		if err != nil {
			return nil, false, err
		}
		return s.key, s.taken, nil
	}}
}

func (t *tables) keep(schema *row.Schema) *shape {
	s := &shape{Schema: schema, key: schema.KeyColumns(), taken: t.filter.Match(schema.Namespace, schema.Name)}
	t.shapes[shapeKey{schema.Table, schema.Version}] = s
	return s
}

// discover begins the snapshots of tables that are new to the feed. True when
// there were any. The catalog's list may be older than the stream: a table that
// the stream has seen dropped never comes back under its id.
func (t *tables) discover() bool {
	found := false
	for _, s := range t.source.Tables() {
		if !s.Dropped && !t.consumer.Known(s.Table) && t.filter.Match(s.Namespace, s.Name) {
			t.consumer.Start(s.Table)
			found = true
		}
	}
	return found
}

// exclude forgets tables that the filter, changed since, takes no more. A table
// goes by the name under which it was delivered: the catalog may be ahead.
func (t *tables) exclude(at ts.Ts) (found bool, err error) {
	for _, s := range t.source.Tables() {
		if !t.consumer.Known(s.Table) {
			continue
		}
		before, err := t.before(s.Table)
		if err != nil {
			return found, err
		}
		if before != nil {
			s = before
		}
		if !t.filter.Match(s.Namespace, s.Name) {
			t.forget(s.Table, at)
			found = true
		}
	}
	return found, nil
}

// adopt makes all tables known without a snapshot.
func (t *tables) adopt() {
	for _, s := range t.source.Tables() {
		if t.filter.Match(s.Namespace, s.Name) {
			t.consumer.Adopt(s.Table)
		}
	}
}

func (t *tables) forget(id row.TableID, at ts.Ts) {
	t.consumer.Drop(id, at)
	delete(t.delivered, id)
}

// before is the shape last delivered of a table; nil when none was.
func (t *tables) before(id row.TableID) (*row.Schema, error) {
	version, ok := t.delivered[id]
	if !ok {
		return nil, nil
	}
	s, err := t.shape(id, version)
	if err != nil {
		return nil, err
	}
	return s.Schema, nil
}
