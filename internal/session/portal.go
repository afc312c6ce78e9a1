package session

import (
	"context"
	"errors"

	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// portal is a statement with its arguments, on its way. It implements pgwire.Portal.
type portal struct {
	s       *Session
	st      *statement
	task    *task
	args    []*zset.Vec
	src     source
	started bool
	done    bool
	changed int64       // rows that a change or COPY FROM has changed
	tag     string      // set when the outcome decides it
	rest    *zset.Chunk // of a cursor: rows that were read and not fetched
	hold    bool        // it outlives its transaction
	cursor  bool        // made by DECLARE
}

// Text implements pgwire.Portal.
func (p *portal) Text() string { return p.st.text }

// Columns implements pgwire.Portal.
func (p *portal) Columns() []pgwire.Column { return p.task.columns }

// Live implements pgwire.Portal.
func (p *portal) Live() bool { return p.task.live }

// Copy implements pgwire.Portal.
func (p *portal) Copy() *pgwire.Copy { return p.task.copy }

// Tag implements pgwire.Portal.
func (p *portal) Tag(rows int64) string {
	switch {
	case p.tag != "":
		return p.tag
	case p.changed > 0 || p.task.columns == nil || p.task.copy != nil && p.task.copy.From:
		return p.task.tag(p.changed)
	}
	return p.task.tag(rows)
}

// Next implements pgwire.Portal.
func (p *portal) Next(ctx context.Context) (*zset.Chunk, error) {
	if p.done {
		return nil, nil
	}
	ctx, end := p.s.limited(ctx)
	defer end()
	p.s.does(p.st.shown())
	defer p.s.does("")
	c, err := p.next(ctx)
	if err != nil {
		p.close()
		return nil, reason(ctx, err)
	}
	return c, nil
}

// next starts the statement when it has not run, and gives its next rows.
func (p *portal) next(ctx context.Context) (*zset.Chunk, error) {
	if !p.started {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	if c := p.rest; c != nil {
		p.rest = nil
		return c, nil
	}
	for p.src != nil {
		c, err := p.src.next(ctx)
		if err != nil {
			return nil, err
		}
		if c == nil {
			break
		}
		if c.N > 0 {
			return c, nil
		}
	}
	p.close()
	return nil, nil
}

func (p *portal) start(ctx context.Context) (err error) {
	if err := p.s.allowed(p.st.stmt); err != nil {
		return err
	}
	p.started = true
	p.s.tx.enter(p.s.o.o.Now())
	p.src, err = p.task.run(ctx, p)
	return err
}

// Load implements pgwire.Portal.
func (p *portal) Load(ctx context.Context, rows *zset.Chunk) error {
	if err := p.s.allowed(p.st.stmt); err != nil {
		return err
	}
	p.s.tx.enter(p.s.o.o.Now())
	if err := p.task.load(ctx, p, rows); err != nil {
		return reason(ctx, err)
	}
	return nil
}

// close gives back what the statement holds.
func (p *portal) close() {
	p.done, p.rest = true, nil
	if p.src != nil {
		p.src.close()
		p.src = nil
	}
}

// limited ends a context with the session's statement_timeout.
func (s *Session) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	d, _ := parseDuration(s.settings.value("statement_timeout"))
	if d <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d, fail(sql.QueryCanceled, "canceling statement due to statement timeout"))
}

// reason puts what ended a context in place of what came of it.
func reason(ctx context.Context, err error) error {
	var cause *sql.Error
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) && errors.As(context.Cause(ctx), &cause) {
		return cause
	}
	return err
}

// chunks is a source of rows that are there.
type chunks struct{ list []*zset.Chunk }

func (c *chunks) next(context.Context) (*zset.Chunk, error) {
	if len(c.list) == 0 {
		return nil, nil
	}
	first := c.list[0]
	c.list = c.list[1:]
	return first, nil
}

func (c *chunks) close() { c.list = nil }
