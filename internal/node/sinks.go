package node

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/adapter/blackhole"
	"github.com/weirstream/weir/internal/adapter/file"
	"github.com/weirstream/weir/internal/adapter/postgres"
	"github.com/weirstream/weir/internal/codec/debezium"
	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/weirerr"
)

// sinkOptions are what a sink of a changefeed is made from.
type sinkOptions struct {
	changefeed control.Changefeed
	uri        string // resolved
	upstream   control.Upstream
	reconcile  bool // the target may hold rows that the source no longer has
}

// sinkKind is one kind of target. This table is where a new adapter is wired in.
type sinkKind struct {
	control.Sink
	open func(o sinkOptions) (feed.Sink, error)
}

// sinkKinds are the kinds of target by URI scheme.
func sinkKinds(log *slog.Logger) map[string]sinkKind {
	pg := sinkKind{postgresTarget{}, func(o sinkOptions) (feed.Sink, error) { return openPostgres(o, log) }}
	hole := blackhole.New()
	return map[string]sinkKind{
		"postgres":   pg,
		"postgresql": pg,
		"blackhole":  {blackholeTarget{}, func(sinkOptions) (feed.Sink, error) { return hole.Sink(), nil }},
		"file":       {fileTarget{}, func(o sinkOptions) (feed.Sink, error) { return openFile(o, log) }},
	}
}

// schemeOf is the scheme of a resolved sink URI.
func schemeOf(uri string) string {
	scheme, _, _ := strings.Cut(uri, ":")
	return scheme
}

type postgresTarget struct{}

func (postgresTarget) Check(ctx context.Context, uri string, _ *config.Changefeed) error {
	return postgres.CheckTarget(ctx, uri)
}

func (postgresTarget) Describe(control.Table) string { return "" }

func openPostgres(o sinkOptions, log *slog.Logger) (feed.Sink, error) {
	cfg := &o.changefeed.Config
	return postgres.NewSink(postgres.SinkConfig{
		URL: o.uri, SchemaPolicy: cfg.SchemaPolicy, Merge: cfg.Merge, Reconcile: o.reconcile,
	}, log), nil
}

type fileTarget struct{}

func (fileTarget) Check(_ context.Context, uri string, _ *config.Changefeed) error {
	cfg, err := file.Parse(uri)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.Dir, 0o750); err != nil {
		return weirerr.New(weirerr.TargetRights, "cannot create the sink's directory").With("directory", cfg.Dir).Wrap(err).
			Hint("create it, writable for the user that runs weir")
	}
	probe, err := os.CreateTemp(cfg.Dir, ".weir-probe-*")
	if err != nil {
		return weirerr.New(weirerr.TargetRights, "cannot write to the sink's directory").With("directory", cfg.Dir).Wrap(err).
			Hint("make it writable for the user that runs weir")
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

func (fileTarget) Describe(control.Table) string { return "" }

func openFile(o sinkOptions, log *slog.Logger) (feed.Sink, error) {
	cfg, err := file.Parse(o.uri)
	if err != nil {
		return nil, err
	}
	if err := fileDefaults(&cfg, o); err != nil {
		return nil, err
	}
	cfg.Encoding.Source = debezium.Source{
		Name: o.changefeed.Source, DB: o.upstream.Database, Version: o.changefeed.Version,
	}
	return file.New(cfg, time.Now, log), nil
}

// fileDefaults takes the changefeed's options for what the URI does not say.
func fileDefaults(cfg *file.Config, o sinkOptions) error {
	u, err := url.Parse(o.uri)
	if err != nil {
		return err
	}
	said, options := u.Query(), o.changefeed.Config.File
	if !said.Has("file_size") {
		cfg.FileBytes = int64(options.MaxBytes)
	}
	if !said.Has("file_age") {
		cfg.FileAge = options.MaxAge.Std()
	}
	if !said.Has("file_commits") {
		cfg.FileCommits = options.MaxCommits
	}
	if !said.Has("resolved") {
		cfg.Resolved = options.ResolvedEvery.Std()
	}
	return nil
}

type blackholeTarget struct{}

func (blackholeTarget) Check(_ context.Context, uri string, _ *config.Changefeed) error {
	return blackhole.Check(uri)
}

func (blackholeTarget) Describe(control.Table) string { return "" }
