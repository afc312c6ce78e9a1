package control

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/weirerr"
)

// Options are what a Control works with. All must be set, except Verify's
// entries: a scheme without one cannot be verified.
type Options struct {
	Store       *metastore.Store
	Sources     Sources
	Changefeeds Changefeeds
	Log         Log
	Sinks       map[string]Sink     // by URI scheme
	Verifiers   map[string]Verifier // by URI scheme
	Lookup      secret.Lookup       // of references
	Redactor    *secret.Redactor    // learns every secret that is resolved here
	Logger      *slog.Logger
	Now         func() time.Time
	Version     string // of this program, noted in definitions
}

// Control carries out commands. It is safe for concurrent use.
type Control struct {
	catalog     catalog
	sources     Sources
	changefeeds Changefeeds
	log         Log
	sinks       map[string]Sink
	verifiers   map[string]Verifier
	lookup      secret.Lookup
	redactor    *secret.Redactor
	logger      *slog.Logger
	now         func() time.Time
	version     string
	locks       locks
}

// New makes a Control. Nothing runs before Restore.
func New(o Options) *Control {
	return &Control{
		catalog:     catalog{o.Store},
		sources:     o.Sources,
		changefeeds: o.Changefeeds,
		log:         o.Log,
		sinks:       o.Sinks,
		verifiers:   o.Verifiers,
		lookup:      o.Lookup,
		redactor:    o.Redactor,
		logger:      o.Logger,
		now:         o.Now,
		version:     o.Version,
	}
}

// Restore starts everything that is defined, sources first, and finishes the
// commands that a crash interrupted. The failure of one definition is logged and
// does not keep the others from starting; what cannot start shows it in its status.
func (c *Control) Restore(ctx context.Context) error {
	sources, err := c.catalog.sources()
	if err != nil {
		return err
	}
	feeds, err := c.catalog.changefeeds()
	if err != nil {
		return err
	}
	for _, s := range sources {
		c.learn(s.URL)
		if err := c.sources.Start(ctx, s); err != nil {
			c.complain("source", s.Name, "cannot start", err)
		}
	}
	for _, cf := range feeds {
		c.learn(cf.SinkURI)
		if cf.Intent == IntentRemove {
			continue
		}
		if err := c.changefeeds.Start(ctx, cf); err != nil {
			c.complain("changefeed", cf.ID, "cannot start", err)
		}
	}
	c.finish(ctx, sources, feeds)
	return nil
}

// finish takes up the commands under way when the process ended.
func (c *Control) finish(ctx context.Context, sources []Source, feeds []Changefeed) {
	for _, cf := range feeds {
		if cf.Intent == IntentRemove {
			if _, err := c.RemoveChangefeed(ctx, cf.ID); err != nil {
				c.complain("changefeed", cf.ID, "cannot finish its removal", err)
			}
		}
	}
	for _, s := range sources {
		var err error
		switch s.Intent {
		case IntentDrop, IntentDropForce:
			err = c.DropSource(ctx, s.Name, DropSource{Cascade: true, Force: s.Intent == IntentDropForce})
		case IntentResync:
			err = c.ResyncSource(ctx, s.Name)
		}
		if err != nil {
			c.complain("source", s.Name, "cannot finish: "+string(s.Intent), err)
		}
	}
}

func (c *Control) complain(kind, name, what string, err error) {
	c.logger.Error(what, kind, name, "error", c.hide(err))
}

// resolve gives what a connection string stands for, and teaches its secrets to
// the redactor.
func (c *Control) resolve(conn string) (string, error) {
	plain, err := c.lookup.Resolve(conn)
	if err == nil {
		c.redactor.Learn(plain)
	}
	return plain, err
}

// learn is resolve for its teaching; an unresolvable string has nothing to teach.
func (c *Control) learn(conn string) { _, _ = c.resolve(conn) }

// hide gives err without secrets, of the same code. Every error that leaves this
// package comes through here.
func (c *Control) hide(err error) error {
	if err == nil || c.redactor.Redact(err.Error()) == err.Error() {
		return err
	}
	var e *weirerr.Error
	if !errors.As(err, &e) {
		return errors.New(c.redactor.Redact(err.Error()))
	}
	out := weirerr.New(e.Code, "%s", c.redactor.Redact(e.Message))
	for _, f := range e.Fields {
		out.With(f.Name, c.redactor.Redact(f.Value))
	}
	if cause := e.Unwrap(); cause != nil {
		out.Wrap(c.hide(cause))
	}
	out.Remedy = c.redactor.Redact(e.Remedy)
	return out
}

// hideFailure is hide for an error that is shown.
func (c *Control) hideFailure(f *Failure) *Failure {
	if f == nil {
		return nil
	}
	out := *f
	out.Message, out.Hint = c.redactor.Redact(f.Message), c.redactor.Redact(f.Hint)
	out.Fields = make([]FailureField, len(f.Fields))
	for i, field := range f.Fields {
		out.Fields[i] = FailureField{Name: field.Name, Value: c.redactor.Redact(field.Value)}
	}
	return &out
}
