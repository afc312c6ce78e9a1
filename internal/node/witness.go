package node

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal/local"
	"github.com/weirstream/weir/internal/weirerr"
)

// witness lets log and metadata store testify to each other's age: the log's
// control records remember the store's version, the store remembers how far each
// channel was durable. A copy that is set back contradicts the other.
//
// Only channels of sources are noted: a consumer's snapshot channel may go at
// any time, and is read anew.
type witness struct {
	log   *local.Log
	store *metastore.Store

	mu   sync.Mutex       // a channel is not noted while it is being removed
	last map[string]ts.Ts // written to the store
}

const witnessPrefix = "witness/"

// check compares what each remembers of the other with what is there.
func (w *witness) check() error {
	remembered, err := w.log.Witness()
	if err != nil {
		return err
	}
	if err := w.store.CheckWitness(remembered); err != nil {
		return err
	}
	names, err := w.log.Channels()
	if err != nil {
		return err
	}
	return w.store.Scan(witnessPrefix, func(key string, raw []byte) error {
		name := key[len(witnessPrefix):]
		var durable ts.Ts
		if err := metastore.Decode(key, raw, &durable); err != nil {
			return err
		}
		w.last[name] = durable
		if !slices.Contains(names, name) {
			return weirerr.New(weirerr.StoreBehind, "the log lacks a channel that the metadata store knows").
				With("channel", name).Hint("restore the log directory that belongs to this metadata store")
		}
		channel, err := w.log.Channel(name)
		if err != nil {
			return err
		}
		if have := channel.Status().Durable; have < durable {
			return weirerr.New(weirerr.StoreBehind, "the log ends before what the metadata store saw durable in it").
				With("channel", name).With("log ends", have).With("was durable", durable).
				Hint("restore the log directory that belongs to this metadata store, or resync the source")
		}
		return nil
	})
}

// note writes down what is durable now. Both are hints for a later start: losing
// the newest note loses no data, only the notice of that second.
func (w *witness) note() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	names, err := w.log.Channels()
	if err != nil {
		return err
	}
	changed := map[string]ts.Ts{}
	for _, name := range names {
		if !capture.IsSourceChannel(name) {
			continue
		}
		channel, err := w.log.Channel(name)
		if err != nil {
			return err
		}
		if durable := channel.Status().Durable; durable != w.last[name] {
			changed[name] = durable
		}
	}
	if len(changed) > 0 {
		err := w.store.Update(func(tx *metastore.Tx) error {
			for name, durable := range changed {
				if err := tx.Put(witnessPrefix+name, durable); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for name, durable := range changed {
			w.last[name] = durable
		}
	}
	w.log.SetWitness(w.store.Version())
	return nil
}

// run notes once a second until ctx ends.
func (w *witness) run(ctx context.Context, complain func(error)) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := w.note(); err != nil {
				complain(err)
			}
		}
	}
}

// remove deletes a source's channel, if it is there, and the note on it.
func (w *witness) remove(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.last, name)
	err := w.store.Update(func(tx *metastore.Tx) error { return tx.Delete(witnessPrefix + name) })
	if err != nil {
		return err
	}
	names, err := w.log.Channels()
	if err != nil || !slices.Contains(names, name) {
		return err
	}
	return w.log.Remove(name)
}
