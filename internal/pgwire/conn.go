package pgwire

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/sql"
)

// conn serves one client. All but the fields under mu and the atomic ones belong to
// its goroutine.
type conn struct {
	server  *Server
	process uint32
	secret  atomic.Pointer[[]byte] // of CancelRequest; nil until the client gets it
	raw     net.Conn               // for deadlines
	stream  net.Conn               // raw, or TLS over it

	in       *peeker
	messages *pgproto3.Backend // for reading
	out      writer
	session  Session
	portals  map[string]*portal
	skipping bool   // to Sync, after an error in an extended query
	amid     bool   // in the midst of an extended query: Sync has not come yet
	text     string // what positions of errors count in

	retiring atomic.Bool // no further statement
	admitted bool        // it counts as a session; under the server's mu

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the statement that runs; nil: none does
	dead   bool                    // killed: no statement may start
	// copying: the statement that runs waits for the client's data.
	copying bool
}

func newConn(s *Server, nc net.Conn, process uint32) *conn {
	return &conn{server: s, process: process, raw: nc, stream: nc, portals: map[string]*portal{}}
}

// knows compares the secret of a CancelRequest, in constant time.
func (c *conn) knows(secret []byte) bool {
	own := c.secret.Load()
	return own != nil && subtle.ConstantTimeCompare(*own, secret) == 1
}

// serve speaks to the client until one of the two ends it.
func (c *conn) serve() {
	defer func() { c.stream.Close() }()
	ctx := context.Background()
	_ = c.raw.SetDeadline(time.Now().Add(c.server.cfg.StartupTimeout))
	err := c.converse(ctx)
	if c.session != nil {
		c.session.Close()
	}
	c.server.release(c) // before the client hears of it and comes again
	c.farewell(err)
}

// converse brings the client in and answers it. A panic ends this connection alone: it is a
// mistake of ours, and the other clients have no part in it.
func (c *conn) converse(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.server.cfg.Log.Error("a statement panicked; its connection ends", "panic", p, "stack", string(debug.Stack()))
			err = fail(sql.InternalError, "internal error: the statement panicked; the server's log has more")
		}
	}()
	if err := c.start(ctx); err != nil {
		return err
	}
	return c.loop(ctx)
}

// errDone ends a connection without a word: a cancel request, a probe, a client that said goodbye.
var errDone = errors.New("done")

// farewell tells the client why the connection ends, if it can hear it.
func (c *conn) farewell(err error) {
	var known *sql.Error
	if errors.Is(err, errDone) || !errors.As(err, &known) {
		if err != nil && !errors.Is(err, errDone) && !isDisconnect(err) {
			c.server.cfg.Log.Info("an SQL client's connection failed", "remote", c.raw.RemoteAddr(), "error", err)
		}
		_ = c.out.flush()
		return
	}
	if c.session == nil {
		c.server.metrics.refused.WithLabelValues(known.Code).Inc()
	}
	_ = c.raw.SetWriteDeadline(time.Now().Add(time.Second))
	c.out.timeout = 0
	c.out.send(response("FATAL", known, ""))
	_ = c.out.flush()
}

// isDisconnect: the client went away, which is its right.
func isDisconnect(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op)
}

// statement gives the context of a statement that begins, and what ends it.
func (c *conn) statement(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	c.cancel = cancel
	if c.dead {
		cancel(errShutdown)
	}
	c.mu.Unlock()
	return ctx, func() {
		c.mu.Lock()
		c.cancel = nil
		c.mu.Unlock()
		cancel(nil)
	}
}

// watched is statement for work in which the client is not read from: it ends too
// when the client goes away.
func (c *conn) watched(ctx context.Context) (context.Context, func()) {
	ctx, end := c.statement(ctx)
	stop := c.in.watch(func() { c.cancelStatement(errGone) })
	return ctx, func() {
		stop()
		end()
	}
}

// cancelStatement ends the statement that runs, if one does.
func (c *conn) cancelStatement(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		return
	}
	c.cancel(why)
	if c.copying {
		_ = c.raw.SetReadDeadline(time.Unix(1, 0))
	}
}

// retire ends the connection when no statement runs.
func (c *conn) retire() {
	c.retiring.Store(true)
	// Whoever waits for a message wakes up. A statement that runs resets the deadline
	// and sees the flag when it is complete.
	_ = c.raw.SetReadDeadline(time.Unix(1, 0))
}

// kill ends the statement that runs and the connection with it.
func (c *conn) kill() {
	c.mu.Lock()
	c.dead = true
	if c.cancel != nil {
		c.cancel(errShutdown)
	}
	c.mu.Unlock()
	_ = c.raw.SetDeadline(time.Now().Add(time.Second))
}

// Notice implements Client.
func (c *conn) Notice(severity string, n *sql.Error) {
	notice := pgproto3.NoticeResponse(*response(severity, n, c.text))
	c.out.send(&notice)
}

// Parameter implements Client.
func (c *conn) Parameter(p Parameter) {
	c.out.send(&pgproto3.ParameterStatus{Name: p.Name, Value: p.Value})
}
