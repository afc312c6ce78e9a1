package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) checkCommand() *cobra.Command {
	var address, tables, source, role string
	var printSQL bool
	cmd := &cobra.Command{
		Use:   "check --url postgres://…",
		Short: "Preflight of an upstream: each fault with its remedy; exit code 1 when there is one",
		Long: `Preflight of an upstream: each fault with its remedy; exit code 1 when there is one. It connects from here, needs no
server and changes nothing. --print-sql prints instead the grants and definitions that a database administrator runs for a
role with the least privilege.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if address == "" {
				return usage(cmd, errors.New("--url is needed"))
			}
			rules, err := splitRules(cmd, tables)
			if err != nil {
				return err
			}
			if printSQL {
				sql, err := a.CheckSQL(cmd.Context(), CheckSQLRequest{URL: address, Tables: rules, Source: source, Role: role})
				if err != nil {
					return err
				}
				return a.show(map[string]string{"sql": sql}, func(w io.Writer) { line(w, "%s", strings.TrimRight(sql, "\n")) })
			}
			report, err := a.Check(cmd.Context(), address, rules)
			if err != nil {
				return err
			}
			if err := a.show(report, func(w io.Writer) { printFindings(w, report) }); err != nil {
				return err
			}
			if !report.OK {
				return errNo
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&address, "url", "", "the upstream's `URL`, or env:NAME or file:PATH")
	cmd.Flags().StringVar(&tables, "tables", "", "table `rules`, separated by commas (default: every table)")
	cmd.Flags().StringVar(&source, "source", "shop", "the `NAME` that the source will have: slot and publications are named after it")
	cmd.Flags().StringVar(&role, "role", "", "the `ROLE` that the source will connect as (default: the URL's, or weir when that is a superuser)")
	cmd.Flags().BoolVar(&printSQL, "print-sql", false, "print what a database administrator runs")
	return cmd
}

func printFindings(w io.Writer, r CheckReport) {
	for _, f := range r.Findings {
		line(w, "%-8s %s", f.Severity, f.What)
		for l := range strings.Lines(f.Remedy) {
			line(w, "         %s", strings.TrimRight(l, "\n"))
		}
	}
	if r.OK {
		line(w, "ok: %s can be captured", r.Upstream)
	} else {
		line(w, "%s cannot be captured as it is", r.Upstream)
	}
}
