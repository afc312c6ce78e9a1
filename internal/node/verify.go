package node

import (
	"context"

	"github.com/weirstream/weir/internal/adapter/postgres"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
)

// verifier compares a source with a postgres:// target. It implements
// control.Verifier.
//
// Both sides stand at one position although the source is written to: the
// delivery is held, a snapshot of the source is exported together with the
// position it belongs to, the delivery goes on to exactly there, and the target
// is compared while it rests. A database of ours has its epochs for snapshots
// (verifyRelations).
type verifier struct {
	sources     *sources
	changefeeds *changefeeds
	lookup      secret.Lookup
}

var _ control.Verifier = (*verifier)(nil)

// Verify implements control.Verifier.
func (v *verifier) Verify(ctx context.Context, cf control.Changefeed, limit int) (control.VerifyReport, error) {
	src, err := v.sources.get(cf.Source)
	if err != nil {
		return control.VerifyReport{}, err
	}
	f, err := v.changefeeds.get(cf.ID)
	if err != nil {
		return control.VerifyReport{}, err
	}
	uri, err := v.lookup.Resolve(cf.SinkURI)
	if err != nil {
		return control.VerifyReport{}, err
	}
	if cf.Of != nil {
		return v.verifyRelations(ctx, src, f, uri, limit)
	}
	held := f.Hold()
	defer f.Release()
	source, position, err := src.upstream.ExactSnapshot(ctx)
	if err != nil {
		return control.VerifyReport{}, err
	}
	defer source.Close()
	at, err := src.At(ctx, held, position)
	if err != nil {
		return control.VerifyReport{}, err
	}
	f.HoldAt(at)
	if err := f.Wait(ctx, at); err != nil {
		return control.VerifyReport{}, err
	}
	target, err := postgres.OpenTargetSnapshot(ctx, uri)
	if err != nil {
		return control.VerifyReport{}, err
	}
	defer target.Close()
	return compare(ctx, src, cf, source, target, at, limit)
}

func compare(ctx context.Context, src *source, cf control.Changefeed, source, target *postgres.Snapshot, at ts.Ts, limit int) (control.VerifyReport, error) {
	report := control.VerifyReport{Ts: at}
	tables, err := filter.Parse(cf.Tables)
	if err != nil {
		return report, err
	}
	for _, shape := range src.Tables() {
		if shape.Version == 0 || shape.Dropped || !tables.Match(shape.Namespace, shape.Name) {
			continue
		}
		c, err := postgres.Compare(ctx, source, target, postgres.Compared{Schema: shape, Namespace: shape.Namespace, Name: shape.Name}, limit)
		if err != nil {
			return report, err
		}
		report.Tables = append(report.Tables, verified(shape, c))
	}
	return report, nil
}

// verified is a table's comparison as control has it.
func verified(shape *row.Schema, c *postgres.Comparison) control.VerifyTable {
	t := control.VerifyTable{
		Table: shape.FullName(), SourceRows: c.SourceRows, TargetRows: c.TargetRows, Differing: c.Missing + c.Extra + c.Different,
	}
	for _, d := range c.Differences {
		row := control.Difference{Key: d.Key, Kind: d.Kind}
		if d.Column != "" {
			row.Columns = []string{d.Column}
		}
		t.Differences = append(t.Differences, row)
	}
	if len(shape.KeyColumns()) == 0 {
		t.Note = "compared as a bag of rows: it has no key"
	}
	return t
}
