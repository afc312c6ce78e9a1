package expr

import (
	"github.com/weirstream/weir/internal/datum"
)

// OIDs of the pseudo-types that signatures use.
const (
	oidAny                = 2276
	oidAnyArray           = 2277
	oidAnyElement         = 2283
	oidAnyNonArray        = 2776
	oidAnyEnum            = 3500
	oidAnyCompatible      = 5077
	oidAnyCompatibleArray = 5078
	oidVoid               = 2278
	oidRecord             = 2249
)

// OIDs of arrays that functions name.
const (
	oidInt4Array   = 1007
	oidTextArray   = 1009
	oidFloat8Array = 1022
)

// firstUserOID is where PostgreSQL begins to number what is not built in.
const firstUserOID = 16384

// isPolymorphic tells pseudo-types whose meaning the arguments decide.
func isPolymorphic(oid uint32) bool {
	switch oid {
	case oidAnyArray, oidAnyElement, oidAnyNonArray, oidAnyEnum, oidAnyCompatible, oidAnyCompatibleArray:
		return true
	}
	return false
}

// categoryOf is PostgreSQL's type category: N number, S string, D date or time, ….
func categoryOf(oid uint32) byte {
	if oid == OIDUnknown {
		return 'X'
	}
	if isPolymorphic(oid) || oid == oidAny {
		return 'P'
	}
	if t, ok := datum.LookupBuiltin(oid); ok {
		return t.Category
	}
	if oid >= firstUserOID {
		return 'E'
	}
	return 'U'
}

// isPreferred tells the type of each category that overload resolution prefers.
func isPreferred(oid uint32) bool {
	switch oid {
	case datum.OIDBool, datum.OIDText, datum.OIDFloat8, datum.OIDOID, datum.OIDTimestampTZ,
		datum.OIDInterval, datum.OIDInet, datum.OIDVarbit:
		return true
	}
	return false
}

// elementOf is the element type of an array type, 0 when it is none. The two vectors of the catalog are arrays
// with another text.
func elementOf(oid uint32) uint32 {
	switch oid {
	case datum.OIDInt2Vector:
		return datum.OIDInt2
	case datum.OIDOIDVector:
		return datum.OIDOID
	}
	if t, ok := datum.LookupBuiltin(oid); ok && t.Kind == datum.KindArray {
		return t.Of
	}
	return 0
}

// arrayOf is the type of arrays of oid, 0 when there is none. Arrays of arrays are
// arrays of the same type with more dimensions.
func arrayOf(oid uint32) uint32 {
	t, _ := datum.LookupBuiltin(oid)
	return t.Array
}

// ArrayOf is the array type of an element type, false when there is none.
func ArrayOf(oid uint32) (uint32, bool) {
	a := arrayOf(oid)
	return a, a != 0
}

// ElementOf is the element type of an array type, false when it is no array.
func ElementOf(oid uint32) (uint32, bool) {
	e := elementOf(oid)
	return e, e != 0
}
