package pgwire

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Format codes of parameters and results.
const (
	textFormat   int16 = 0
	binaryFormat int16 = 1
)

func (c *conn) parse(ctx context.Context, m *pgproto3.Parse) error {
	c.text = m.Query
	if err := c.session.Prepare(ctx, m.Name, m.Query, m.ParameterOIDs); err != nil {
		return err
	}
	c.out.send(&pgproto3.ParseComplete{})
	return nil
}

func (c *conn) bind(ctx context.Context, m *pgproto3.Bind) error {
	s, err := c.session.Statement(m.PreparedStatement)
	if err != nil {
		return err
	}
	c.text = s.Text()
	args, err := c.arguments(m, s.Params())
	if err != nil {
		return err
	}
	if err := checkFormats(m.ResultFormatCodes, len(s.Columns()), "result"); err != nil {
		return err
	}
	p, err := c.session.Bind(ctx, m.DestinationPortal, s, args)
	if err != nil {
		return err
	}
	c.portals[m.DestinationPortal] = &portal{Portal: p, formats: m.ResultFormatCodes}
	c.out.send(&pgproto3.BindComplete{})
	return nil
}

// checkFormats: none stands for text, one for all.
func checkFormats(codes []int16, n int, what string) error {
	if len(codes) > 1 && len(codes) != n {
		return protocolViolation("bind message has %d %s formats but query has %d columns", len(codes), what, n)
	}
	for _, f := range codes {
		if f != textFormat && f != binaryFormat {
			return fail(sql.InvalidParameter, "unsupported format code: %d", f)
		}
	}
	return nil
}

// formatOf is the format of value i.
func formatOf(codes []int16, i int) int16 {
	switch len(codes) {
	case 0:
		return textFormat
	case 1:
		return codes[0]
	}
	return codes[i]
}

// arguments reads the values of a Bind, one column each.
func (c *conn) arguments(m *pgproto3.Bind, types []datum.TypeRef) ([]*zset.Vec, error) {
	if n := len(m.ParameterFormatCodes); n > 1 && n != len(m.Parameters) {
		return nil, protocolViolation("bind message has %d parameter formats but %d parameters", n, len(m.Parameters))
	}
	if len(m.Parameters) != len(types) {
		return nil, protocolViolation("bind message supplies %d parameters, but prepared statement \"%s\" requires %d",
			len(m.Parameters), m.PreparedStatement, len(types))
	}
	values := c.session.Values()
	args := make([]*zset.Vec, len(types))
	for i, t := range types {
		args[i] = zset.NewVec(zset.KindOf(t.OID), 1)
		if err := argument(args[i], t, formatOf(m.ParameterFormatCodes, i), m.Parameters[i], values); err != nil {
			e := *toSQL(context.Background(), err)
			e.Where = fmt.Sprintf("unnamed portal parameter $%d", i+1)
			if m.DestinationPortal != "" {
				e.Where = fmt.Sprintf("portal \"%s\" parameter $%d", m.DestinationPortal, i+1)
			}
			return nil, &e
		}
	}
	return args, nil
}

func argument(v *zset.Vec, t datum.TypeRef, format int16, value []byte, o pgvalue.Options) error {
	switch {
	case format != textFormat && format != binaryFormat:
		return fail(sql.InvalidParameter, "unsupported format code: %d", format)
	case value == nil:
		v.AppendNull()
		return nil
	case format == binaryFormat:
		return pgvalue.ParseBinary(v, t, value)
	}
	if err := pgvalue.CheckUTF8(value); err != nil {
		return err
	}
	return pgvalue.AppendValue(v, t, value, o)
}

func (c *conn) describe(m *pgproto3.Describe) error {
	if m.ObjectType == 'P' {
		p, err := c.portal(m.Name)
		if err != nil {
			return err
		}
		columns := p.Columns()
		if p.Copy() != nil {
			columns = nil // its rows are no result
		}
		c.described(columns, p.formats)
		return nil
	}
	s, err := c.session.Statement(m.Name)
	if err != nil {
		return err
	}
	params := &pgproto3.ParameterDescription{}
	for _, t := range s.Params() {
		params.ParameterOIDs = append(params.ParameterOIDs, t.OID)
	}
	c.out.send(params)
	c.described(s.Columns(), nil)
	return nil
}

func (c *conn) described(columns []Column, formats []int16) {
	if columns == nil {
		c.out.send(&pgproto3.NoData{})
		return
	}
	c.rowDescription(columns, formats)
}

// portal finds a portal with what we keep of it. The Session may have closed it, or
// made another one of its name, in SQL or at the end of a transaction.
func (c *conn) portal(name string) (*portal, error) {
	p, err := c.session.Portal(name)
	if err != nil {
		delete(c.portals, name)
		return nil, err
	}
	kept := c.portals[name]
	if kept == nil || kept.Portal != p {
		kept = &portal{Portal: p}
		c.portals[name] = kept
	}
	c.text = p.Text()
	return kept, nil
}

func (c *conn) execute(ctx context.Context, m *pgproto3.Execute) error {
	p, err := c.portal(m.Portal)
	if err != nil {
		return err
	}
	if p.complete && p.Columns() == nil {
		return fail(sql.ObjectNotReady, "portal \"%s\" cannot be run", m.Portal)
	}
	return c.run(ctx, p, int64(m.MaxRows), false)
}

func (c *conn) close(m *pgproto3.Close) error {
	if m.ObjectType == 'P' {
		delete(c.portals, m.Name)
		c.session.ClosePortal(m.Name)
	} else {
		c.session.CloseStatement(m.Name)
	}
	c.out.send(&pgproto3.CloseComplete{})
	return nil
}
