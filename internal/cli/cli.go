package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Programs are the parts that the command line starts but does not contain, and
// the process around it. All must be set.
type Programs struct {
	Version string
	// Serve runs a server until ctx ends. It has then saved its checkpoints.
	Serve func(ctx context.Context, cfg config.Server, version string) error
	// Check asks the upstream at url whether it can be captured. It changes nothing there.
	Check func(ctx context.Context, url string, tables []string) (CheckReport, error)
	// CheckSQL prints what a database administrator runs so that it can be.
	CheckSQL func(ctx context.Context, r CheckSQLRequest) (string, error)
	// VerifyLog checks every record of the log in a data directory, without changing it.
	VerifyLog func(ctx context.Context, dir string) ([]LogReport, error)
	// InspectLog calls each with the entries of a data directory's log, in order.
	InspectLog func(ctx context.Context, dir string, which LogSelection, each func(LogEntry) error) error
	// BenchNexmark measures a query in this process.
	BenchNexmark func(ctx context.Context, r NexmarkRun) (NexmarkReport, error)

	Stdout, Stderr io.Writer
	Env            func(name string) (string, bool)
	Now            func() time.Time
}

// CheckSQLRequest says for which source the SQL is.
type CheckSQLRequest struct {
	URL    string
	Tables []string // rules
	Source string   // its name
	Role   string   // it will connect as
}

// CheckReport is what a preflight found.
type CheckReport struct {
	Upstream string    `json:"upstream"` // what was asked, in words
	OK       bool      `json:"ok"`
	Findings []Finding `json:"findings"`
}

// Finding is one thing that is not as it should be, and what to do about it.
type Finding struct {
	Severity string `json:"severity"` // error, warning or note
	What     string `json:"what"`
	Remedy   string `json:"remedy"`
}

// LogReport is what was found in one channel.
type LogReport struct {
	Channel  string   `json:"channel"`
	OK       bool     `json:"ok"`
	FirstTs  ts.Ts    `json:"first_ts"`
	LastTs   ts.Ts    `json:"last_ts"`
	Entries  int64    `json:"entries"`
	Bytes    int64    `json:"bytes"`
	Segments int      `json:"segments"`
	Faults   []string `json:"faults"` // damage
	Notes    []string `json:"notes"`  // what the next start repairs by itself
}

// LogSelection says which entries to show.
type LogSelection struct {
	Channel string // empty: all
	After   ts.Ts
	Changes bool // decode the changes of each entry
}

// LogEntry is one entry as shown.
type LogEntry struct {
	Channel  string   `json:"channel"`
	Ts       ts.Ts    `json:"ts"`
	Term     uint64   `json:"term"`
	Kind     string   `json:"kind"` // transaction or marker
	Position string   `json:"position,omitempty"`
	Xid      uint64   `json:"xid,omitempty"`
	CommitUs int64    `json:"commit_us,omitempty"`
	Bytes    int64    `json:"bytes"`
	Count    int64    `json:"changes"` // -1: not known
	Large    bool     `json:"large,omitempty"`
	Changes  []string `json:"change_list,omitempty"`
	Damage   string   `json:"damage,omitempty"` // in place of all else
}

// Exit codes.
const (
	exitNo          = 1
	exitUsage       = 2
	exitUnreachable = 3
)

// errNo ends a command whose answer is no and has been printed.
var errNo = errors.New("the answer is no")

// usageError is a mistake in the arguments.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

type app struct {
	Programs
	server    string
	tokenFile string
	caFile    string
	output    string
}

// Run carries out one command line and returns the exit code.
func Run(ctx context.Context, p Programs, args []string) int {
	a := &app{Programs: p}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, errNo) {
		return exitNo
	}
	a.printError(err)
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case weirerr.CodeOf(err) == weirerr.Unreachable:
		return exitUnreachable
	}
	return exitNo
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "weir",
		Short: "A streaming database: captures PostgreSQL, keeps its changes in a durable log, delivers them exactly once",
		Long: `A streaming database: captures PostgreSQL, keeps its changes in a durable log, delivers them exactly once.

Exit codes: 0 done; 1 the answer is no (a fault was found, rows differ, a wait timed out, the server refused);
2 wrong usage; 3 the server cannot be reached.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          helpOrUnknown,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err) })
	flags := root.PersistentFlags()
	flags.StringVar(&a.server, "server", a.env("WEIR_SERVER", "http://127.0.0.1:8300"), "the server's `URL` (env WEIR_SERVER)")
	flags.StringVar(&a.tokenFile, "token-file", a.env("WEIR_TOKEN_FILE", ""), "`file` with the server's bearer token (env WEIR_TOKEN_FILE)")
	flags.StringVar(&a.caFile, "ca", a.env("WEIR_CA", ""), "PEM `file` with the authority that signed the server's certificate (env WEIR_CA)")
	flags.StringVarP(&a.output, "output", "o", "text", "text or json")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if a.output != "text" && a.output != "json" {
			return usage(cmd, errors.New("-o is text or json"))
		}
		return nil
	}
	root.AddCommand(a.serveCommand(), a.checkCommand(), a.sourceCommand(), a.changefeedCommand(), a.logCommand(), a.benchCommand(), a.versionCommand())
	return root
}

func (a *app) env(name, missing string) string {
	if v, ok := a.Env(name); ok && v != "" {
		return v
	}
	return missing
}

// usage marks err as a mistake in the arguments of cmd.
func usage(cmd *cobra.Command, err error) error {
	return usageError{weirerr.New(weirerr.InvalidArgument, "%v", err).Hint("see %s --help", cmd.CommandPath())}
}

// exactly wants n arguments and names them when they are missing.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usage(cmd, errors.New("expected "+what))
	}
}

// group is a command that only holds others. A name that is none of them is a mistake.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, RunE: helpOrUnknown}
	g.AddCommand(commands...)
	return g
}

func helpOrUnknown(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, errors.New("unknown command "+args[0]))
	}
	return cmd.Help()
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			return a.show(map[string]string{"version": a.Version}, func(w io.Writer) { line(w, "weir %s", a.Version) })
		},
	}
}

// OS is the process's own streams, environment and clock.
func OS(p Programs) Programs {
	p.Stdout, p.Stderr, p.Env, p.Now = os.Stdout, os.Stderr, os.LookupEnv, time.Now
	return p
}
