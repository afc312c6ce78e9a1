package parser

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// The bits of a frame, as PostgreSQL's parse nodes have them.
const (
	frameNonDefault      = 0x1
	frameRange           = 0x2
	frameRows            = 0x4
	frameGroups          = 0x8
	frameBetween         = 0x10
	startUnbounded       = 0x20
	endUnboundedFollow   = 0x100
	startCurrent         = 0x200
	endCurrent           = 0x400
	startOffsetPreceding = 0x800
	endOffsetPreceding   = 0x1000
	startOffsetFollowing = 0x2000
	endOffsetFollowing   = 0x4000
	excludeCurrent       = 0x8000
	excludeGroup         = 0x10000
	excludeTies          = 0x20000
	frameDefault         = frameRange | startUnbounded | endCurrent
)

// namedWindow is a window of the WINDOW clause.
type namedWindow struct {
	name string
	def  *sql.Window
}

// windowClause converts WINDOW. A window may refer to those before it.
func (c *converter) windowClause(nodes []*pg.Node) {
	c.windows = nil
	for _, n := range nodes {
		w := n.GetWindowDef()
		for _, other := range c.windows {
			if other.name == w.Name {
				c.fail(&sql.Error{Code: sql.WindowingError, Pos: int(c.at(w.Location)), Message: "window \"" + w.Name + "\" is already defined"})
			}
		}
		c.windows = append(c.windows, namedWindow{w.Name, c.windowDef(w)})
	}
}

// window converts OVER (…) and OVER name; nil stands for no window.
func (c *converter) window(w *pg.WindowDef) *sql.Window {
	switch {
	case w == nil || c.err != nil:
		return nil
	case w.Name != "":
		return c.lookupWindow(w.Name, c.at(w.Location))
	}
	return c.windowDef(w)
}

func (c *converter) lookupWindow(name string, at sql.At) *sql.Window {
	for _, w := range c.windows {
		if w.name == name {
			return w.def
		}
	}
	c.fail(&sql.Error{Code: sql.UndefinedObject, Pos: int(at), Message: "window \"" + name + "\" does not exist"})
	return &sql.Window{At: at}
}

// windowDef converts what stands in the parentheses, and puts in the clauses of the
// window it begins with.
func (c *converter) windowDef(w *pg.WindowDef) *sql.Window {
	at := c.at(w.Location)
	out := &sql.Window{At: at, PartitionBy: c.exprs(w.PartitionClause), OrderBy: c.orderBy(w.OrderClause), Frame: c.frame(w, at)}
	if w.Refname == "" {
		return out
	}
	base := c.lookupWindow(w.Refname, at)
	refuse := func(format string) {
		c.fail(&sql.Error{Code: sql.WindowingError, Pos: int(at), Message: fmt.Sprintf(format, w.Refname)})
	}
	switch {
	case len(out.PartitionBy) > 0:
		refuse("cannot override PARTITION BY clause of window \"%s\"")
	case len(base.OrderBy) > 0 && len(out.OrderBy) > 0:
		refuse("cannot override ORDER BY clause of window \"%s\"")
	case base.Frame != "":
		refuse("cannot copy window \"%s\" because it has a frame clause")
	}
	out.PartitionBy = base.PartitionBy
	if len(out.OrderBy) == 0 {
		out.OrderBy = base.OrderBy
	}
	return out
}

// frame writes a frame clause again, in capitals; the default one is empty.
func (c *converter) frame(w *pg.WindowDef, at sql.At) string {
	o := w.FrameOptions
	if o&^frameNonDefault&^frameBetween == frameDefault || o == 0 {
		return ""
	}
	var b strings.Builder
	switch {
	case o&frameRows != 0:
		b.WriteString("ROWS")
	case o&frameGroups != 0:
		b.WriteString("GROUPS")
	default:
		b.WriteString("RANGE")
	}
	b.WriteString(" BETWEEN ")
	c.bound(&b, w.StartOffset, at, o&startUnbounded != 0, o&startCurrent != 0, o&startOffsetPreceding != 0, "PRECEDING")
	b.WriteString(" AND ")
	c.bound(&b, w.EndOffset, at, o&endUnboundedFollow != 0, o&endCurrent != 0, o&endOffsetPreceding != 0, "FOLLOWING")
	switch {
	case o&excludeCurrent != 0:
		b.WriteString(" EXCLUDE CURRENT ROW")
	case o&excludeGroup != 0:
		b.WriteString(" EXCLUDE GROUP")
	case o&excludeTies != 0:
		b.WriteString(" EXCLUDE TIES")
	}
	return b.String()
}

// bound writes one end of a frame; side is where it is unbounded to.
func (c *converter) bound(b *strings.Builder, offset *pg.Node, at sql.At, unbounded, current, preceding bool, side string) {
	switch {
	case unbounded:
		b.WriteString("UNBOUNDED " + side)
		return
	case current:
		b.WriteString("CURRENT ROW")
		return
	}
	lit, ok := c.expr(offset).(*sql.Literal)
	if !ok {
		c.unsupported("a frame offset that is not a constant", at)
		return
	}
	b.WriteString(sql.DeparseExpr(lit))
	if preceding {
		b.WriteString(" PRECEDING")
	} else {
		b.WriteString(" FOLLOWING")
	}
}
