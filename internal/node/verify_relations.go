package node

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/adapter/postgres"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/outbox"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// verifyRelations compares relations of a database with a postgres:// target, at one committed
// epoch: the delivery is held, the newest epoch is pinned and read, the delivery goes on to
// exactly that epoch, and the target is compared while it rests.
func (v *verifier) verifyRelations(ctx context.Context, src *source, f *changefeed, uri string, limit int) (control.VerifyReport, error) {
	up, ok := src.reads.(*outbox.Upstream)
	if !ok {
		return control.VerifyReport{}, weirerr.New(weirerr.Unknown, "the source of relations is not a database").With("changefeed", f.def.ID)
	}
	source, err := postgres.OpenRows(ctx, uri)
	if err != nil {
		return control.VerifyReport{}, err
	}
	defer source.Close()
	held := f.Hold()
	defer f.Release()
	tables, at, err := v.take(ctx, src, f, up, held, source)
	if err != nil {
		return control.VerifyReport{}, err
	}
	if err := f.Wait(ctx, at); err != nil {
		return control.VerifyReport{}, err
	}
	target, err := postgres.OpenTargetSnapshot(ctx, uri)
	if err != nil {
		return control.VerifyReport{}, err
	}
	defer target.Close()
	report := control.VerifyReport{Ts: at}
	for _, t := range tables {
		c, err := postgres.Compare(ctx, source.Snapshot, target, t.here, limit)
		if err != nil {
			return report, err
		}
		report.Tables = append(report.Tables, verified(t.shape, c))
	}
	return report, nil
}

// taken is a relation whose rows were read, and where they lie.
type taken struct {
	shape *row.Schema
	here  postgres.Compared
}

// take reads the changefeed's relations at one epoch, and lets the held delivery go on to it.
// The epoch is held no longer than that.
func (v *verifier) take(ctx context.Context, src *source, f *changefeed, up *outbox.Upstream, held ts.Ts, source *postgres.Rows) ([]taken, ts.Ts, error) {
	var shapes []*row.Schema
	var ids []row.TableID
	for _, s := range src.Tables() {
		// One without a version has had no row to deliver: the target does not know it.
		if s.Version > 0 && slices.Contains(f.def.Of.IDs, uint32(s.Table)) {
			shapes, ids = append(shapes, s), append(ids, s.Table)
		}
	}
	epoch, err := up.Stand(ctx, ids)
	if err != nil {
		return nil, 0, err
	}
	defer epoch.Close()
	at, err := src.At(ctx, held, epoch.Position())
	if err != nil {
		return nil, 0, err
	}
	f.HoldAt(at)
	var all []taken
	for _, s := range shapes {
		t := postgres.Compared{Schema: s, Namespace: s.Namespace, Name: s.Name}
		t, err := source.Add(ctx, t, func(fn func(row.Tuple) error) error { return epoch.Rows(ctx, s.Table, fn) })
		if err != nil {
			return nil, 0, err
		}
		all = append(all, taken{s, t})
	}
	return all, at, nil
}
