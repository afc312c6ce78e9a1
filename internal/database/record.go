package database

import (
	"fmt"
	"slices"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/worker"
)

// What the metadata store has of a database:
//
//	database/<id>/info             Info
//	database/<id>/graph/<part>     graphRecord: the committed epoch of the main graph (0) or a creating job's
//	database/<id>/relation/<id>    relationRecord
func keyInfo(id uint32) string        { return fmt.Sprintf("database/%d/info", id) }
func keyGraph(id, part uint32) string { return fmt.Sprintf("database/%d/graph/%d", id, part) }
func keyGraphs(id uint32) string      { return fmt.Sprintf("database/%d/graph/", id) }
func keyRelations(id uint32) string   { return fmt.Sprintf("database/%d/relation/", id) }
func keyRelation(id uint32, rel catalog.ID) string {
	return fmt.Sprintf("database/%d/relation/%d", id, rel)
}

// Info is a database's definition.
type Info struct {
	ID     uint32         `json:"id"`
	Name   string         `json:"name"`
	Config barrier.Config `json:"config"`
	// NextTable is above the id of every state table ever used; NextRow above every row id given.
	NextTable uint32     `json:"next_table"`
	NextID    catalog.ID `json:"next_id"`
	NextRow   int64      `json:"next_row"`
	// Schemas of relations; none: public alone.
	Schemas []string `json:"schemas,omitempty"`
	// Leaving are the relations that leave by changefeeds, ascending.
	Leaving []catalog.ID `json:"leaving,omitempty"`
}

func (i *Info) schemas() []string {
	if len(i.Schemas) == 0 {
		return []string{catalog.Public}
	}
	return i.Schemas
}

// graphRecord is the commit point of a graph.
type graphRecord struct {
	Epoch     ts.Ts            `json:"epoch"`
	Sealed    []*state.Sealed  `json:"sealed,omitempty"` // what the epoch's commit named
	Positions worker.Positions `json:"positions,omitempty"`
}

// relationRecord is a relation with what its job needs.
type relationRecord struct {
	catalog.Relation
	// FirstTable and Fingerprint are the job's; 0 for a relation without one.
	FirstTable  uint32 `json:"first_table,omitempty"`
	Fingerprint uint64 `json:"fingerprint,omitempty"`
	// Creating: the job is not part of the main graph yet.
	Creating bool `json:"creating,omitempty"`
	// Failed says why the job does not run.
	Failed *failure `json:"failed,omitempty"`
}

// failure is what put a job into its error state.
type failure struct {
	Message string `json:"message"`
	At      ts.Ts  `json:"at"`
}

// load reads everything of a database.
func load(store *metastore.Store, id uint32) (info Info, graphs map[uint32]graphRecord, rels []*relationRecord, err error) {
	if _, err = store.Get(keyInfo(id), &info); err != nil {
		return
	}
	graphs = map[uint32]graphRecord{}
	err = store.Scan(keyGraphs(id), func(key string, raw []byte) error {
		var part uint32
		var g graphRecord
		if _, err := fmt.Sscanf(key[len(keyGraphs(id)):], "%d", &part); err != nil {
			return fmt.Errorf("key %s: %w", key, err)
		}
		if err := metastore.Decode(key, raw, &g); err != nil {
			return err
		}
		graphs[part] = g
		return nil
	})
	if err != nil {
		return
	}
	err = store.Scan(keyRelations(id), func(key string, raw []byte) error {
		r := &relationRecord{}
		if err := metastore.Decode(key, raw, r); err != nil {
			return err
		}
		rels = append(rels, r)
		return nil
	})
	return
}

// sortRecords orders relations by id: each after those it reads.
func sortRecords(recs []*relationRecord) {
	slices.SortFunc(recs, func(a, b *relationRecord) int { return int(a.ID) - int(b.ID) })
}
