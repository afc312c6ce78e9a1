package expr

import (
	"strconv"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// varHeader is what PostgreSQL adds to the modifiers of numeric and of the string types.
const varHeader = 4

// Bounds of modifiers.
const (
	maxNumericPrecision = 1000
	maxNumericScale     = 1000
	maxCharLength       = 10485760
	maxTimePrecision    = 6
)

// numericMod takes a numeric's modifier apart.
func numericMod(mod int32) (precision, scale int) {
	mod -= varHeader
	return int(mod >> 16 & 0xffff), int((mod&0x7ff)^1024) - 1024
}

// typeMod encodes the numbers behind a type's name.
func typeMod(oid uint32, mods []int32, pos int) (int32, error) {
	if len(mods) == 0 {
		return -1, nil
	}
	if e := elementOf(oid); e != 0 {
		oid = e
	}
	switch oid {
	case datum.OIDNumeric:
		return numericTypeMod(mods, pos)
	case datum.OIDBpchar, datum.OIDVarchar, datum.OIDBit, datum.OIDVarbit:
		return lengthTypeMod(oid, mods, pos)
	case datum.OIDTime, datum.OIDTimeTZ, datum.OIDTimestamp, datum.OIDTimestampTZ:
		if len(mods) != 1 {
			return 0, fail(sql.InvalidParameter, pos, "invalid type modifier")
		}
		return timeTypeMod(oid, mods[0], pos)
	case datum.OIDInterval:
		return intervalTypeMod(mods, pos)
	}
	return 0, fail(sql.SyntaxError, pos, "type modifier is not allowed for type %q", typeName(oid))
}

func numericTypeMod(mods []int32, pos int) (int32, error) {
	p, s := mods[0], int32(0)
	if len(mods) > 1 {
		s = mods[1]
	}
	switch {
	case len(mods) > 2:
		return 0, fail(sql.InvalidParameter, pos, "invalid NUMERIC type modifier")
	case p < 1 || p > maxNumericPrecision:
		return 0, fail(sql.InvalidParameter, pos, "NUMERIC precision %d must be between 1 and %d", p, maxNumericPrecision)
	case s < -maxNumericScale || s > maxNumericScale:
		return 0, fail(sql.InvalidParameter, pos, "NUMERIC scale %d must be between %d and %d", s, -maxNumericScale, maxNumericScale)
	}
	return (p<<16 | s&0x7ff) + varHeader, nil
}

func lengthTypeMod(oid uint32, mods []int32, pos int) (int32, error) {
	name := map[uint32]string{datum.OIDBpchar: "char", datum.OIDVarchar: "varchar", datum.OIDBit: "bit", datum.OIDVarbit: "varbit"}[oid]
	switch n := mods[0]; {
	case len(mods) != 1:
		return 0, fail(sql.InvalidParameter, pos, "invalid type modifier")
	case n < 1:
		return 0, fail(sql.InvalidParameter, pos, "length for type %s must be at least 1", name)
	case n > maxCharLength:
		return 0, fail(sql.InvalidParameter, pos, "length for type %s cannot exceed %d", name, maxCharLength)
	case oid == datum.OIDBit || oid == datum.OIDVarbit:
		return n, nil
	default:
		return n + varHeader, nil
	}
}

// timeTypeMod caps a precision at six digits, as PostgreSQL does with a warning.
func timeTypeMod(oid uint32, p int32, pos int) (int32, error) {
	if p < 0 {
		name := map[uint32]string{datum.OIDTime: "TIME", datum.OIDTimeTZ: "TIME", datum.OIDTimestamp: "TIMESTAMP", datum.OIDTimestampTZ: "TIMESTAMP"}[oid]
		zone := ""
		if oid == datum.OIDTimeTZ || oid == datum.OIDTimestampTZ {
			zone = " WITH TIME ZONE"
		}
		return 0, fail(sql.InvalidParameter, pos, "%s(%d)%s precision must not be negative", name, p, zone)
	}
	return min(p, maxTimePrecision), nil
}

// Bits of an interval's range, PostgreSQL's.
const (
	intervalMonth     = 1 << 1
	intervalYear      = 1 << 2
	intervalDay       = 1 << 3
	intervalHour      = 1 << 10
	intervalMinute    = 1 << 11
	intervalSecond    = 1 << 12
	intervalFullRange = 0x7fff
	intervalFullPrec  = 0xffff
)

func intervalTypeMod(mods []int32, pos int) (int32, error) {
	fields, precision := mods[0], int32(intervalFullPrec)
	if len(mods) > 1 {
		precision = mods[1]
		if precision < 0 {
			return 0, fail(sql.InvalidParameter, pos, "INTERVAL(%d) precision must not be negative", precision)
		}
		if precision != intervalFullPrec {
			precision = min(precision, maxTimePrecision)
		}
	}
	if fields == intervalFullRange && precision == intervalFullPrec {
		return -1, nil
	}
	return fields<<16 | precision, nil
}

// intervalMod takes an interval's modifier apart; precision is -1 when it has none.
func intervalMod(mod int32) (fields int32, precision int) {
	fields, precision = mod>>16&intervalFullRange, int(mod&intervalFullPrec)
	if precision == intervalFullPrec {
		precision = -1
	}
	return fields, precision
}

var intervalFields = map[int32]string{
	intervalYear: " year", intervalMonth: " month", intervalDay: " day", intervalHour: " hour",
	intervalMinute: " minute", intervalSecond: " second",
	intervalYear | intervalMonth:                                 " year to month",
	intervalDay | intervalHour:                                   " day to hour",
	intervalDay | intervalHour | intervalMinute:                  " day to minute",
	intervalDay | intervalHour | intervalMinute | intervalSecond: " day to second",
	intervalHour | intervalMinute:                                " hour to minute",
	intervalHour | intervalMinute | intervalSecond:               " hour to second",
	intervalMinute | intervalSecond:                              " minute to second",
}

func intervalModName(mod int32) string {
	fields, precision := intervalMod(mod)
	name := intervalFields[fields]
	if precision >= 0 {
		name += "(" + strconv.Itoa(precision) + ")"
	}
	return name
}

// typeName is a type's name in pg_type.
func typeName(oid uint32) string {
	b, _ := datum.LookupBuiltin(oid)
	return b.Name
}
