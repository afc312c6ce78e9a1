package outbox

import (
	"context"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/row"
)

// Standing reads whole relations, all at one epoch.
type Standing struct {
	u *Upstream
	s *database.Standing
}

// Stand holds the newest committed epoch, for relations that leave the database.
func (u *Upstream) Stand(ctx context.Context, ids []row.TableID) (*Standing, error) {
	var rels []*catalog.Relation
	for _, id := range ids {
		rel, err := u.relation(id)
		if err != nil {
			return nil, err
		}
		rels = append(rels, rel)
	}
	s, err := u.db.Stand(ctx, rels...)
	if err != nil {
		return nil, err
	}
	return &Standing{u, s}, nil
}

// Position is the epoch, as the database's channel has it.
func (s *Standing) Position() []byte { return position(s.s.Epoch()) }

// Rows calls fn with every row of a relation, as often as the relation has it. The tuple is
// good during the call.
func (s *Standing) Rows(ctx context.Context, id row.TableID, fn func(row.Tuple) error) error {
	rel, err := s.u.relation(id)
	if err != nil {
		return err
	}
	next, err := s.s.Rows(rel)
	if err != nil {
		return err
	}
	e := newEncoder(rel, 0)
	for {
		rows, err := next(ctx)
		if err != nil || rows == nil {
			return err
		}
		for i := range rows.N {
			tuple := e.row(rows, i)
			for range rows.Weight(i) {
				if err := fn(tuple); err != nil {
					return err
				}
			}
		}
	}
}

// Close gives the epoch back.
func (s *Standing) Close() { s.s.Close() }
