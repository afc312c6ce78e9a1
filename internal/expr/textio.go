package expr

import (
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// options are what the text of values depends on.
func (e *Env) options(cast bool) pgvalue.Options {
	return pgvalue.Options{Zone: e.Zone, Now: e.Now, Cast: cast}
}

// printText is the cast to text: the kernel of a type's output function.
func printText(from datum.TypeRef) func(r *Row) error {
	return func(r *Row) error {
		a := &r.args[0]
		r.set(pgvalue.AppendText(r.data(), a.v, r.i&a.mask, from, r.Env().options(true)))
		return nil
	}
}

// parseText is the cast from text: the kernel of a type's input function. Its argument is of kind Bytes.
func parseText(to datum.TypeRef) kernel { return parseWith(to, true) }

// parseWith also applies the type's modifier, as a cast or as an assignment does.
func parseWith(to datum.TypeRef, cast bool) kernel {
	return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out, src := zset.NewVec(zset.KindOf(to.OID), n), argumentOf(args[0], n)
		opts := ev.env.options(cast)
		for i := range n {
			if has(skip, i) {
				out.AppendNull()
				continue
			}
			if err := pgvalue.AppendValue(out, to, src.v.Bytes(i&src.mask), opts); err != nil {
				ev.fail(i, err)
				out.AppendNull()
			}
		}
		return out
	}
}

// throughText is the cast by printing and parsing. From a string type it only parses, to one it only
// prints; bpchar loses its padding on the way, as it does in PostgreSQL.
func throughText(from, to uint32) *Func {
	f := &Func{
		Name: "cast " + typeKey(from) + " " + typeKey(to), Args: []uint32{from}, Result: to, Strict: true,
		Volatility: max(textVolatility(from), textVolatility(to)),
	}
	fromString, toString := categoryOf(from) == 'S', categoryOf(to) == 'S'
	f.build = func(s *site) kernel {
		switch {
		case fromString && (from != datum.OIDBpchar || !toString):
			return parseText(datum.Ref(to))
		case toString && to != datum.OIDName:
			return rowKernel(zset.Bytes, printText(s.args[0]))
		}
		return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
			text := rowKernel(zset.Bytes, printText(s.args[0]))(ev, n, args, skip)
			return parseText(datum.Ref(to))(ev, n, []*zset.Vec{text}, skip)
		}
	}
	return f
}

// typeKey is a name for a type in the names of functions that are made on demand.
func typeKey(oid uint32) string { return nameOf(oid) }

// textVolatility tells whether a type's text depends on the session: on its zone, or on now.
func textVolatility(oid uint32) Volatility {
	if e := elementOf(oid); e != 0 {
		oid = e
	}
	switch oid {
	case datum.OIDDate, datum.OIDTime, datum.OIDTimestamp, datum.OIDTimestampTZ, datum.OIDTimeTZ, datum.OIDInterval:
		return Stable
	}
	return Immutable
}
