package session

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// declareTask is DECLARE: a portal by name, that FETCH reads from.
func (s *Session) declareTask(st *statement, x *sql.Declare) (*task, error) {
	inner := &statement{text: st.text, own: st.own, stmt: x.Body, types: st.types}
	if err := s.resolve(inner); err != nil {
		return nil, err
	}
	t := does("DECLARE CURSOR", func(_ context.Context, p *portal) error {
		if !s.tx.explicit && !x.Hold {
			return fail(noActiveTransaction, "DECLARE CURSOR can only be used in transaction blocks")
		}
		if inner.task.live && x.Hold {
			return unsupported("WITH HOLD of a SUBSCRIBE", -1)
		}
		c, err := s.bind(x.Name, inner, p.args)
		if err == nil {
			c.cursor, c.hold = true, x.Hold
		}
		return err
	})
	t.params = inner.task.params
	return t, nil
}

// fetchTask is FETCH n FROM cursor. From a SUBSCRIBE it waits for a row, and gives those
// that are there; WITH (timeout = …) bounds the wait, and then waits for all n.
func (s *Session) fetchTask(x *sql.Fetch) (*task, error) {
	c := s.portals[x.Name]
	if c == nil {
		return nil, missing(sql.InvalidCursorName, "cursor", x.Name)
	}
	var timeout *time.Duration
	for _, o := range x.Options {
		d, ok := parseWait(o.Value)
		if o.Name != "timeout" || !ok {
			return nil, failAt(sql.InvalidParameter, int(o.At), "option \"%s\" of FETCH cannot be \"%s\"", o.Name, o.Value)
		}
		timeout = &d
	}
	t := &task{tag: counts("FETCH"), columns: c.task.columns}
	t.run = func(ctx context.Context, _ *portal) (source, error) {
		c := s.portals[x.Name]
		if c == nil {
			return nil, missing(sql.InvalidCursorName, "cursor", x.Name)
		}
		f := &fetch{c: c, left: x.Count, timeout: timeout}
		return f, nil
	}
	return t, nil
}

// parseWait reads a time to wait: a number of seconds, or one with a unit, as an interval.
func parseWait(text string) (time.Duration, bool) {
	if d, err := time.ParseDuration(text); err == nil {
		return d, d >= 0
	}
	if d, ok := parseDuration(text + "s"); ok {
		return d, d >= 0
	}
	d, ok := parseDuration(text)
	return d, ok && d >= 0
}

// fetch reads some rows of a cursor.
type fetch struct {
	c       *portal
	left    int64 // -1: all
	timeout *time.Duration
	until   time.Time
	got     bool
}

func (f *fetch) next(ctx context.Context) (*zset.Chunk, error) {
	if f.left == 0 || f.c.done {
		return nil, nil
	}
	chunk, err := f.more(ctx)
	if chunk == nil || err != nil {
		return nil, err
	}
	f.got = true
	if f.left > 0 && int64(chunk.N) > f.left {
		f.c.rest = chunk.Slice(int(f.left), chunk.N)
		chunk = chunk.Slice(0, int(f.left))
	}
	if f.left > 0 {
		f.left -= int64(chunk.N)
	}
	return chunk, nil
}

// more is the cursor's next rows, nil when there are none in time.
func (f *fetch) more(ctx context.Context) (*zset.Chunk, error) {
	if !f.c.task.live {
		return f.c.next(ctx)
	}
	wait := ctx
	if f.timeout != nil {
		if f.until.IsZero() {
			f.until = time.Now().Add(*f.timeout)
		}
		var end context.CancelFunc
		wait, end = context.WithDeadline(ctx, f.until)
		defer end()
	} else if f.got { // what is there already
		var end context.CancelFunc
		wait, end = context.WithTimeout(ctx, 0)
		defer end()
	}
	chunk, err := f.c.next(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		return nil, nil
	}
	return chunk, err
}

// close leaves the cursor as it is.
func (f *fetch) close() {}

func (s *Session) closeTask(x *sql.Close) *task {
	if x.Name != "" {
		return does("CLOSE CURSOR", func(context.Context, *portal) error {
			if s.portals[x.Name] == nil {
				return missing(sql.InvalidCursorName, "cursor", x.Name)
			}
			s.ClosePortal(x.Name)
			return nil
		})
	}
	return does("CLOSE CURSOR ALL", func(context.Context, *portal) error {
		for name, p := range s.portals {
			if p.cursor {
				s.ClosePortal(name)
			}
		}
		return nil
	})
}

// keepHeld reads cursors WITH HOLD to their end before their transaction ends.
func (s *Session) keepHeld(ctx context.Context) error {
	for _, p := range s.portals {
		if !p.hold || p.held() || p.done {
			continue
		}
		var list []*zset.Chunk
		for {
			c, err := p.next(ctx)
			if err != nil {
				return err
			}
			if c == nil {
				break
			}
			list = append(list, c)
		}
		p.src, p.done = &held{chunks{list}}, false
	}
	return nil
}

// held are the rows of a cursor whose transaction is over.
type held struct{ chunks }

func (p *portal) held() bool {
	_, ok := p.src.(*held)
	return ok
}
