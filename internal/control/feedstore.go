package control

import (
	"context"
	"encoding/json"

	"github.com/weirstream/weir/internal/metastore"
)

// FeedStore keeps what one running changefeed saves of itself. Its methods may
// be called concurrently.
type FeedStore struct {
	store *metastore.Store
	id    string
}

// FeedRecord is what a changefeed keeps over a restart; both parts are JSON.
type FeedRecord struct {
	Status []byte // small, saved often
	State  []byte // in a Save, nil keeps what is stored
}

// NewFeedStore keeps the records of changefeed id in store.
func NewFeedStore(store *metastore.Store, id string) *FeedStore { return &FeedStore{store, id} }

func statusKey(id string) string { return feedPrefix + id + "/status" }
func stateKey(id string) string  { return feedPrefix + id + "/state" }

// Load returns the last saved record; false when there is none.
func (f *FeedStore) Load(context.Context) (FeedRecord, bool, error) {
	var r FeedRecord
	found := false
	err := f.store.Scan(feedPrefix+f.id+"/", func(key string, raw []byte) error {
		switch key {
		case statusKey(f.id):
			r.Status, found = append([]byte(nil), raw...), true
		case stateKey(f.id):
			r.State = append([]byte(nil), raw...)
		}
		return nil
	})
	return r, found, err
}

// Save is atomic and durable when it returns. The incarnation that the status
// names becomes the last one of the changefeed's name, so that a later
// changefeed of that name begins above it.
func (f *FeedStore) Save(_ context.Context, r FeedRecord) error {
	return f.store.Update(func(tx *metastore.Tx) error {
		if err := tx.Put(statusKey(f.id), json.RawMessage(r.Status)); err != nil {
			return err
		}
		if r.State != nil {
			if err := tx.Put(stateKey(f.id), json.RawMessage(r.State)); err != nil {
				return err
			}
		}
		return f.noteIncarnation(tx, r.Status)
	})
}

func (f *FeedStore) noteIncarnation(tx *metastore.Tx, status []byte) error {
	var now struct {
		Incarnation uint64 `json:"incarnation"`
	}
	if err := metastore.Decode(statusKey(f.id), status, &now); err != nil {
		return err
	}
	var last uint64
	if _, err := tx.Get(incarnationKey(f.id), &last); err != nil || now.Incarnation <= last {
		return err
	}
	return tx.Put(incarnationKey(f.id), now.Incarnation)
}

// Incarnation is the last one that the changefeed's name has had.
func (f *FeedStore) Incarnation() (last uint64, err error) {
	_, err = f.store.Get(incarnationKey(f.id), &last)
	return last, err
}

// Delete forgets the record, not the incarnation.
func (f *FeedStore) Delete(context.Context) error {
	return f.store.Update(func(tx *metastore.Tx) error { return deleteRecord(tx, f.id) })
}

func deleteRecord(tx *metastore.Tx, id string) error {
	if err := tx.Delete(statusKey(id)); err != nil {
		return err
	}
	return tx.Delete(stateKey(id))
}
