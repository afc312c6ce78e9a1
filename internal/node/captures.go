package node

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/adapter/postgres"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

var _ database.Sources = (*sources)(nil)

// waitPoll is how often a position that is waited for is looked for.
const waitPoll = 10 * time.Millisecond

// claimEvery is how often a database's claim on a source follows its epochs.
const claimEvery = time.Second

// At implements database.Sources.
func (s *sources) At(ctx context.Context, name, position string) (ts.Ts, error) {
	src, err := s.get(name)
	if err != nil {
		return 0, err
	}
	lsn, err := postgres.ParseLSN(position)
	if err != nil {
		return 0, &sql.Error{Code: sql.InvalidText, Message: "invalid input syntax for type pg_lsn: \"" + position + "\"", Pos: -1}
	}
	want := lsn.Position()
	for {
		if status := src.Channel().Status(); bytes.Compare(status.High, want) >= 0 {
			return status.Durable, nil
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-time.After(waitPoll):
		}
	}
}

// Reader implements database.Sources.
func (s *sources) Reader(name string) (reconcile.Source, error) {
	src, err := s.get(name)
	if err != nil {
		return nil, err
	}
	return src.Source, nil
}

// Claim implements database.Sources: one claim for all of a database's tables of the source.
func (s *sources) Claim(ctx context.Context, name string, db *database.Database, at ts.Ts) error {
	src, err := s.get(name)
	if err != nil {
		return err
	}
	checkpoint := s.pins.of(src.Channel().Name())
	if checkpoint == nil {
		return weirerr.New(weirerr.NotReady, "the source's log is not open yet").With("source", name)
	}
	claims, owner := checkpoint.Claims(wal.Budget{OnFull: wal.Block}), ownPin(db.Name())
	s.mu.Lock()
	has := src.claims[db.Name()]
	if src.claims == nil {
		src.claims = map[string]bool{}
	}
	src.claims[db.Name()] = true
	s.mu.Unlock()
	if has {
		return nil
	}
	if err := claims.Pin(ctx, owner, at, func(error) {}); err != nil && weirerr.CodeOf(err) != weirerr.CheckpointStale {
		return err
	}
	go func() {
		for {
			select {
			case <-src.done:
				return
			case <-s.ctx.Done():
				return
			case <-time.After(claimEvery):
			}
			if cut := db.Cut(); cut != 0 {
				if err := claims.Advance(s.ctx, owner, cut); err != nil {
					s.log.Debug("moving a database's claim on a source", "source", name, "database", db.Name(), "error", err)
				}
			}
		}
	}()
	return nil
}

// describe is a table of a source as a relation that follows it.
func (s *sources) describe(ctx context.Context, name, table string) (*catalog.Relation, error) {
	src, err := s.get(name)
	if err != nil {
		return nil, err
	}
	namespace, relation, ok := strings.Cut(table, ".")
	if !ok {
		namespace, relation = "public", table
	}
	shape, err := src.upstream.Describe(ctx, namespace, relation)
	if err != nil {
		return nil, err
	}
	return relationOf(shape), nil
}

// relationOf is a relation with the columns of an upstream's table.
func relationOf(shape *row.Schema) *catalog.Relation {
	rel := &catalog.Relation{Upstream: &catalog.UpstreamRef{Table: shape.Table, Namespace: shape.Namespace, Name: shape.Name}}
	for i, c := range shape.Columns {
		rel.Columns = append(rel.Columns, catalog.Column{Name: c.Name, Type: engineType(shape, c), NotNull: c.NotNull || c.Key})
		rel.Upstream.Attributes = append(rel.Upstream.Attributes, c.ID)
		if c.Key {
			rel.Key = append(rel.Key, i)
		}
	}
	rel.AppendOnly = len(rel.Key) == 0 && shape.Identity != row.IdentityFull
	return rel
}

// engineType is the type that a column of the upstream has here: a domain's base type, and
// text for what only the upstream knows.
func engineType(shape *row.Schema, c row.Column) datum.TypeRef {
	t := datum.TypeRef{OID: c.Type, Mod: c.Typmod}
	for range 16 { // domains over domains
		if _, builtin := datum.LookupBuiltin(t.OID); builtin {
			return t
		}
		base := baseOf(shape, t.OID)
		if base == 0 {
			return datum.Ref(datum.OIDText)
		}
		t = datum.Ref(base)
	}
	return datum.Ref(datum.OIDText)
}

// baseOf is what a domain is made of; 0 for a type that is none.
func baseOf(shape *row.Schema, oid uint32) uint32 {
	for _, t := range shape.Types {
		if t.OID == oid && t.Kind == datum.KindDomain {
			return t.Base
		}
	}
	return 0
}
