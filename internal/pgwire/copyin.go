package pgwire

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/sql"
)

// copySource reads the data of a COPY FROM, as it comes.
type copySource interface {
	// feed takes data, which is not kept.
	feed(ctx context.Context, data []byte) error
	// end says that no more comes.
	end(ctx context.Context) error
}

// copyIn takes the rows that the client sends. An error ends it at once; what of the
// data is still on its way is then skipped.
func (c *conn) copyIn(ctx context.Context, p *portal, how *Copy, last bool) error {
	l := newLoader(p.Portal, how, c.session.Values())
	var source copySource = newCopyText(l, c.server.cfg.MaxMessage)
	if how.Format == CopyBinary {
		source = &copyBinary{loader: l, limit: c.server.cfg.MaxMessage}
	}
	c.out.send(&pgproto3.CopyInResponse{OverallFormat: overall(how), ColumnFormatCodes: columnFormats(how, len(l.columns))})
	if err := c.out.flush(); err != nil {
		return err
	}
	if err := c.copyData(ctx, source); err != nil {
		return err
	}
	if err := source.end(ctx); err != nil {
		return err
	}
	if _, err := c.next(ctx, p); err != nil {
		return err
	}
	return c.finish(ctx, p, l.loaded, last)
}

// overall is the format of a COPY as its response has it.
func overall(how *Copy) byte {
	if how.Format == CopyBinary {
		return 1
	}
	return 0
}

func columnFormats(how *Copy, n int) []uint16 {
	codes := make([]uint16, n)
	for i := range codes {
		codes[i] = uint16(overall(how))
	}
	return codes
}

// copyData reads messages until the client says that the data is complete.
func (c *conn) copyData(ctx context.Context, source copySource) error {
	c.setCopying(true)
	defer c.setCopying(false)
	for {
		msg, err := c.copyMessage(ctx)
		if err != nil {
			return err
		}
		switch m := msg.(type) {
		case *pgproto3.CopyData:
			if err := source.feed(ctx, m.Data); err != nil {
				return err
			}
		case *pgproto3.CopyDone:
			return nil
		case *pgproto3.CopyFail:
			return fail(sql.QueryCanceled, "COPY from stdin failed: %s", m.Message)
		case *pgproto3.Flush, *pgproto3.Sync:
		case *pgproto3.Terminate:
			return errors.Join(errConnection, errDone)
		default:
			return errors.Join(errConnection, protocolViolation("unexpected message %T during COPY from stdin", msg))
		}
	}
}

// copyMessage reads a message in the midst of a COPY. A cancel interrupts it; a server that shuts
// down lets the COPY go on.
func (c *conn) copyMessage(ctx context.Context) (pgproto3.FrontendMessage, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		msg, err := c.messages.Receive()
		if err == nil {
			return msg, nil
		}
		if !isTimeout(err) {
			return nil, errors.Join(errConnection, c.receiveError(err))
		}
		_ = c.raw.SetReadDeadline(time.Time{})
	}
}

// setCopying says whether a cancel has to interrupt reading.
func (c *conn) setCopying(yes bool) {
	c.mu.Lock()
	c.copying = yes
	c.mu.Unlock()
	if !yes {
		_ = c.raw.SetReadDeadline(time.Time{})
	}
}
