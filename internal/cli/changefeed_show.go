package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// listed is what the list shows of a changefeed.
type listed struct {
	ID      string         `json:"id"`
	State   string         `json:"state"`
	Source  string         `json:"source"`
	SinkURI string         `json:"sink_uri"`
	Ts      ts.Ts          `json:"checkpoint_tso"`
	LagMs   int64          `json:"checkpoint_lag_ms"`
	Holder  control.Holder `json:"holder"`
}

func (l listed) lag() string {
	if l.Ts == 0 {
		return "-"
	}
	return short(time.Duration(l.LagMs) * time.Millisecond)
}

// shown is what a query shows of a changefeed.
type shown struct {
	ID             string                `json:"id"`
	State          string                `json:"state"`
	Source         string                `json:"source"`
	SinkURI        string                `json:"sink_uri"`
	Tables         []string              `json:"tables"`
	Start          string                `json:"start"`
	TargetTs       ts.Ts                 `json:"target_ts"`
	CheckpointTs   ts.Ts                 `json:"checkpoint_ts"`
	ResolvedTs     ts.Ts                 `json:"resolved_ts"`
	ConsistentFrom ts.Ts                 `json:"consistent_from"`
	LagMs          int64                 `json:"checkpoint_lag_ms"`
	Holder         control.Holder        `json:"holder"`
	Snapshot       control.Snapshot      `json:"snapshot"`
	SnapshotTables []control.TableStatus `json:"snapshot_tables"`
	PinBytes       int64                 `json:"pin_bytes"`
	RetryAt        time.Time             `json:"retry_at"`
	CreateTime     time.Time             `json:"create_time"`
	Error          *shownError           `json:"error"`
}

type shownError struct {
	control.Failure
	Code string `json:"code"`
}

func (a *app) changefeedQuery() *cobra.Command {
	return &cobra.Command{
		Use: "query NAME", Short: "Show a changefeed: state, checkpoint, what holds it, snapshot, error", Args: exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			answer, err := a.call(cmd.Context(), http.MethodGet, changefeedPath(args[0]), nil, nil)
			if err != nil {
				return err
			}
			c, err := decode[shown](answer)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) { a.printChangefeed(w, c) })
		},
	}
}

func (a *app) printChangefeed(w io.Writer, c shown) {
	checkpoint := when(c.CheckpointTs)
	if checkpoint != "" {
		checkpoint += "  " + short(time.Duration(c.LagMs)*time.Millisecond) + " behind"
	}
	state := c.State
	if !c.RetryAt.IsZero() {
		state += ", tries again in " + short(c.RetryAt.Sub(a.Now()))
	}
	pairs(w,
		"changefeed", c.ID,
		"state", state,
		"source", c.Source,
		"tables", or(strings.Join(c.Tables, ","), "every table"),
		"sink", c.SinkURI,
		"checkpoint", checkpoint,
		"resolved", when(c.ResolvedTs),
		"consistent from", or(when(c.ConsistentFrom), "not yet"),
		"target", when(c.TargetTs),
		"waits for", a.holder(c.Holder),
		"log it holds", size(c.PinBytes),
		"snapshot", snapshot(c.Snapshot),
		"created", c.CreateTime.Format("2006-01-02 15:04:05"),
	)
	for _, t := range c.SnapshotTables {
		line(w, "  %s  %s for %s, %d of about %d rows  %s", t.Table, t.Stage, a.ago(t.Since), t.RowsDone, t.RowsTotal, t.Waits)
	}
	if c.Error != nil {
		f := c.Error.Failure
		f.Code = weirerr.Code(strings.TrimPrefix(c.Error.Code, "WEIR:"))
		printFailure(w, &f)
	}
}

func (a *app) holder(h control.Holder) string {
	out := strings.TrimSpace(h.Stage + " " + h.Table)
	if out == "" {
		return ""
	}
	if age := a.ago(h.Since); age != "" {
		out += ", for " + age
	}
	if h.Waits != "" {
		out += ": " + h.Waits
	}
	return out
}

func snapshot(s control.Snapshot) string {
	if s.Tables == 0 {
		return ""
	}
	out := fmt.Sprintf("%d of about %d rows, %d tables to go", s.RowsDone, s.RowsTotal, s.Tables)
	if s.ETA >= 0 {
		out += ", about " + short(time.Duration(s.ETA)*time.Second) + " left"
	}
	return out
}

func (a *app) changefeedWait() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait NAME",
		Short: "Wait until all that was committed upstream before the call is delivered",
		Args:  exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout <= 0 {
				return usage(cmd, errors.New("--timeout must be positive"))
			}
			// The server ends the wait; some time more for its answer to come.
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout+30*time.Second)
			defer cancel()
			answer, err := a.callFor(ctx, http.MethodPost, "/api/weir/changefeeds/"+url.PathEscape(args[0])+"/wait",
				url.Values{"timeout": {timeout.String()}}, nil)
			if err != nil {
				return err
			}
			d, err := decode[control.Delivered](answer)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) { line(w, "delivered up to %s", when(d.CheckpointTs)) })
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "give up after this `time`, with exit code 1")
	return cmd
}

func (a *app) changefeedVerify() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "verify NAME",
		Short: "Compare source and target row by row at one position; exit code 1 when they differ",
		Args:  exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			answer, err := a.callFor(cmd.Context(), http.MethodPost, "/api/weir/changefeeds/"+url.PathEscape(args[0])+"/verify",
				url.Values{"limit": {strconv.Itoa(limit)}}, nil)
			if err != nil {
				return err
			}
			report, err := decode[control.VerifyReport](answer)
			if err != nil {
				return err
			}
			if err := a.show(answer, func(w io.Writer) { printReport(w, report) }); err != nil {
				return err
			}
			if !report.Equal {
				return errNo
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "differing keys to name, for each table")
	return cmd
}

func printReport(w io.Writer, r control.VerifyReport) {
	rows := [][]string{{"TABLE", "SOURCE ROWS", "TARGET ROWS", "DIFFERING", ""}}
	for _, t := range r.Tables {
		rows = append(rows, []string{t.Table, strconv.FormatInt(t.SourceRows, 10), strconv.FormatInt(t.TargetRows, 10),
			strconv.FormatInt(t.Differing, 10), t.Note})
	}
	table(w, rows...)
	for _, t := range r.Tables {
		for _, d := range t.Differences {
			line(w, "%s %s: %s %s", t.Table, d.Key, d.Kind, strings.Join(d.Columns, ", "))
		}
		if more := t.Differing - int64(len(t.Differences)); more > 0 && len(t.Differences) > 0 {
			line(w, "%s: %d more", t.Table, more)
		}
	}
	if r.Equal {
		line(w, "equal at %s", when(r.Ts))
	} else {
		line(w, "not equal at %s", when(r.Ts))
	}
}
