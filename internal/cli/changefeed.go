package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

const changefeedsPath = "/api/v2/changefeeds"

func changefeedPath(id string) string { return changefeedsPath + "/" + url.PathEscape(id) }

func (a *app) changefeedCommand() *cobra.Command {
	return group("changefeed", "Deliveries of a source's changes to a target",
		a.changefeedCreate(), a.changefeedList(), a.changefeedQuery(), a.changefeedPause(), a.changefeedResume(),
		a.changefeedUpdate(), a.changefeedRemove(), a.changefeedWait(), a.changefeedVerify())
}

// changefeedFlags are those that create and update share.
type changefeedFlags struct {
	tables, sink, config, targetTs string
}

func (f *changefeedFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.tables, "tables", "", "table `rules`, separated by commas: public.*,!public.secret (default: every table of the source)")
	flags.StringVar(&f.sink, "sink", "", "the target's `URI`: postgres://…, file:///dir or blackhole://; or env:NAME or file:PATH")
	flags.StringVar(&f.config, "config", "", "TOML `file` with options, see docs/configuration.md")
	flags.StringVar(&f.targetTs, "target-ts", "", "deliver up to this `Ts`, then finish (0: go on for ever)")
}

// body is what create and update send.
type body struct {
	ID       string          `json:"changefeed_id,omitempty"`
	Source   string          `json:"source,omitempty"`
	SinkURI  string          `json:"sink_uri,omitempty"`
	Tables   []string        `json:"tables,omitzero"` // empty: every table; nil: as it is
	Config   json.RawMessage `json:"config,omitempty"`
	Start    string          `json:"start,omitempty"`
	StartTs  ts.Ts           `json:"start_ts,omitempty"`
	TargetTs *ts.Ts          `json:"target_ts,omitempty"`
}

func (f *changefeedFlags) body(cmd *cobra.Command) (b body, err error) {
	if b.Tables, err = splitRules(cmd, f.tables); err != nil {
		return b, err
	}
	b.SinkURI = f.sink
	if f.config != "" {
		if b.Config, err = readOptions(f.config); err != nil {
			return b, err
		}
	}
	if f.targetTs != "" {
		t, err := ts.Parse(f.targetTs)
		if err != nil {
			return b, usage(cmd, fmt.Errorf("--target-ts: %w", err))
		}
		b.TargetTs = &t
	}
	return b, nil
}

// readOptions reads a file strictly and gives the keys it has as JSON: what it
// leaves out stays as it is at the server.
func readOptions(path string) (json.RawMessage, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError{weirerr.New(weirerr.InvalidArgument, "cannot read --config").Wrap(err)}
	}
	cfg := config.DefaultChangefeed()
	if err := cfg.ReadTOML(path, text); err != nil {
		return nil, usageError{err}
	}
	var keys map[string]any
	if err := toml.Unmarshal(text, &keys); err != nil {
		return nil, usageError{err}
	}
	return json.Marshal(keys)
}

func (a *app) changefeedCreate() *cobra.Command {
	var f changefeedFlags
	var source, start string
	cmd := &cobra.Command{
		Use:   "create NAME --sink URI",
		Short: "Create a changefeed and start delivering",
		Example: `  weir changefeed create cf1 --source shop --tables 'public.*,!public.secret' --sink postgres://weir@dw/shop
  weir changefeed create files --sink file:///var/lib/changes --start now`,
		Args: exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := f.body(cmd)
			if err != nil {
				return err
			}
			if f.sink == "" {
				return usage(cmd, errors.New("--sink is needed"))
			}
			b.ID, b.Source, b.Start = args[0], source, start
			if start != string(control.StartInitial) && start != string(control.StartNow) {
				if b.StartTs, err = ts.Parse(start); err != nil {
					return usage(cmd, errors.New("--start is initial, now or a Ts"))
				}
				b.Start = ""
			}
			answer, err := a.call(cmd.Context(), http.MethodPost, changefeedsPath, nil, b)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) { line(w, "changefeed %s created", args[0]) })
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&source, "source", "", "the source's `name` (may be left out when there is only one)")
	cmd.Flags().StringVar(&start, "start", string(control.StartInitial), "`where` to begin: initial (a snapshot first), now, or a Ts of the log")
	return cmd
}

func (a *app) changefeedUpdate() *cobra.Command {
	var f changefeedFlags
	cmd := &cobra.Command{
		Use:   "update NAME",
		Short: "Change a changefeed that is stopped or failed; it stays so until resumed",
		Args:  exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := f.body(cmd)
			if err != nil {
				return err
			}
			if b.SinkURI == "" && b.Tables == nil && b.Config == nil && b.TargetTs == nil {
				return usage(cmd, errors.New("nothing to change"))
			}
			answer, err := a.call(cmd.Context(), http.MethodPut, changefeedPath(args[0]), nil, b)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) {
				line(w, "changefeed %s updated; weir changefeed resume %s goes on with it", args[0], args[0])
			})
		},
	}
	f.register(cmd)
	return cmd
}

func (a *app) changefeedPause() *cobra.Command {
	return &cobra.Command{
		Use: "pause NAME", Short: "Stop delivering; the log keeps what is not delivered", Args: exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, http.MethodPost, changefeedPath(args[0])+"/pause", nil, nil, "changefeed "+args[0]+" paused")
		},
	}
}

func (a *app) changefeedResume() *cobra.Command {
	var overwrite string
	cmd := &cobra.Command{
		Use: "resume NAME", Short: "Go on after a pause, a failure or the target Ts", Args: exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]ts.Ts{}
			if overwrite != "" {
				t, err := ts.Parse(overwrite)
				if err != nil {
					return usage(cmd, fmt.Errorf("--overwrite-checkpoint-ts: %w", err))
				}
				body["overwrite_checkpoint_ts"] = t
			}
			return a.do(cmd, http.MethodPost, changefeedPath(args[0])+"/resume", nil, body, "changefeed "+args[0]+" resumed")
		},
	}
	cmd.Flags().StringVar(&overwrite, "overwrite-checkpoint-ts", "", "go on after this `Ts` instead of the checkpoint")
	return cmd
}

func (a *app) changefeedRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "End a changefeed and free what it holds; the target stays as it is", Args: exactly(1, "the changefeed's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := a.call(cmd.Context(), http.MethodGet, changefeedPath(args[0]), nil, nil)
			found := weirerr.CodeOf(err) != weirerr.NotFound
			if err != nil && found {
				return err
			}
			if found {
				if _, err := a.call(cmd.Context(), http.MethodDelete, changefeedPath(args[0]), nil, nil); err != nil {
					return err
				}
			}
			return a.show(map[string]any{"id": args[0], "removed": found}, func(w io.Writer) {
				if found {
					line(w, "changefeed %s removed", args[0])
				} else {
					line(w, "changefeed %s not found", args[0])
				}
			})
		},
	}
}

func (a *app) changefeedList() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List changefeeds", Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			query := url.Values{}
			if all {
				query.Set("state", "all")
			}
			answer, err := a.call(cmd.Context(), http.MethodGet, changefeedsPath, query, nil)
			if err != nil {
				return err
			}
			list, err := decode[items[listed]](answer)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) {
				rows := [][]string{{"NAME", "STATE", "SOURCE", "LAG", "WAITS FOR", "SINK"}}
				for _, c := range list.Items {
					rows = append(rows, []string{c.ID, c.State, c.Source, c.lag(), or(strings.TrimSpace(c.Holder.Stage+" "+c.Holder.Table), "-"), c.SinkURI})
				}
				table(w, rows...)
			})
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "finished ones too")
	return cmd
}
