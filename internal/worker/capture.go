package worker

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Capture is the initial snapshot of a captured table.
type Capture struct {
	Source reconcile.Source
	// Consumer names the snapshot at the source. No other one ever has the same.
	Consumer string
}

// snapshot merges the snapshot of one table with the stream. The reader's goroutine has it.
type snapshot struct {
	*Capture
	table    row.TableID
	consumer *backfill.Consumer
	finder   reconcile.Finder
	side     ts.Ts // of the last chunk that took effect
	pieces   [][]byte
	dirty    bool // the state has changed since the last step
	tidied   bool // it is over, and the source has forgotten it
	given    []progress
}

// progress is how far a snapshot was when everything up to at had been given.
type progress struct {
	at, side ts.Ts
	idle     bool
}

// snapshotState is a snapshot in Positions.
type snapshotState struct {
	Consumer json.RawMessage `json:"consumer"`
	Side     ts.Ts           `json:"side"`
	Tidied   bool            `json:"tidied,omitempty"`
}

// snapshotAt is the state of a consumer's snapshot at the end of a step.
type snapshotAt struct {
	consumer string
	state    json.RawMessage
	idle     bool
}

// newSnapshot goes on where saved says, which is of everything up to from; nil: at the beginning.
func newSnapshot(c *Capture, table row.TableID, saved json.RawMessage, from ts.Ts) (*snapshot, error) {
	s := &snapshot{Capture: c, table: table, consumer: backfill.NewConsumer(c.Consumer)}
	s.finder = reconcile.Finder{Consumer: s.consumer, Locate: c.Source.Locate, Key: s.key}
	if saved == nil {
		s.consumer.Start(table)
		return s, nil
	}
	var state snapshotState
	err := json.Unmarshal(saved, &state)
	if err == nil {
		err = s.consumer.Restore(state.Consumer)
	}
	if err != nil {
		return nil, weirerr.New(weirerr.StoreCorrupt, "how far the snapshot of a table is does not decode").With("table", table).Wrap(err)
	}
	s.side, s.tidied = state.Side, state.Tidied
	s.given = append(s.given, progress{from, s.side, s.consumer.Idle()})
	return s, nil
}

// key implements reconcile.Finder.Key.
func (s *snapshot) key(table row.TableID, version uint32) (key []int, taken bool, err error) {
	if table != s.table {
		return nil, false, nil
	}
	schema, err := s.Source.Schema(table, version)
	if err != nil {
		return nil, false, err
	}
	return schema.KeyColumns(), true, nil
}

// ask requests what is still needed.
func (s *snapshot) ask(ctx context.Context) error {
	if want := s.consumer.Wants(); len(want) > 0 {
		return s.Source.Backfill(ctx, s.Consumer, want)
	}
	return nil
}

// state encodes the state at a step's end, when it has changed.
func (s *snapshot) state(seen ts.Ts) json.RawMessage {
	if !s.dirty {
		return nil
	}
	s.dirty = false
	s.given = append(s.given, progress{seen, s.side, s.consumer.Idle()})
	return encode(snapshotState{s.consumer.State(), s.side, s.tidied})
}

// tidy gives back what the side channel holds of chunks that are committed here.
func (s *snapshot) tidy(committed ts.Ts) error {
	var last *progress
	for len(s.given) > 0 && s.given[0].at <= committed {
		last, s.given = &s.given[0], s.given[1:]
	}
	switch {
	case last == nil || s.tidied:
		return nil
	case last.idle:
		s.tidied, s.dirty = true, true
		return s.Source.CancelBackfill(s.Consumer)
	case last.side == 0:
		return nil
	}
	side, err := s.Source.Side(s.Consumer)
	if err != nil {
		return err
	}
	return side.Truncate(last.side)
}

// decideAll decides about the changes of transactions in a row.
func (r *reader) decideAll(ctx context.Context, t *gathering, entries []wal.Entry) error {
	s := t.snap
	s.pieces = s.pieces[:0]
	for i := range entries {
		s.pieces = append(s.pieces, entries[i].Changes)
	}
	for n := 0; n < len(entries); {
		k, err := s.finder.Prepare(ctx, s.pieces[n:])
		if err != nil {
			return err
		}
		for i := range k {
			if err := r.decided(ctx, t, &entries[n+i], s.pieces[n+i]); err != nil {
				return err
			}
		}
		n += k
		s.settle(&entries[n-1])
	}
	return nil
}

// settle tells how far the stream has passed.
func (s *snapshot) settle(e *wal.Entry) {
	if !s.consumer.Idle() && len(e.Position) > 0 {
		s.consumer.Settle(e.Position, e.Ts)
		s.dirty = true
	}
}

// decided gathers those changes of a piece of a transaction that count.
func (r *reader) decided(ctx context.Context, t *gathering, e *wal.Entry, changes []byte) error {
	it := row.Changes(changes)
	for it.Next() {
		if c := &it.Change; c.Table == t.ID {
			if err := r.decide(ctx, t, e, c); err != nil {
				return err
			}
		}
	}
	return r.wellFormed(e, it.Err())
}

func (r *reader) decide(ctx context.Context, t *gathering, e *wal.Entry, c *row.Change) error {
	s := t.snap
	switch {
	case c.Op == row.SchemaChange:
		r.change(t, e, c)
		return nil
	case c.Op == row.Truncate:
		if s.consumer.Truncate(c.Table, e.Xid) {
			s.dirty = true
			if err := s.ask(ctx); err != nil {
				return err
			}
		}
		r.change(t, e, c)
		return nil
	case !s.consumer.Active(c.Table):
		r.change(t, e, c)
		return nil
	}
	key, _, err := s.key(c.Table, c.Version)
	if err != nil {
		return err
	}
	verdict, err := s.finder.Verdict(ctx, c, key, e.Xid)
	if err != nil {
		if errors.Is(err, row.ErrCorrupt) {
			return r.wellFormed(e, err)
		}
		return err
	}
	switch verdict {
	case backfill.Deliver:
		r.change(t, e, c)
	case backfill.DeliverDelete:
		r.change(t, e, &row.Change{Op: row.Delete, Table: c.Table, Version: c.Version, OldKind: c.OldKind, Old: c.Old})
	case backfill.DeliverInsert:
		return r.appear(ctx, t, e, c, key)
	}
	return nil
}

// appear gathers the new row of an update whose old one is not here.
func (r *reader) appear(ctx context.Context, t *gathering, e *wal.Entry, c *row.Change, key []int) error {
	schema, err := t.snap.Source.Schema(c.Table, c.Version)
	if err != nil {
		return err
	}
	fresh, err := reconcile.Appear(ctx, t.snap.Source, schema, key, c)
	if err != nil {
		return err
	}
	r.change(t, e, &row.Change{Op: row.Insert, Table: c.Table, Version: c.Version, New: fresh})
	return nil
}

// marker lets a chunk of one of the snapshots take effect.
func (r *reader) marker(ctx context.Context, e *wal.Entry) error {
	m, err := backfill.DecodeMarker(e.Changes)
	if err != nil {
		return r.wellFormed(e, err)
	}
	for _, t := range r.order {
		if t.snap == nil || t.snap.Consumer != m.Consumer {
			continue
		}
		if err := r.give(ctx, e.Ts-1); err != nil { // the rows may take a while
			return err
		}
		return r.chunk(ctx, t, e, &m)
	}
	return nil
}

// chunk gathers the rows of a chunk.
func (r *reader) chunk(ctx context.Context, t *gathering, e *wal.Entry, m *backfill.Marker) error {
	s := t.snap
	at, ok, err := s.Source.Outcome(ctx, s.Consumer, m.Read)
	if err != nil || !ok || !s.consumer.Marker(m) {
		return err
	}
	side, err := s.Source.Side(s.Consumer)
	if err != nil {
		return err
	}
	s.side, s.dirty, r.last = max(s.side, at), true, e.Ts
	return reconcile.Rows(ctx, side, at, func(changes []byte) error {
		it := row.Changes(changes)
		for it.Next() {
			r.change(t, e, &it.Change)
		}
		if r.rows >= stepRows {
			if err := r.give(ctx, e.Ts-1); err != nil {
				return err
			}
		}
		return r.wellFormed(e, it.Err())
	})
}

// committed is the epoch that readers have.
func (s *sealer) committed() ts.Ts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}
