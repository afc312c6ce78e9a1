package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/ts"
)

func (a *app) logCommand() *cobra.Command {
	return group("log", "The durable log", a.logStatus(), a.logVerify(), a.logInspect())
}

func (a *app) logStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show each channel: first and last Ts, checkpoint, bytes, who holds the minimum and since when", Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := a.call(cmd.Context(), http.MethodGet, "/api/weir/log", nil, nil)
			if err != nil {
				return err
			}
			list, err := decode[items[control.ChannelStatus]](answer)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) {
				for _, c := range list.Items {
					a.printChannel(w, c)
				}
			})
		},
	}
}

func (a *app) printChannel(w io.Writer, c control.ChannelStatus) {
	holder := "nobody"
	if h := c.Holder; h != nil {
		holder = fmt.Sprintf("%s at %s, for %s, keeps %s", h.Owner, h.Ts, or(a.ago(h.Since), "0s"), size(h.Bytes))
	}
	pairs(w,
		"channel", c.Channel,
		"  source", c.Source,
		"  first", or(when(c.FirstTs), "empty"),
		"  last", when(c.LastTs),
		"  resolved", when(c.ResolvedTs),
		"  checkpoint", when(c.CheckpointTs),
		"  truncated", when(c.TruncatedTs),
		"  size", fmt.Sprintf("%s in %d segments, term %d", size(c.Bytes), c.Segments, c.Term),
		"  held by", holder,
		"  repaired", c.Repaired,
	)
}

func (a *app) logVerify() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "verify --data-dir DIR",
		Short: "Check every record of a data directory's log, without a server; exit code 1 when one is damaged",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return usage(cmd, errors.New("--data-dir is needed"))
			}
			reports, err := a.VerifyLog(cmd.Context(), dir)
			if err != nil {
				return err
			}
			ok := true
			for _, r := range reports {
				ok = ok && r.OK
			}
			if err := a.show(reports, func(w io.Writer) { printLogReports(w, reports) }); err != nil {
				return err
			}
			if !ok {
				return errNo
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "data-dir", a.env("WEIR_DATA_DIR", ""), "the server's data `directory` (env WEIR_DATA_DIR)")
	return cmd
}

func printLogReports(w io.Writer, reports []LogReport) {
	rows := [][]string{{"CHANNEL", "ENTRIES", "SIZE", "SEGMENTS", "FIRST", "LAST", "RESULT"}}
	for _, r := range reports {
		result := "ok"
		if !r.OK {
			result = "damaged"
		}
		rows = append(rows, []string{r.Channel, strconv.FormatInt(r.Entries, 10), size(r.Bytes), strconv.Itoa(r.Segments),
			r.FirstTs.String(), r.LastTs.String(), result})
	}
	table(w, rows...)
	for _, r := range reports {
		for _, f := range append(r.Faults, r.Notes...) {
			line(w, "%s: %s", r.Channel, f)
		}
	}
}

func (a *app) logInspect() *cobra.Command {
	var dir, after string
	var limit int
	var which LogSelection
	cmd := &cobra.Command{
		Use:   "inspect --data-dir DIR",
		Short: "Print the entries of a data directory's log, without a server",
		Long: `Print the entries of a data directory's log, without a server. With -o json one object a line.
Rows are data of your tables: --changes prints them.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" {
				return usage(cmd, errors.New("--data-dir is needed"))
			}
			if after != "" {
				t, err := ts.Parse(after)
				if err != nil {
					return usage(cmd, fmt.Errorf("--after: %w", err))
				}
				which.After = t
			}
			return a.inspect(cmd, dir, which, limit)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&dir, "data-dir", a.env("WEIR_DATA_DIR", ""), "the server's data `directory` (env WEIR_DATA_DIR)")
	flags.StringVar(&which.Channel, "channel", "", "only this `channel`")
	flags.StringVar(&after, "after", "", "only entries after this `Ts`")
	flags.IntVar(&limit, "limit", 1000, "stop after so many entries (0: never)")
	flags.BoolVar(&which.Changes, "changes", false, "print the changes of each entry")
	return cmd
}

// errEnough ends an inspection at its limit.
var errEnough = errors.New("enough")

func (a *app) inspect(cmd *cobra.Command, dir string, which LogSelection, limit int) error {
	n := 0
	err := a.InspectLog(cmd.Context(), dir, which, func(e LogEntry) error {
		if limit > 0 && n == limit {
			return errEnough
		}
		n++
		return a.printEntry(e)
	})
	if errors.Is(err, errEnough) {
		if a.output == "text" {
			line(a.Stderr, "there are more; see --after and --limit")
		}
		return nil
	}
	return err
}

func (a *app) printEntry(e LogEntry) error {
	if a.output == "json" {
		return printLine(a.Stdout, e)
	}
	if e.Damage != "" {
		line(a.Stdout, "%s damage: %s", e.Channel, e.Damage)
		return nil
	}
	count := strconv.FormatInt(e.Count, 10)
	if e.Count < 0 {
		count = "?"
	}
	large := ""
	if e.Large {
		large = " large"
	}
	line(a.Stdout, "%s %s term %d%s %s xid %d position %s: %s changes, %s", e.Channel, e.Ts, e.Term, large, e.Kind, e.Xid,
		or(e.Position, "-"), count, size(e.Bytes))
	for _, c := range e.Changes {
		line(a.Stdout, "  %s", strings.ReplaceAll(c, "\n", `\n`))
	}
	return nil
}
