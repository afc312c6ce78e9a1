package pgwire

import (
	"context"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/zset"
)

// portal is a Session's portal with how far its rows have gone out.
type portal struct {
	Portal
	formats  []int16
	chunk    *zset.Chunk // being sent; nil: ask for the next
	sent     int         // rows of chunk that have gone out
	complete bool
}

// run sends rows of a portal, at most limit of them (0: all). At the end of a script its
// success is told when the transaction has ended.
func (c *conn) run(ctx context.Context, p *portal, limit int64, last bool) error {
	if cp := p.Copy(); cp != nil {
		if cp.From {
			return c.copyIn(ctx, p, cp, last)
		}
		return c.copyOut(ctx, p, cp, last)
	}
	rows := int64(0)
	for !p.complete {
		if limit > 0 && rows == limit {
			c.out.send(&pgproto3.PortalSuspended{})
			return nil
		}
		more, err := c.advance(ctx, p)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		n := p.chunk.N - p.sent
		if limit > 0 {
			n = int(min(int64(n), limit-rows))
		}
		if err := c.dataRows(ctx, p, n); err != nil {
			return err
		}
		rows += int64(n)
	}
	return c.finish(ctx, p, rows, last)
}

// advance gets the next rows, if there are none left to send; false: the portal is complete.
func (c *conn) advance(ctx context.Context, p *portal) (more bool, err error) {
	for p.chunk == nil || p.sent == p.chunk.N {
		if p.Live() {
			if err := c.out.flush(); err != nil {
				return false, err
			}
		}
		p.chunk, p.sent = nil, 0
		if p.chunk, err = c.next(ctx, p); err != nil {
			return false, err
		}
		if p.chunk == nil {
			p.complete = true
			return false, nil
		}
	}
	return true, nil
}

// next calls the portal, and sees whether the client goes away meanwhile.
func (c *conn) next(ctx context.Context, p *portal) (*zset.Chunk, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	stop := c.in.watch(func() { c.cancelStatement(errGone) })
	defer stop()
	return p.Next(ctx)
}

// finish tells that a portal is complete.
func (c *conn) finish(ctx context.Context, p *portal, rows int64, last bool) error {
	p.complete = true
	if last {
		stop := c.in.watch(func() { c.cancelStatement(errGone) })
		err := c.session.Sync(ctx)
		stop()
		if err != nil {
			return err
		}
	}
	if tag := p.Tag(rows); tag != "" {
		c.out.send(&pgproto3.CommandComplete{CommandTag: []byte(tag)})
	} else {
		c.out.send(&pgproto3.EmptyQueryResponse{})
	}
	return nil
}

// rowDescription describes the columns of what follows.
func (c *conn) rowDescription(columns []Column, formats []int16) {
	d := &pgproto3.RowDescription{Fields: make([]pgproto3.FieldDescription, len(columns))}
	for i, col := range columns {
		d.Fields[i] = pgproto3.FieldDescription{Name: []byte(clean(col.Name)), TableOID: col.Table, TableAttributeNumber: uint16(col.Attr),
			DataTypeOID: col.Type.OID, DataTypeSize: width(col.Type.OID), TypeModifier: col.Type.Mod, Format: formatOf(formats, i)}
	}
	c.out.send(d)
}

// dataRows sends the next n rows of the portal's chunk.
func (c *conn) dataRows(ctx context.Context, p *portal, n int) error {
	columns, values := p.Columns(), c.session.Values()
	for end := p.sent + n; p.sent < end; p.sent++ {
		at := c.out.begin('D')
		c.out.buf = append(c.out.buf, byte(len(columns)>>8), byte(len(columns)))
		for j, col := range columns {
			if err := c.value(p.chunk.Cols[j], p.sent, col, formatOf(p.formats, j), values); err != nil {
				c.out.buf = c.out.buf[:at-1]
				return err
			}
		}
		if err := c.out.end(at); err != nil {
			return err
		}
		if len(c.out.buf) >= flushAt {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := c.out.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// value appends one value with its length.
func (c *conn) value(v *zset.Vec, i int, col Column, format int16, o pgvalue.Options) (err error) {
	if v.Null(i) {
		c.out.buf = append(c.out.buf, 0xff, 0xff, 0xff, 0xff)
		return nil
	}
	c.out.buf = append(c.out.buf, 0, 0, 0, 0)
	at := len(c.out.buf)
	if format == binaryFormat {
		c.out.buf, err = pgvalue.AppendBinary(c.out.buf, v, i, col.Type)
	} else {
		c.out.buf = pgvalue.AppendText(c.out.buf, v, i, col.Type, o)
	}
	putLength(c.out.buf[at-4:], len(c.out.buf)-at)
	return err
}
