package expr

import (
	"bytes"

	"github.com/weirstream/weir/internal/expr/like"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// compiled remembers what a step has made of its patterns. Most steps have one pattern.
type compiled[T any] struct {
	last  string
	value *T
	byKey map[string]*T
}

// maxCompiled is how many patterns a step remembers.
const maxCompiled = 64

// get is the value for a pattern, made by compile when it is new.
func (c *compiled[T]) get(key []byte, compile func(key []byte) (*T, error)) (*T, error) {
	if c.value != nil && c.last == string(key) {
		return c.value, nil
	}
	v, ok := c.byKey[string(key)]
	if !ok {
		var err error
		if v, err = compile(key); err != nil {
			return nil, err
		}
		if c.byKey == nil || len(c.byKey) >= maxCompiled {
			c.byKey = map[string]*T{}
		}
		c.byKey[string(key)] = v
	}
	c.last, c.value = string(key), v
	return v, nil
}

// likeKernel is [NOT] LIKE or ILIKE. A constant pattern is compiled with the expression.
func likeKernel(want, fold bool) func(*site) kernel {
	compile := func(pattern []byte) (*like.Pattern, error) {
		p, err := like.Compile(pattern, fold)
		if err != nil {
			return nil, rowFail(sql.InvalidEscapeSequence, "%s", err)
		}
		return p, nil
	}
	return func(s *site) kernel {
		if c := s.constant(1); c != nil {
			if p, err := compile(c.Bytes(0)); err == nil {
				return constLike(p, want)
			}
		}
		return rowKernel(zset.Int, func(r *Row) error {
			p, err := kept(r.ev, func() *compiled[like.Pattern] { return &compiled[like.Pattern]{} }).get(r.Bytes(1), compile)
			if err == nil {
				r.SetBool(p.Match(r.Bytes(0)) == want)
			}
			return err
		})
	}
}

func constLike(p *like.Pattern, want bool) kernel {
	return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out, src := ev.column(zset.Int, n), args[0]
		clear(out.Ints)
		eachRow(n, skip, func(i int) { out.Ints[i] = bit(p.Match(src.Bytes(i)) == want) })
		return out
	}
}

func declareLike(r *Registry) {
	for _, op := range []struct {
		symbol, name string
		want, fold   bool
	}{{"~~", "like", true, false}, {"!~~", "nlike", false, false}, {"~~*", "iclike", true, true}, {"!~~*", "icnlike", false, true}} {
		for _, t := range []string{"text", "name", "bpchar"} {
			r.op(op.symbol, t+op.name+"("+t+",text) bool", likeKernel(op.want, op.fold))
		}
		if !op.fold {
			r.op(op.symbol, "bytea"+op.name+"(bytea,bytea) bool", likeKernel(op.want, false))
		}
	}
	r.fn("like(text,text) bool", likeKernel(true, false))
	r.fn("notlike(text,text) bool", likeKernel(false, false))
	r.fn("like_escape(text,text) text", perRow(likeEscape))
}

var errEscapeLength = func() *sql.Error {
	e := rowFail(sql.InvalidEscapeSequence, "invalid escape string")
	e.Hint = "Escape string must be empty or one character."
	return e
}()

// likeEscape writes a pattern with another escape as one with \.
func likeEscape(r *Row) error {
	escape := r.Bytes(1)
	if len(escape) > 1 && charEnd(escape, 1) != len(escape) {
		return errEscapeLength
	}
	dst, rest := r.data(), r.Bytes(0)
	for len(rest) > 0 {
		switch {
		case len(escape) > 0 && bytes.HasPrefix(rest, escape):
			dst = append(dst, '\\')
			rest = rest[len(escape):]
			if len(rest) > 0 {
				dst, rest = append(dst, rest[0]), rest[1:]
			}
		case rest[0] == '\\':
			dst, rest = append(dst, '\\', '\\'), rest[1:]
		default:
			dst, rest = append(dst, rest[0]), rest[1:]
		}
	}
	r.set(dst)
	return nil
}
