package control

import (
	"context"

	"github.com/weirstream/weir/internal/filter"
)

// TableChoice says what a changefeed with certain rules would deliver.
type TableChoice struct {
	Eligible   []Table
	Ineligible []IneligibleTable
}

// IneligibleTable is a table that the rules take and the sink cannot.
type IneligibleTable struct {
	Table
	Reason string `json:"reason"`
}

// VerifyTables lists the tables that the rules take from a source (empty: the
// only one), and which of them the sink could not deliver. An empty sink takes all.
func (c *Control) VerifyTables(ctx context.Context, source string, rules []string, sinkURI string) (TableChoice, error) {
	choice, err := c.verifyTables(ctx, source, rules, sinkURI)
	return choice, c.hide(err)
}

func (c *Control) verifyTables(ctx context.Context, source string, rules []string, sinkURI string) (TableChoice, error) {
	var choice TableChoice
	if source == "" {
		only, err := c.onlySource()
		if err != nil {
			return choice, err
		}
		source = only
	}
	if _, err := c.catalog.source(source); err != nil {
		return choice, err
	}
	f, err := filter.Parse(rules)
	if err != nil {
		return choice, err
	}
	describe := func(Table) string { return "" }
	if sinkURI != "" {
		sink, _, err := c.sinkOf(sinkURI)
		if err != nil {
			return choice, err
		}
		describe = sink.Describe
	}
	tables, err := c.sources.Tables(ctx, source)
	if err != nil {
		return choice, err
	}
	for _, t := range tables {
		if !f.Match(t.Namespace, t.Name) {
			continue
		}
		if reason := describe(t); reason != "" {
			choice.Ineligible = append(choice.Ineligible, IneligibleTable{t, reason})
		} else {
			choice.Eligible = append(choice.Eligible, t)
		}
	}
	return choice, nil
}
