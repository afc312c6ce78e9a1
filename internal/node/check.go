package node

import (
	"context"

	"github.com/weirstream/weir/internal/adapter/postgres"
	"github.com/weirstream/weir/internal/cli"
	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/secret"
)

// Check asks the upstream at url whether it can be captured.
func Check(ctx context.Context, url string, tables []string) (cli.CheckReport, error) {
	rules, err := filter.Parse(tables)
	if err != nil {
		return cli.CheckReport{}, err
	}
	found, err := postgres.Check(ctx, url, rules)
	if err != nil {
		return cli.CheckReport{}, err
	}
	report := cli.CheckReport{Upstream: secret.Mask(url), OK: true, Findings: []cli.Finding{}}
	for _, f := range found {
		report.OK = report.OK && f.Severity != postgres.Error
		report.Findings = append(report.Findings, cli.Finding{Severity: string(f.Severity), What: f.What, Remedy: f.Remedy})
	}
	return report, nil
}

// CheckSQL is what a database administrator runs so that a role without any
// ownership can be captured from.
func CheckSQL(ctx context.Context, r cli.CheckSQLRequest) (string, error) {
	rules, err := filter.Parse(r.Tables)
	if err != nil {
		return "", err
	}
	return postgres.PrintSQL(ctx, postgres.Config{Name: r.Source, URL: r.URL, Tables: rules}, r.Role)
}
