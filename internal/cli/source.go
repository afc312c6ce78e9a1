package cli

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/filter"
)

const sourcesPath = "/api/weir/sources"

// items is how the server lists.
type items[T any] struct {
	Items []T `json:"items"`
}

func (a *app) sourceCommand() *cobra.Command {
	return group("source", "Upstream databases that are captured",
		a.sourceCreate(), a.sourceList(), a.sourceQuery(), a.sourceResync(), a.sourceDrop())
}

// splitRules reads --tables; nil when it is not given.
func splitRules(cmd *cobra.Command, list string) ([]string, error) {
	f, err := filter.ParseList(list)
	if err != nil {
		return nil, usageError{err}
	}
	if !cmd.Flags().Changed("tables") {
		return nil, nil
	}
	return append([]string{}, f.Rules()...), nil
}

func (a *app) sourceCreate() *cobra.Command {
	var address, tables string
	cmd := &cobra.Command{
		Use:   "create NAME --url postgres://…",
		Short: "Create a source and start capturing",
		Long: `Create a source and start capturing.

The URL is a PostgreSQL connection string, or a reference that the server looks up each time it connects:
env:NAME (an environment variable of the server) or file:PATH (a file on the server).`,
		Example: `  weir source create shop --url postgres://weir@db:5432/shop?sslmode=verify-full --tables 'public.*,!public.secret'`,
		Args:    exactly(1, "the source's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if address == "" {
				return usage(cmd, errors.New("--url is needed"))
			}
			rules, err := splitRules(cmd, tables)
			if err != nil {
				return err
			}
			answer, err := a.call(cmd.Context(), http.MethodPost, sourcesPath, nil,
				control.CreateSource{Name: args[0], URL: address, Tables: rules})
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) { line(w, "source %s created", args[0]) })
		},
	}
	cmd.Flags().StringVar(&address, "url", "", "the upstream's `URL`, or env:NAME or file:PATH")
	cmd.Flags().StringVar(&tables, "tables", "", "table `rules`, separated by commas: public.*,!public.secret (default: every table)")
	return cmd
}

func (a *app) sourceList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List sources", Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := a.call(cmd.Context(), http.MethodGet, sourcesPath, nil, nil)
			if err != nil {
				return err
			}
			list, err := decode[items[control.SourceInfo]](answer)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) {
				rows := [][]string{{"NAME", "STATE", "FOR", "TABLES", "CHANGEFEEDS", "URL"}}
				for _, s := range list.Items {
					rows = append(rows, []string{s.Name, s.Status.State, or(a.ago(s.Status.Since), "-"),
						strconv.Itoa(s.Status.TableCount), strconv.Itoa(len(s.Changefeeds)), s.URL})
				}
				table(w, rows...)
			})
		},
	}
}

func (a *app) sourceQuery() *cobra.Command {
	return &cobra.Command{
		Use: "query NAME", Short: "Show a source", Args: exactly(1, "the source's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			answer, err := a.call(cmd.Context(), http.MethodGet, sourcesPath+"/"+url.PathEscape(args[0]), nil, nil)
			if err != nil {
				return err
			}
			s, err := decode[control.SourceInfo](answer)
			if err != nil {
				return err
			}
			return a.show(answer, func(w io.Writer) { a.printSource(w, s) })
		},
	}
}

func (a *app) printSource(w io.Writer, s control.SourceInfo) {
	state := s.Status.State
	if age := a.ago(s.Status.Since); age != "" {
		state += " for " + age
	}
	pairs(w,
		"source", s.Name,
		"url", s.URL,
		"tables", or(strings.Join(s.Tables, ","), "every table"),
		"captured", strconv.Itoa(s.Status.TableCount)+" tables",
		"state", state,
		"waits for", s.Status.Waits,
		"upstream", strings.TrimSpace("database "+s.Upstream.Database+" of system "+s.Upstream.System+" "+s.Upstream.Version),
		"position", s.Status.Position,
		"durable", when(s.Status.DurableTs),
		"resolved", when(s.Status.ResolvedTs),
		"changefeeds", strings.Join(s.Changefeeds, ", "),
		"unfinished", string(s.Intent),
		"created", s.CreatedAt.Format("2006-01-02 15:04:05"),
	)
	printFailure(w, s.Status.Error)
}

func printFailure(w io.Writer, f *control.Failure) {
	if f == nil {
		return
	}
	line(w, "error   %s %s: %s", f.Time.Format("2006-01-02 15:04:05"), f.Code, f.Message)
	for _, x := range f.Fields {
		line(w, "        %s %s", x.Name, x.Value)
	}
	if f.Hint != "" {
		line(w, "        %s", f.Hint)
	}
}

func (a *app) sourceResync() *cobra.Command {
	return &cobra.Command{
		Use:   "resync NAME",
		Short: "Start over after a lost slot or data directory",
		Long: `Start over after a lost slot or data directory: the source streams from now on with a new slot, and each of its
changefeeds snapshots its tables anew and reconciles its target, deletes included.`,
		Args: exactly(1, "the source's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.do(cmd, http.MethodPost, sourcesPath+"/"+url.PathEscape(args[0])+"/resync", nil, nil,
				"source "+args[0]+" is being resynchronised; weir changefeed query shows the snapshots")
		},
	}
}

func (a *app) sourceDrop() *cobra.Command {
	var cascade, force bool
	cmd := &cobra.Command{
		Use:   "drop NAME",
		Short: "Drop a source, with its slot, publications and triggers upstream",
		Args:  exactly(1, "the source's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := url.Values{"cascade": {strconv.FormatBool(cascade)}, "force": {strconv.FormatBool(force)}}
			return a.do(cmd, http.MethodDelete, sourcesPath+"/"+url.PathEscape(args[0]), query, nil, "source "+args[0]+" dropped")
		},
	}
	cmd.Flags().BoolVar(&cascade, "cascade", false, "remove the changefeeds that use it first")
	cmd.Flags().BoolVar(&force, "force", false, "go on when the upstream cannot be reached; slot and publications may stay there")
	return cmd
}

// do sends a command whose answer has nothing to tell.
func (a *app) do(cmd *cobra.Command, method, path string, query url.Values, body any, done string) error {
	answer, err := a.call(cmd.Context(), method, path, query, body)
	if err != nil {
		return err
	}
	return a.show(json.RawMessage(answer), func(w io.Writer) { line(w, "%s", done) })
}
