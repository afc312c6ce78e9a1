package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// sqlNames are the types that SQL's grammar spells otherwise than pg_type does,
// and the spelling that format_type prints.
var sqlNames = map[uint32]string{
	datum.OIDBool: "boolean", datum.OIDInt2: "smallint", datum.OIDInt4: "integer", datum.OIDInt8: "bigint",
	datum.OIDFloat4: "real", datum.OIDFloat8: "double precision", datum.OIDChar: `"char"`,
	datum.OIDBpchar: "character", datum.OIDVarchar: "character varying",
	datum.OIDTime: "time without time zone", datum.OIDTimeTZ: "time with time zone",
	datum.OIDTimestamp: "timestamp without time zone", datum.OIDTimestampTZ: "timestamp with time zone",
	datum.OIDBit: "bit", datum.OIDVarbit: "bit varying",
	OIDUnknown: "unknown", oidAny: `"any"`, oidAnyArray: "anyarray", oidAnyElement: "anyelement",
	oidAnyNonArray: "anynonarray", oidAnyEnum: "anyenum", oidAnyCompatible: "anycompatible",
	oidAnyCompatibleArray: "anycompatiblearray", oidVoid: "void", oidRecord: "record",
}

// spellings are names that the grammar turns into pg_type's; they are accepted here
// too, so that an unparsed name can be looked up.
var spellings = map[string]uint32{
	"boolean": datum.OIDBool, "smallint": datum.OIDInt2, "int": datum.OIDInt4, "integer": datum.OIDInt4,
	"bigint": datum.OIDInt8, "real": datum.OIDFloat4, "float": datum.OIDFloat8, "double precision": datum.OIDFloat8,
	"decimal": datum.OIDNumeric, "dec": datum.OIDNumeric, "character": datum.OIDBpchar,
	"character varying": datum.OIDVarchar, "string": datum.OIDText,
	"timestamp without time zone": datum.OIDTimestamp, "timestamp with time zone": datum.OIDTimestampTZ,
	"time without time zone": datum.OIDTime, "time with time zone": datum.OIDTimeTZ, "bit varying": datum.OIDVarbit,
	"unknown": OIDUnknown, "any": oidAny, "anyarray": oidAnyArray, "anyelement": oidAnyElement,
	"anynonarray": oidAnyNonArray, "anyenum": oidAnyEnum, "anycompatible": oidAnyCompatible,
	"anycompatiblearray": oidAnyCompatibleArray, "void": oidVoid, "record": oidRecord,
}

var typesByName = indexTypes()

func indexTypes() map[string]uint32 {
	m := make(map[string]uint32, 256)
	for name, oid := range spellings {
		m[name] = oid
	}
	for _, t := range datum.Builtins() {
		m[t.Name] = t.OID
		if t.Array != 0 {
			m["_"+t.Name] = t.Array
		}
	}
	return m
}

// lookupType finds a type by a name without modifiers: int4, bigint, text[].
func lookupType(name string) (oid uint32, ok bool) {
	elem, isArray := strings.CutSuffix(name, "[]")
	oid, ok = typesByName[elem]
	if ok && isArray {
		oid = arrayOf(oid)
		ok = oid != 0
	}
	return oid, ok
}

// TypeByName is the type that a type name of the grammar means, with its modifier.
// It fails with UndefinedObject for a name that is none, and with
// InvalidParameter for a modifier out of range.
func TypeByName(n sql.TypeName) (datum.TypeRef, error) {
	if n.Ref.OID != 0 {
		return n.Ref, nil
	}
	if len(n.Names) == 0 {
		return datum.TypeRef{}, fail(sql.UndefinedObject, n.Pos(), "type name is empty")
	}
	oid, ok := lookupType(n.Names[len(n.Names)-1])
	if !ok || len(n.Names) > 1 && n.Names[len(n.Names)-2] != "pg_catalog" {
		return datum.TypeRef{}, fail(sql.UndefinedObject, n.Pos(), "type %q does not exist", strings.Join(n.Names, "."))
	}
	mod, err := typeMod(oid, n.Mods, n.Pos())
	if err != nil {
		return datum.TypeRef{}, err
	}
	if n.Array > 0 && elementOf(oid) == 0 {
		arr := arrayOf(oid)
		if arr == 0 {
			return datum.TypeRef{}, fail(sql.UndefinedObject, n.Pos(), "type %q does not exist", n.Names[len(n.Names)-1]+"[]")
		}
		oid = arr
	}
	return datum.TypeRef{OID: oid, Mod: mod}, nil
}

// FormatType is the type as PostgreSQL's format_type writes it: numeric(10,2),
// character varying(3)[], timestamp(3) without time zone.
func FormatType(t datum.TypeRef) string {
	if elem := elementOf(t.OID); elem != 0 && t.OID != datum.OIDInt2Vector && t.OID != datum.OIDOIDVector {
		return FormatType(datum.TypeRef{OID: elem, Mod: t.Mod}) + "[]"
	}
	name, ok := sqlNames[t.OID]
	if !ok {
		b, known := datum.LookupBuiltin(t.OID)
		if !known {
			return "???"
		}
		name = b.Name
	}
	return withMod(name, t)
}

// withMod adds the modifier to a type's name.
func withMod(name string, t datum.TypeRef) string {
	if t.Mod < 0 {
		if t.OID == datum.OIDBpchar {
			return "bpchar"
		}
		return name
	}
	switch t.OID {
	case datum.OIDBpchar, datum.OIDVarchar:
		return fmt.Sprintf("%s(%d)", name, t.Mod-varHeader)
	case datum.OIDBit, datum.OIDVarbit:
		return fmt.Sprintf("%s(%d)", name, t.Mod)
	case datum.OIDNumeric:
		p, s := numericMod(t.Mod)
		return fmt.Sprintf("%s(%d,%d)", name, p, s)
	case datum.OIDTime, datum.OIDTimeTZ, datum.OIDTimestamp, datum.OIDTimestampTZ:
		first, rest, _ := strings.Cut(name, " ")
		return first + "(" + strconv.Itoa(int(t.Mod)) + ") " + rest
	case datum.OIDInterval:
		return name + intervalModName(t.Mod)
	}
	return name
}

// formatTypes lists types as error messages about calls do.
func formatTypes(args []Expr) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = nameOf(a.Type().OID)
	}
	return strings.Join(names, ", ")
}

// nameOf is a type's name in error messages.
func nameOf(oid uint32) string {
	switch oid {
	case datum.OIDBpchar:
		return "character"
	case 1014:
		return "character[]"
	}
	return FormatType(datum.Ref(oid))
}
