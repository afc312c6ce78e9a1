package pgwire

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/sql"
)

// loop answers messages until the client leaves or cannot be understood any more.
func (c *conn) loop(ctx context.Context) error {
	for {
		if c.retiring.Load() && !c.amid {
			return errShutdown
		}
		msg, err := c.receive()
		if err != nil {
			return err
		}
		if err := c.handle(ctx, msg); err != nil {
			return err
		}
		if c.out.err != nil {
			return c.out.err
		}
	}
}

// receive reads the next message; it is valid until the next one. Its errors end the connection.
func (c *conn) receive() (pgproto3.FrontendMessage, error) {
	for {
		msg, err := c.messages.Receive()
		switch {
		case err == nil:
			return msg, nil
		case c.retiring.Load() && c.amid && isTimeout(err): // its query is not complete yet
			_ = c.raw.SetReadDeadline(time.Time{})
		default:
			return nil, c.receiveError(err)
		}
	}
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// receiveError says what it means that no message could be read.
func (c *conn) receiveError(err error) error {
	var long *pgproto3.ExceededMaxBodyLenErr
	switch {
	case c.retiring.Load():
		return errShutdown
	case errors.As(err, &long):
		return &sql.Error{Code: sql.ProgramLimitExceeded, Pos: -1, Message: "message is too long: " + long.Error(),
			Hint: "Send large data with COPY, which has no limit."}
	case isTimeout(err):
		return errDone
	case errors.Is(err, io.EOF): // a message too short; the connection's own end is io.ErrUnexpectedEOF
		return protocolViolation("invalid message format")
	case isDisconnect(err):
		return err
	}
	return protocolViolation("%v", err)
}

// handle answers one message. The error it gives ends the connection.
func (c *conn) handle(ctx context.Context, msg pgproto3.FrontendMessage) error {
	switch m := msg.(type) {
	case *pgproto3.Terminate:
		return errDone
	case *pgproto3.Sync:
		return c.sync(ctx)
	case *pgproto3.CopyData, *pgproto3.CopyDone, *pgproto3.CopyFail:
		return nil // left over from a COPY that has failed
	case *pgproto3.Query:
		if c.skipping {
			return nil
		}
		return c.simple(ctx, m.String)
	case *pgproto3.Flush:
		return c.out.flush()
	case *pgproto3.PasswordMessage, *pgproto3.SASLInitialResponse, *pgproto3.SASLResponse, *pgproto3.GSSResponse:
		return protocolViolation("no password was asked for")
	}
	c.amid = true
	if c.skipping {
		return nil
	}
	return c.extended(ctx, msg)
}

// extended answers a message of an extended query. An error of the statement skips
// what follows up to Sync.
func (c *conn) extended(ctx context.Context, msg pgproto3.FrontendMessage) error {
	ctx, end := c.statement(ctx)
	defer end()
	var err error
	switch m := msg.(type) {
	case *pgproto3.Parse:
		err = c.parse(ctx, m)
	case *pgproto3.Bind:
		err = c.bind(ctx, m)
	case *pgproto3.Describe:
		err = c.describe(m)
	case *pgproto3.Execute:
		err = c.execute(ctx, m)
	case *pgproto3.Close:
		err = c.close(m)
	case *pgproto3.FunctionCall:
		err = fail(sql.FeatureNotSupported, "the function call protocol is not supported")
	default:
		return protocolViolation("unexpected message %T", msg)
	}
	if err != nil {
		c.skipping = true
		return c.failed(ctx, err)
	}
	return nil
}

// failed tells the client and the Session of an error of a statement. If the
// connection itself is what failed, or its time has come, the error comes back.
func (c *conn) failed(ctx context.Context, err error) error {
	c.session.Fail()
	if c.out.err != nil {
		return c.out.err
	}
	if cause := context.Cause(ctx); errors.Is(cause, errGone) {
		return errDone
	} else if errors.Is(cause, errShutdown) {
		return errShutdown
	}
	if errors.Is(err, errConnection) {
		return err
	}
	c.out.send(response("ERROR", toSQL(ctx, err), c.text))
	return nil
}

// errConnection marks errors of the connection that come up in the midst of a statement.
var errConnection = errors.New("the connection has failed")

// sync ends an extended query.
func (c *conn) sync(ctx context.Context) error {
	c.skipping, c.amid = false, false
	ctx, end := c.watched(ctx)
	err := c.session.Sync(ctx)
	end()
	if err != nil {
		if err := c.failed(ctx, err); err != nil {
			return err
		}
	}
	c.ready()
	return c.out.flush()
}

// ready says that a new query may come.
func (c *conn) ready() {
	c.out.send(&pgproto3.ReadyForQuery{TxStatus: byte(c.session.Status())})
}

// simple runs the statements of a simple query, one after the other. The last one's
// success is told when the transaction has ended.
func (c *conn) simple(ctx context.Context, text string) error {
	c.text = strings.Clone(text)
	ctx, end := c.statement(ctx)
	err := c.script(ctx)
	end()
	if err != nil {
		if err := c.failed(ctx, err); err != nil {
			return err
		}
		if err := c.endFailed(ctx); err != nil {
			return err
		}
	}
	c.ready()
	return c.out.flush()
}

// endFailed lets the Session leave the implicit transaction that has failed.
func (c *conn) endFailed(ctx context.Context) error {
	if err := c.session.Sync(context.WithoutCancel(ctx)); err != nil {
		return c.failed(ctx, err)
	}
	return nil
}

func (c *conn) script(ctx context.Context) error {
	statements, err := c.session.Script(ctx, c.text)
	if err != nil {
		return err
	}
	if len(statements) == 0 {
		c.out.send(&pgproto3.EmptyQueryResponse{})
		return c.session.Sync(ctx)
	}
	for i, s := range statements {
		p, err := c.session.Bind(ctx, "", s, nil)
		if err != nil {
			return err
		}
		run := &portal{Portal: p}
		if columns := p.Columns(); columns != nil && p.Copy() == nil {
			c.rowDescription(columns, nil)
		}
		if err := c.run(ctx, run, 0, i == len(statements)-1); err != nil {
			return err
		}
	}
	return nil
}
