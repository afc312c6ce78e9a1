package capture

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Schemas is the registry of every shape a source's tables have had. A version
// is persisted before an entry that refers to it is appended, so whoever reads
// the log finds its schemas here. Safe for concurrent use.
type Schemas struct {
	store  *metastore.Store
	prefix string // of the keys: schema/<source>/

	mu     sync.RWMutex
	tables map[row.TableID]*shapes
}

// shapes are the versions of one table, from version 1.
type shapes struct {
	versions []*row.Schema
	byPrint  map[string]uint32
}

// OpenSchemas loads the registry of a source.
func OpenSchemas(store *metastore.Store, source string) (*Schemas, error) {
	s := &Schemas{store: store, prefix: "schema/" + source + "/", tables: map[row.TableID]*shapes{}}
	err := store.Scan(s.prefix, func(key string, raw []byte) error {
		var shape row.Schema
		if err := json.Unmarshal(raw, &shape); err != nil {
			return fmt.Errorf("read schema %s: %w", key, err)
		}
		s.add(&shape)
		return nil
	})
	return s, err
}

// key orders a table's versions numerically.
func (s *Schemas) key(id row.TableID, version uint32) string {
	return fmt.Sprintf("%s%020d/%010d", s.prefix, id, version)
}

// Register gives the version of a shape, a new one if the table never had it.
func (s *Schemas) Register(shape *row.Schema) (uint32, error) {
	print := fingerprint(shape)
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.tables[shape.Table]
	if known != nil {
		if v, ok := known.byPrint[print]; ok {
			return v, nil
		}
	}
	added := *shape
	added.Version = 1
	if known != nil {
		added.Version = uint32(len(known.versions)) + 1
	}
	err := s.store.Update(func(tx *metastore.Tx) error {
		return tx.Put(s.key(added.Table, added.Version), &added)
	})
	if err != nil {
		return 0, fmt.Errorf("register version %d of %s: %w", added.Version, added.FullName(), err)
	}
	s.add(&added)
	return added.Version, nil
}

func (s *Schemas) add(shape *row.Schema) {
	known := s.tables[shape.Table]
	if known == nil {
		known = &shapes{byPrint: map[string]uint32{}}
		s.tables[shape.Table] = known
	}
	known.versions = append(known.versions, shape)
	known.byPrint[fingerprint(shape)] = shape.Version
}

// fingerprint is equal for equal shapes, whatever their version. What older rows
// hold in a column does not count: the upstream forgets it when it rewrites the
// table. The version keeps what it came with, and a SchemaChange in the log what
// was true there.
func fingerprint(shape *row.Schema) string {
	bare := *shape
	bare.Version, bare.Columns = 0, slices.Clone(shape.Columns)
	for i := range bare.Columns {
		bare.Columns[i].Missing = nil
	}
	b, err := json.Marshal(&bare)
	if err != nil {
		panic(fmt.Sprintf("capture: a schema always encodes: %v", err))
	}
	return string(b)
}

// Schema is one version of a table's shape.
func (s *Schemas) Schema(id row.TableID, version uint32) (*row.Schema, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t := s.tables[id]; t != nil && version >= 1 && int(version) <= len(t.versions) {
		return t.versions[version-1], nil
	}
	return nil, weirerr.New(weirerr.StoreBehind, "the schema registry lacks a version that the log refers to").
		With("table", id).With("version", version).
		Hint("the metadata store is older than the log; restore the one that belongs to this data directory")
}

// Newest is the newest version of a table's shape, or nil.
func (s *Schemas) Newest(id row.TableID) *row.Schema {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t := s.tables[id]; t != nil {
		return t.versions[len(t.versions)-1]
	}
	return nil
}
