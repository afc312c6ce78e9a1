package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// typeName converts a type as written.
func (c *converter) typeName(t *pg.TypeName) sql.TypeName {
	out := sql.TypeName{At: c.at(t.GetLocation()), Names: strs(t.GetNames()), Array: len(t.GetArrayBounds())}
	switch {
	case t.GetPctType():
		c.unsupported("%TYPE", out.At)
	case t.GetSetof():
		c.unsupported("SETOF", out.At)
	}
	for _, n := range t.GetTypmods() {
		lit, ok := c.expr(n).(*sql.Literal)
		if !ok || lit.Kind != sql.Integer {
			c.fail(syntax(int(out.At), "type modifiers must be simple constants"))
			return out
		}
		out.Mods = append(out.Mods, n.GetAConst().GetIval().GetIval())
	}
	out.Ref = builtin(out)
	return out
}

// builtin finds a type of PostgreSQL's; the zero value if it is not one, or if its
// modifiers are not right.
func builtin(t sql.TypeName) datum.TypeRef {
	if len(t.Names) == 0 || len(t.Names) > 2 || len(t.Names) == 2 && t.Names[0] != "pg_catalog" {
		return datum.TypeRef{}
	}
	name := t.Names[len(t.Names)-1]
	for _, b := range datum.Builtins() {
		if b.Name != name {
			continue
		}
		ref := datum.TypeRef{OID: b.OID, Mod: -1}
		if len(t.Mods) > 0 {
			var ok bool
			if ref.Mod, ok = modifier(b.OID, t.Mods); !ok {
				return datum.TypeRef{}
			}
		}
		if t.Array > 0 {
			ref.OID = b.Array
		}
		return ref
	}
	return datum.TypeRef{}
}

// modifier packs modifiers into PostgreSQL's atttypmod.
func modifier(oid uint32, mods []int32) (mod int32, ok bool) {
	const header = 4 // PostgreSQL counts a length word in
	first := mods[0]
	switch oid {
	case datum.OIDVarchar, datum.OIDBpchar:
		return first + header, len(mods) == 1 && first > 0 && first <= 10485760
	case datum.OIDBit, datum.OIDVarbit:
		return first, len(mods) == 1 && first > 0
	case datum.OIDTimestamp, datum.OIDTimestampTZ, datum.OIDTime, datum.OIDTimeTZ:
		return min(first, 6), len(mods) == 1 && first >= 0
	case datum.OIDNumeric:
		scale := int32(0)
		if len(mods) == 2 {
			scale = mods[1]
		}
		return first<<16 | scale&0x7ff + header, len(mods) <= 2 && first >= 1 && first <= 1000 && scale >= -1000 && scale <= 1000
	case datum.OIDInterval:
		return interval(mods)
	}
	return 0, false
}

// interval packs the fields and the precision of an interval.
func interval(mods []int32) (int32, bool) {
	const fullRange, fullPrecision = 0x7fff, 0xffff
	fields, precision := mods[0], int32(fullPrecision)
	if len(mods) == 2 {
		precision = min(mods[1], 6)
	}
	if fields == fullRange && precision == fullPrecision {
		return -1, true
	}
	return fields<<16 | precision, len(mods) <= 2 && fields >= 0 && precision >= 0
}
