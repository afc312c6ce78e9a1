package control

import (
	"context"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Verifier compares what a changefeed's source has with what its target has.
type Verifier interface {
	// Verify compares row by row at one position, while both sides may be written
	// to. What was there is delivered. It names at most limit differing keys a table.
	Verify(ctx context.Context, cf Changefeed, limit int) (VerifyReport, error)
}

// VerifyReport is what a comparison found.
type VerifyReport struct {
	Changefeed string `json:"changefeed"`
	Equal      bool   `json:"equal"`
	// Ts is the position at which both sides were compared.
	Ts     ts.Ts         `json:"ts"`
	Tables []VerifyTable `json:"tables"`
}

// VerifyTable is what was found in one table.
type VerifyTable struct {
	Table      string `json:"table"`
	Equal      bool   `json:"equal"`
	SourceRows int64  `json:"source_rows"`
	TargetRows int64  `json:"target_rows"`
	Differing  int64  `json:"differing"` // rows, in all
	// Differences names the first of them.
	Differences []Difference `json:"differences"`
	// Note says how the table was compared when not by key.
	Note string `json:"note,omitempty"`
}

// Difference is one row that is not the same on both sides.
type Difference struct {
	Key string `json:"key"`
	// Kind is missing (at the target), extra (at the target) or differs.
	Kind    string   `json:"kind"`
	Columns []string `json:"columns,omitempty"` // that differ
}

const (
	defaultVerifyLimit = 100
	maxVerifyLimit     = 10_000
)

// Verify compares a changefeed's source and target. The changefeed must be
// running: the comparison waits for it to deliver what the source shows.
func (c *Control) Verify(ctx context.Context, id string, limit int) (VerifyReport, error) {
	r, err := c.verify(ctx, id, limit)
	return r, c.hide(err)
}

func (c *Control) verify(ctx context.Context, id string, limit int) (VerifyReport, error) {
	switch {
	case limit == 0:
		limit = defaultVerifyLimit
	case limit < 0 || limit > maxVerifyLimit:
		return VerifyReport{}, weirerr.New(weirerr.InvalidArgument, "limit is %d", limit).Hint("allowed is 1 to %d", maxVerifyLimit)
	}
	cf, err := c.catalog.changefeed(id)
	if err != nil {
		return VerifyReport{}, err
	}
	scheme, _, err := c.schemeOf(cf.SinkURI)
	if err != nil {
		return VerifyReport{}, err
	}
	verifier, ok := c.verifiers[scheme]
	if !ok {
		return VerifyReport{}, weirerr.New(weirerr.InvalidArgument, "a %s:// target cannot be compared with its source", scheme).
			With("changefeed", id).Hint("verify works for postgres:// targets")
	}
	if err := c.delivers(cf); err != nil {
		return VerifyReport{}, err
	}
	// Until the snapshot is at the target, what lacks there is no difference.
	now, err := c.sources.Now(ctx, cf.Source)
	if err == nil {
		err = c.waitFor(ctx, cf, now)
	}
	if err != nil {
		return VerifyReport{}, err
	}
	report, err := verifier.Verify(ctx, cf, limit)
	if err != nil {
		return report, err
	}
	report.Changefeed, report.Equal, report.Tables = id, true, nonNil(report.Tables)
	for i := range report.Tables {
		t := &report.Tables[i]
		t.Equal = t.Differing == 0
		t.Differences = nonNil(t.Differences)
		report.Equal = report.Equal && t.Equal
	}
	return report, nil
}
