package postgres

import (
	"context"
	"strings"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// truncation is the truncates of one upstream transaction that follow each
// other: they are one statement, since tables that refer to each other can only
// be truncated together.
type truncation struct {
	at      ts.Ts
	tables  []string
	restart bool
}

// noteTruncate adds a table to the truncation, after what came before.
func (a *applier) noteTruncate(ctx context.Context, it *feed.Item, s *shape) error {
	at := ts.Ts(0)
	if it.Txn != nil {
		at = it.Txn.Ts
	}
	if len(a.truncate.tables) > 0 && a.truncate.at != at {
		if err := a.settle(ctx); err != nil {
			return err
		}
	}
	if err := a.enterChunk(ctx, nil); err != nil {
		return err
	}
	b, err := a.bind(ctx, s)
	if err != nil {
		return err
	}
	a.truncate.at = at
	a.truncate.tables = append(a.truncate.tables, b.table.sql())
	a.truncate.restart = a.truncate.restart || it.Change.Flags&row.TruncateRestartIdentity != 0
	return nil
}

// settle applies what was noted and not yet done.
func (a *applier) settle(ctx context.Context) error {
	if len(a.truncate.tables) == 0 {
		return nil
	}
	sql := `TRUNCATE ` + strings.Join(a.truncate.tables, ", ")
	if a.truncate.restart {
		sql += ` RESTART IDENTITY`
	}
	a.truncate = truncation{}
	if err := a.run(ctx, sql); err != nil {
		if sqlState(err) == "0A000" {
			return a.refusal(weirerr.TargetConflict, "the target refuses to truncate a table", err).
				Hint("another table refers to it at the target: drop that foreign key, and resume")
		}
		return a.failure(err)
	}
	return nil
}

// targetName is where a source's table lives at the target.
func (a *applier) targetName(s *row.Schema) (namespace, name string) {
	if to, ok := a.cfg.Schemas[s.Namespace]; ok {
		return to, s.Name
	}
	return a.cfg.SchemaPrefix + s.Namespace, s.Name
}

// changeSchema follows a change of a table's shape as the policy has it.
func (a *applier) changeSchema(ctx context.Context, it *feed.Item, after *shape) error {
	if err := a.settle(ctx); err != nil {
		return err
	}
	if err := a.enterChunk(ctx, nil); err != nil {
		return err
	}
	before := it.Before
	a.newest[after.id] = after
	if before == nil {
		if after.Dropped {
			return nil
		}
		_, err := a.bind(ctx, after)
		return err
	}
	d := diffSchemas(before, &after.Schema)
	if d.none() {
		return a.forgetShapes(ctx)
	}
	switch a.cfg.SchemaPolicy {
	case PolicyFail:
		return weirerr.New(weirerr.SchemaRefused, "the source's table changed its shape").With("changefeed", a.lane.Changefeed).
			With("table", before.FullName()).With("change", d.String()).
			Hint("change the target by hand, then set schema_policy = ignore or evolve and resume")
	case PolicyIgnore:
		a.log.Warn("schema change ignored at the target", "table", before.FullName(), "change", d.String())
	default:
		if err := a.evolve(ctx, before, &after.Schema, d); err != nil {
			return err
		}
	}
	if after.Dropped {
		delete(a.newest, after.id)
	}
	return a.forgetShapes(ctx)
}
