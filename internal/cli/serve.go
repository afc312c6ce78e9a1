package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/weirerr"
)

// stopTimeout is how long a server may take to save its checkpoints and end.
const stopTimeout = 10 * time.Second

// option is a flag that sets a field of the server's configuration later, after
// file and environment have been read.
type option struct {
	field config.Field
	given map[string]string // by path
}

func (o option) String() string { return o.field.String() }
func (o option) Type() string   { return o.field.Kind() }
func (o option) Set(s string) error {
	o.given[o.field.Path] = s
	return nil
}

func (a *app) serveCommand() *cobra.Command {
	defaults := config.DefaultServer()
	given := make(map[string]string)
	var file string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run a server",
		Long: `Run a server. Each option comes from the last of these that has it: the default, the file given with --config, the
environment (WEIR_DATA_DIR, …), the flag. docs/configuration.md lists them.

SIGTERM or SIGINT saves the last checkpoints and ends the server within 10 seconds.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.serverConfig(file, given)
			if err != nil {
				return usageError{err}
			}
			line(a.Stderr, "weir %s serves with these options:\n\n%s", a.Version, cfg.Effective())
			return a.serve(cmd.Context(), cfg)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "config", a.env("WEIR_CONFIG", ""), "TOML `file` with options (env WEIR_CONFIG)")
	for _, f := range config.Fields(&defaults) {
		flag := flags.VarPF(option{f, given}, f.Flag(), "", f.Doc)
		if f.IsBool() {
			flag.NoOptDefVal = "true"
		}
	}
	return cmd
}

// serverConfig puts the options together.
func (a *app) serverConfig(file string, given map[string]string) (config.Server, error) {
	cfg := config.DefaultServer()
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return cfg, weirerr.New(weirerr.InvalidArgument, "cannot read --config").Wrap(err)
		}
		if err := cfg.ReadServer(file, text); err != nil {
			return cfg, err
		}
	}
	if err := cfg.ApplyEnv(a.Env); err != nil {
		return cfg, err
	}
	for _, f := range config.Fields(&cfg) {
		if text, ok := given[f.Path]; ok {
			if err := f.Set(text); err != nil {
				return cfg, weirerr.New(weirerr.InvalidArgument, "--%s: %v", f.Flag(), err)
			}
		}
	}
	return cfg, cfg.Validate()
}

// serve runs the server until a signal, and a second signal ends it at once.
func (a *app) serve(ctx context.Context, cfg config.Server) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- a.Serve(ctx, cfg, a.Version) }()
	select {
	case err := <-done:
		return ended(err)
	case <-ctx.Done():
	}
	stop() // from here on a signal has its default effect
	select {
	case err := <-done:
		return ended(err)
	case <-time.After(stopTimeout):
		return fmt.Errorf("the server did not end within %s; what was delivered is safe, the last checkpoints may be older", stopTimeout)
	}
}

// ended takes the end that was asked for as no error.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
