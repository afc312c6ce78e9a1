package capture

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/row"
)

// tables is what the catalog said last about the captured tables.
type tables struct {
	mu     sync.RWMutex
	byID   map[row.TableID]Table
	kicked chan struct{}
}

func newTables() *tables {
	return &tables{byID: map[row.TableID]Table{}, kicked: make(chan struct{}, 1)}
}

func (t *tables) set(found []Table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.byID)
	for _, f := range found {
		t.byID[f.ID] = f
	}
}

func (t *tables) get(id row.TableID) (Table, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	f, ok := t.byID[id]
	return f, ok
}

// list is ordered by id.
func (t *tables) list() []Table {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make([]Table, 0, len(t.byID))
	for _, f := range t.byID {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Table) int { return int(a.ID) - int(b.ID) })
	return all
}

// kick asks for a look at the catalog soon.
func (t *tables) kick() {
	select {
	case t.kicked <- struct{}{}:
	default:
	}
}

// pollTables keeps tables, and the upstream's publications, in step with the catalog.
func (s *Source) pollTables(ctx context.Context) {
	tick := time.NewTicker(s.opts.PollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.tables.kicked:
		}
		if what, _ := s.State(); what != "" {
			continue
		}
		found, err := s.opts.Upstream.Tables(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.log.Warn("look at the catalog for tables", "error", err)
			}
			continue
		}
		s.tables.set(found)
	}
}

// Tables is the newest shape of every captured table; one whose shape is not
// known yet has an entry with Table, Namespace and Name alone.
func (s *Source) Tables() []*row.Schema {
	var all []*row.Schema
	for _, t := range s.tables.list() {
		shape := s.schemas.Newest(t.ID)
		if shape == nil || shape.Namespace != t.Namespace || shape.Name != t.Name {
			shape = &row.Schema{Table: t.ID, Namespace: t.Namespace, Name: t.Name}
		}
		all = append(all, shape)
	}
	return all
}

func timelines(was, now Identity) string {
	if was.Timeline == now.Timeline {
		return ""
	}
	return fmt.Sprintf("%d -> %d", was.Timeline, now.Timeline)
}
