package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Describe is the shape that a captured table has now. A table that is not there, or not
// captured, is a NotFound error.
func (s *Source) Describe(ctx context.Context, namespace, name string) (shape *row.Schema, err error) {
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		var oid int64
		err := conn.QueryRow(ctx,
			`SELECT c.oid::int8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`,
			namespace, name).Scan(&oid)
		if err == nil {
			_, shape, _, err = s.table(ctx, conn, row.TableID(oid))
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) || weirerr.CodeOf(err) == weirerr.TableGone {
		return nil, weirerr.New(weirerr.NotFound, "the source has no such table").With("table", namespace+"."+name).
			Hint("write it as schema.name; the source captures what its tables filter takes and its role may read")
	}
	if err != nil {
		return nil, upstream.wrap(err, "cannot look at the table").With("table", namespace+"."+name)
	}
	return shape, nil
}
