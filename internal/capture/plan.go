package capture

import (
	"encoding/json"
	"fmt"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/row"
)

// plannedChunk is one chunk of a table's plan, as it is kept. Lo is the Hi of
// the chunk before it.
type plannedChunk struct {
	Hi   row.Tuple `json:"hi,omitempty"` // nil: the last chunk
	Done bool      `json:"done,omitempty"`
	Rows int64     `json:"rows,omitempty"`
}

// plan is the part of a table's snapshot that survives a restart.
type plan struct {
	attempt int
	chunks  []plannedChunk
}

// complete: the last chunk is open, so every key lies in one.
func (p *plan) complete() bool {
	n := len(p.chunks)
	return n > 0 && p.chunks[n-1].Hi == nil
}

// end is the bound after which planning goes on; nil at the start.
func (p *plan) end() row.Tuple {
	if n := len(p.chunks); n > 0 {
		return p.chunks[n-1].Hi
	}
	return nil
}

// lo is the exclusive lower bound of chunk i.
func (p *plan) lo(i int) row.Tuple {
	if i == 0 {
		return nil
	}
	return p.chunks[i-1].Hi
}

// Keys: plan/<source>/<consumer>/<table>/<attempt>/<chunk>, numbers padded so
// that key order is their order.
func (s *Source) planPrefix(consumer string) string {
	return "plan/" + s.opts.Name + "/" + consumer + "/"
}

func (s *Source) tablePlanPrefix(consumer string, table row.TableID) string {
	return fmt.Sprintf("%s%020d/", s.planPrefix(consumer), table)
}

func chunkKey(prefix string, attempt, chunk int) string {
	return fmt.Sprintf("%s%010d/%010d", prefix, attempt, chunk)
}

// loadPlan reads what is kept of one attempt.
func (s *Source) loadPlan(consumer string, table row.TableID, attempt int) (plan, error) {
	p := plan{attempt: attempt}
	prefix := fmt.Sprintf("%s%010d/", s.tablePlanPrefix(consumer, table), attempt)
	err := s.opts.Store.Scan(prefix, func(key string, raw []byte) error {
		var c plannedChunk
		if err := json.Unmarshal(raw, &c); err != nil {
			return fmt.Errorf("read %s: %w", key, err)
		}
		p.chunks = append(p.chunks, c)
		return nil
	})
	return p, err
}

// saveChunk keeps chunk i of p.
func (s *Source) saveChunk(consumer string, table row.TableID, attempt, i int, c plannedChunk) error {
	return s.opts.Store.Update(func(tx *metastore.Tx) error {
		return tx.Put(chunkKey(s.tablePlanPrefix(consumer, table), attempt, i), c)
	})
}

// forgetPlans deletes all plans of a consumer.
func (s *Source) forgetPlans(consumer string) error {
	return s.opts.Store.Update(func(tx *metastore.Tx) error { return deletePrefix(tx, s.planPrefix(consumer)) })
}

// Forget deletes everything that is kept of a source, but for its channel.
func Forget(store *metastore.Store, source string) error {
	return store.Update(func(tx *metastore.Tx) error {
		for _, prefix := range []string{"schema/" + source + "/", "plan/" + source + "/"} {
			if err := deletePrefix(tx, prefix); err != nil {
				return err
			}
		}
		return tx.Delete(identityKey(source))
	})
}

func deletePrefix(tx *metastore.Tx, prefix string) error {
	var keys []string
	err := tx.Scan(prefix, func(key string, _ []byte) error {
		keys = append(keys, key)
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
