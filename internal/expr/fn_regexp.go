package expr

import (
	"errors"

	"github.com/weirstream/weir/internal/expr/pgregexp"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// regexpError is the fault of a pattern as PostgreSQL words it.
func regexpError(err error) error {
	if errors.Is(err, pgregexp.ErrUnsupported) {
		return withHint(rowFail(sql.FeatureNotSupported, "%s", err),
			"Patterns are matched in linear time; rewrite the pattern without them.")
	}
	return rowFail(sql.InvalidRegexp, "invalid regular expression: %s", err)
}

// regexpFlags reads the letters of an option argument.
func regexpFlags(letters []byte) (f pgregexp.Flags, err error) {
	for i := range letters {
		if !f.Set(letters[i]) {
			return f, rowFail(sql.InvalidParameter, "invalid regular expression option: \"%s\"", letters[i:charEnd(letters[i:], 1)+i])
		}
	}
	return f, nil
}

// noGlobal refuses the letter g where it has no meaning.
func noGlobal(f pgregexp.Flags, name, hint string) error {
	if !f.Global {
		return nil
	}
	return withHint(rowFail(sql.InvalidParameter, "%s() does not support the \"global\" option", name), hint)
}

// pattern is a compiled pattern with its flags.
type pattern struct {
	*pgregexp.Regexp
	flags pgregexp.Flags
	loc   []int // scratch for Find
}

// pattern is the one of argument k with the option letters of argument f (-1: none), compiled once for a step.
func (r *Row) pattern(k, f int) (*pattern, error) {
	var letters []byte
	if f >= 0 && f < r.Len() {
		letters = r.Bytes(f)
	}
	cache := kept(r.ev, func() *patterns { return &patterns{} })
	cache.key = append(append(append(cache.key[:0], letters...), 0), r.Bytes(k)...)
	return cache.get(cache.key, func([]byte) (*pattern, error) {
		flags, err := regexpFlags(letters)
		if err != nil {
			return nil, err
		}
		re, err := pgregexp.Compile(r.Bytes(k), flags)
		if err != nil {
			return nil, regexpError(err)
		}
		return &pattern{Regexp: re, flags: flags}, nil
	})
}

type patterns struct {
	compiled[pattern]
	key []byte
}

// regexpKernel is ~ and its like.
func regexpKernel(want, fold bool) func(*site) kernel {
	return func(s *site) kernel {
		if c := s.constant(1); c != nil {
			if re, err := pgregexp.Compile(c.Bytes(0), pgregexp.Flags{Fold: fold}); err == nil {
				return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
					out, src := ev.column(zset.Int, n), args[0]
					clear(out.Ints)
					eachRow(n, skip, func(i int) { out.Ints[i] = bit(re.Match(src.Bytes(i)) == want) })
					return out
				}
			}
		}
		return rowKernel(zset.Int, func(r *Row) error {
			re, err := kept(r.ev, func() *compiled[pgregexp.Regexp] { return &compiled[pgregexp.Regexp]{} }).get(r.Bytes(1),
				func(key []byte) (*pgregexp.Regexp, error) { return pgregexp.Compile(key, pgregexp.Flags{Fold: fold}) })
			if err != nil {
				return regexpError(err)
			}
			r.SetBool(re.Match(r.Bytes(0)) == want)
			return nil
		})
	}
}

func declareRegexp(r *Registry) {
	for _, op := range []struct {
		symbol, name string
		want, fold   bool
	}{{"~", "regexeq", true, false}, {"!~", "regexne", false, false}, {"~*", "icregexeq", true, true}, {"!~*", "icregexne", false, true}} {
		for _, t := range []string{"text", "name", "bpchar"} {
			r.op(op.symbol, t+op.name+"("+t+",text) bool", regexpKernel(op.want, op.fold))
		}
	}
	r.fn("regexp_like(text,text) bool", perRow(regexpLike))
	r.fn("regexp_like(text,text,text) bool", perRow(regexpLike))
	r.fn("substring(text,text) text", slicingOrNull(regexpSubstring))
	r.fn("substring(text,text,text) text", func(*site) kernel {
		return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
			escaped := bytesKernel(similarToEscape)(ev, n, args[1:], skip)
			return slicingOrNull(regexpSubstring)(nil)(ev, n, []*zset.Vec{args[0], escaped}, skip)
		}
	})
	r.fn("similar_to_escape(text) text", perRow(similarToEscape))
	r.fn("similar_to_escape(text,text) text", perRow(similarToEscape))
	declareRegexpMatch(r)
	declareRegexpReplace(r)
}

func regexpLike(r *Row) error {
	p, err := r.pattern(1, 2)
	if err == nil {
		err = noGlobal(p.flags, "regexp_like", "")
	}
	if err == nil {
		r.SetBool(p.Match(r.Bytes(0)))
	}
	return err
}

// regexpSubstring is the first group of the first match, or all of it when there are no groups.
func regexpSubstring(r *Row, s []byte) (lo, hi int, err error) {
	p, err := r.pattern(1, -1)
	if err != nil {
		return 0, 0, err
	}
	p.loc = p.Find(p.loc, s, 0)
	switch {
	case p.loc == nil:
		return -1, -1, nil
	case p.Groups() > 0:
		return p.loc[2], p.loc[3], nil
	}
	return p.loc[0], p.loc[1], nil
}

// slicingOrNull is slicing where -1 says that the result is NULL.
func slicingOrNull(f func(r *Row, s []byte) (lo, hi int, err error)) func(*site) kernel {
	return slicing(func(r *Row, s []byte) (int, int, error) {
		lo, hi, err := f(r, s)
		if lo < 0 {
			r.SetNull()
			lo, hi = 0, 0
		}
		return lo, hi, err
	})
}
