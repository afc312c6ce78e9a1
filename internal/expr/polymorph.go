package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// binding is what the pseudo-types of one call stand for.
type binding struct {
	elem       uint32 // anyelement, anynonarray, anyenum; anyarray is its array
	compatible uint32 // anycompatible; anycompatiblearray is its array
}

// settle finds what pseudo-types stand for. anyelement and its like demand equal types;
// the anycompatible family takes the common type of its arguments. Unknown arguments follow the
// others. Arrays bind the type of their elements.
func (r *Registry) settle(declared, types []uint32) (b binding, err error) {
	var array uint32
	var family []uint32
	usesElem, usesCompatible, nonArray := false, false, false
	for i, d := range declared {
		t := types[i]
		switch d {
		case oidAnyElement, oidAnyNonArray, oidAnyEnum:
			usesElem = true
			nonArray = nonArray || d == oidAnyNonArray
			if d == oidAnyEnum && t != OIDUnknown && t < firstUserOID {
				return b, notPolymorphic()
			}
			if t == OIDUnknown || t == b.elem {
				continue
			}
			if b.elem != 0 {
				return b, fail(sql.DatatypeMismatch, -1, "arguments declared %q are not all alike", "anyelement")
			}
			b.elem = t
		case oidAnyArray:
			usesElem = true
			if t == OIDUnknown || t == array {
				continue
			}
			if array != 0 {
				return b, fail(sql.DatatypeMismatch, -1, "arguments declared %q are not all alike", "anyarray")
			}
			if array = t; elementOf(t) == 0 {
				return b, fail(sql.DatatypeMismatch, -1, "argument declared %s is not an array but type %s", "anyarray", nameOf(t))
			}
		case oidAnyCompatible:
			usesCompatible = true
			family = append(family, t)
		case oidAnyCompatibleArray:
			usesCompatible = true
			if t == OIDUnknown {
				continue
			}
			if elementOf(t) == 0 {
				return b, fail(sql.DatatypeMismatch, -1, "argument declared %s is not an array but type %s", "anycompatiblearray", nameOf(t))
			}
			family = append(family, elementOf(t))
		}
	}
	if usesElem {
		if b.elem, err = joinElement(b.elem, array, nonArray); err != nil {
			return b, err
		}
	}
	if usesCompatible {
		b.compatible, err = r.settleCompatible(family)
	}
	return b, err
}

func notPolymorphic() error {
	return fail(sql.DatatypeMismatch, -1, "could not determine polymorphic type because input has type unknown")
}

// joinElement brings anyelement and anyarray together.
func joinElement(elem, array uint32, nonArray bool) (uint32, error) {
	if array != 0 {
		of := elementOf(array)
		if elem != 0 && elem != of {
			return 0, fail(sql.DatatypeMismatch, -1, "argument declared %s is not consistent with argument declared %s", "anyarray", "anyelement")
		}
		elem = of
	}
	if elem == 0 || nonArray && elementOf(elem) != 0 {
		return 0, notPolymorphic()
	}
	return elem, nil
}

func (r *Registry) settleCompatible(family []uint32) (uint32, error) {
	common, ok := r.common(family)
	if !ok {
		return 0, fail(sql.DatatypeMismatch, -1, "arguments of anycompatible family cannot be cast to a common type")
	}
	for _, t := range family {
		if !r.coercible(t, common, Implicit) {
			return 0, fail(sql.DatatypeMismatch, -1, "arguments of anycompatible family cannot be cast to a common type")
		}
	}
	return common, nil
}

// resolve replaces a pseudo-type by what it stands for.
func (b binding) resolve(declared uint32) uint32 {
	switch declared {
	case oidAnyElement, oidAnyNonArray, oidAnyEnum:
		return b.elem
	case oidAnyArray:
		return arrayOf(b.elem)
	case oidAnyCompatible:
		return b.compatible
	case oidAnyCompatibleArray:
		return arrayOf(b.compatible)
	}
	return declared
}

// common is the type that a list of types shares by the rules of UNION, CASE and their
// like; false when they belong to different categories. Unknowns alone are text.
func (r *Registry) common(types []uint32) (uint32, bool) {
	best := OIDUnknown
	for _, t := range types {
		switch {
		case t == OIDUnknown || t == best:
		case best == OIDUnknown:
			best = t
		case categoryOf(t) != categoryOf(best):
			return t, false
		case !isPreferred(best) && r.coercible(best, t, Implicit) && !r.coercible(t, best, Implicit):
			best = t
		}
	}
	if best == OIDUnknown {
		best = datum.OIDText
	}
	return best, true
}

// CommonType is the type that expressions are converted to where they meet in one column: UNION,
// VALUES, CASE, COALESCE, GREATEST, ARRAY. what is the word for the error, pos where it
// points. The modifier is kept when all have it.
func (r *Registry) CommonType(what string, exprs []Expr, pos int) (datum.TypeRef, error) {
	refs := make([]datum.TypeRef, len(exprs))
	for i, e := range exprs {
		refs[i] = e.Type()
	}
	t, bad, ok := r.CommonOf(refs)
	if !ok {
		if p := posOf(exprs[bad]); p >= 0 {
			pos = p
		}
		first := firstKnown(refs[:bad])
		return datum.TypeRef{}, fail(sql.DatatypeMismatch, pos, "%s types %s and %s cannot be matched",
			what, nameOf(first), nameOf(refs[bad].OID))
	}
	return t, nil
}

// CommonOf is CommonType of types alone; bad is the index of the first that does not fit.
func (r *Registry) CommonOf(types []datum.TypeRef) (t datum.TypeRef, bad int, ok bool) {
	oids := make([]uint32, 0, len(types))
	for i, ref := range types {
		oids = append(oids, ref.OID)
		if _, ok := r.common(oids); !ok {
			return datum.TypeRef{}, i, false
		}
	}
	oid, _ := r.common(oids)
	t = datum.Ref(oid)
	for i, ref := range types {
		if ref.OID != oid || i > 0 && ref.Mod != types[0].Mod {
			return t, 0, true
		}
	}
	if len(types) > 0 {
		t.Mod = types[0].Mod
	}
	return t, 0, true
}

// firstKnown is the type that the others were measured against.
func firstKnown(types []datum.TypeRef) uint32 {
	for _, t := range types {
		if t.OID != OIDUnknown {
			return t.OID
		}
	}
	return OIDUnknown
}
