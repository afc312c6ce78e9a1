package expr

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

var boolType = datum.Ref(datum.OIDBool)

// nullVec is one NULL.
func nullVec(oid uint32) *zset.Vec {
	v := zset.NewVec(zset.KindOf(oid), 1)
	v.AppendNull()
	return v
}

func nullOf(t datum.TypeRef) *Const { return &Const{T: t, V: nullVec(t.OID), Pos: -1} }

// textLiteral is a quoted literal, not yet of a type.
func textLiteral(s string, pos int) *Const {
	v := zset.NewVec(zset.Bytes, 1)
	v.AppendString(s)
	return &Const{T: datum.Ref(OIDUnknown), V: v, Pos: pos}
}

// Text is a constant of type text; Int4 and Int8 of those types; Null of any.
func Text(s string) *Const {
	c := textLiteral(s, -1)
	c.T = datum.Ref(datum.OIDText)
	return c
}

// Int4 is a constant of type int4.
func Int4(v int32) *Const { return intConst(datum.OIDInt4, int64(v)) }

// Int8 is a constant of type int8.
func Int8(v int64) *Const { return intConst(datum.OIDInt8, v) }

// Bool is a constant of type bool.
func Bool(v bool) *Const {
	c := intConst(datum.OIDBool, 0)
	if v {
		c.V.Ints[0] = 1
	}
	return c
}

// Null is a NULL of a type.
func Null(t datum.TypeRef) *Const { return nullOf(t) }

func intConst(oid uint32, x int64) *Const {
	v := zset.NewVec(zset.Int, 1)
	v.AppendInt(x)
	return &Const{T: datum.Ref(oid), V: v, Pos: -1}
}

// convertUnknown gives a type to what has none: a literal is parsed, a parameter is
// declared, anything else is text that is parsed for every row.
func (r *Registry) convertUnknown(e Expr, to datum.TypeRef, pos int) (Expr, error) {
	switch e := e.(type) {
	case *Const:
		if rule := r.casts[castKey{datum.OIDText, to.OID}]; rule.fn != nil && rule.fn.reads && !e.V.Null(0) {
			text := &Const{T: datum.Ref(datum.OIDText), V: e.V, Pos: e.Pos}
			return &Call{Fn: rule.fn, Args: []Expr{text}, T: datum.Ref(to.OID), Pos: pos}, nil
		}
		return parseLiteral(e, to, pos)
	case *Param:
		if to.OID != OIDUnknown {
			e.T = datum.Ref(to.OID)
		}
		return e, nil
	}
	if to.OID == OIDUnknown {
		return e, nil
	}
	return &Call{Fn: throughText(datum.OIDText, to.OID), Args: []Expr{e}, T: datum.Ref(to.OID), Pos: pos}, nil
}

// isRegistered tells regclass, regtype and their like, whose literals are names that a cast from outside looks up.
func isRegistered(oid uint32) bool { return strings.HasPrefix(typeName(oid), "reg") }

// parseLiteral is the value of a literal's text for a type, without its modifier (but for interval,
// whose fields decide what a bare number means). Text that means another value in another zone or at another
// time is parsed when it is evaluated.
func parseLiteral(c *Const, to datum.TypeRef, pos int) (Expr, error) {
	t := datum.Ref(to.OID)
	if to.OID == datum.OIDInterval {
		t = to
	}
	switch {
	case c.V.Null(0):
		return &Const{T: t, V: nullVec(t.OID), Pos: c.Pos}, nil
	case to.OID == OIDUnknown:
		return c, nil
	}
	if c.Pos >= 0 {
		pos = c.Pos
	}
	v, err := parseOne(t, c.V.Bytes(0), pgvalue.Options{Zone: time.UTC, Now: 1, Cast: true})
	if err != nil {
		return nil, at(err, pos)
	}
	if textVolatility(t.OID) == Stable {
		fn := throughText(datum.OIDText, t.OID)
		fn.changing = !sameWith(c.V, v, t, time.UTC, oddNow)
		if fn.changing || !sameWith(c.V, v, t, oddZone, 1) {
			text := &Const{T: datum.Ref(datum.OIDText), V: c.V, Pos: c.Pos}
			return &Call{Fn: fn, Args: []Expr{text}, T: t, Pos: pos}, nil
		}
	}
	return &Const{T: t, V: v, Pos: c.Pos}, nil
}

// sameWith tells whether text means v also in that zone, at that time.
func sameWith(text, v *zset.Vec, t datum.TypeRef, zone *time.Location, now datum.Timestamp) bool {
	other, err := parseOne(t, text.Bytes(0), pgvalue.Options{Zone: zone, Now: now, Cast: true})
	return err == nil && constKey(v) == constKey(other)
}

// A zone and a time that no session has: what reads the same with them as without depends on neither.
var oddZone = time.FixedZone("odd", 3*3600+25*60+45)

const oddNow = datum.Timestamp(987*datum.Day + 12345)

func parseOne(t datum.TypeRef, text []byte, o pgvalue.Options) (*zset.Vec, error) {
	v := zset.NewVec(zset.KindOf(t.OID), 1)
	return v, pgvalue.AppendValue(v, t, bytes.Clone(text), o)
}

// at is an error with a position.
func at(err error, pos int) *sql.Error {
	e := *asError(err)
	e.Pos = pos
	return &e
}

// isError tells whether err is an *sql.Error with a code.
func isError(err error, code string) bool {
	e, ok := errors.AsType[*sql.Error](err)
	return ok && e.Code == code
}
