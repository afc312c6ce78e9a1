package debezium

import (
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
)

// kind is one way to encode a value.
type kind uint8

const (
	asText     kind = iota
	asBool          // true, false
	asInteger       // the digits as they are
	asFloat         // the number as it is
	asDecimal       // base64 of the unscaled integer at a fixed scale
	asVariable      // {"scale":…,"value":…}
	asDecimalText
	asMoney
	asMoneyText
	asMoneyFloat
	asBit  // bit(1): true, false
	asBits // bit(n): base64, little endian, padded
	asVarbits
	asBytes
	asDate
	asTime
	asTimeTZ
	asTimestamp
	asTimestampTZ
	asDuration
	asDurationText
	asHstore
	asArray
	asPoint
	asLseg
	asPath
	asBox
	asPolygon
	asCircle
	asLine
)

// encoding is how the values of one column, or of the elements of one, are written.
type encoding struct {
	kind  kind
	n     int       // scale of a decimal, length of a bit string, digits of a second's fraction
	prec  int       // precision of a decimal
	elem  *encoding // of an array
	delim byte      // of an array
	name  string    // Debezium's semantic type, when the kind does not tell it
	enum  []string  // labels
}

// resolver finds encodings for the types of one schema.
type resolver struct {
	opt   Options
	types []datum.Type
}

// maxDepth bounds domains over domains and arrays of them.
const maxDepth = 32

func (r *resolver) column(c *row.Column) encoding { return r.resolve(c.Type, c.Typmod, 0) }

func (r *resolver) resolve(oid uint32, typmod int32, depth int) encoding {
	if depth > maxDepth {
		return encoding{kind: asText}
	}
	if b, ok := datum.LookupBuiltin(oid); ok {
		if b.Kind == datum.KindArray {
			return r.array(b.Of, typmod, depth)
		}
		return r.builtin(oid, typmod)
	}
	for i := range r.types {
		if t := &r.types[i]; t.OID == oid {
			return r.custom(t, typmod, depth)
		}
	}
	return encoding{kind: asText}
}

func (r *resolver) array(elem uint32, typmod int32, depth int) encoding {
	e := r.resolve(elem, typmod, depth+1)
	return encoding{kind: asArray, elem: &e, delim: datum.Delim(elem)}
}

func (r *resolver) custom(t *datum.Type, typmod int32, depth int) encoding {
	switch t.Kind {
	case datum.KindArray:
		return r.array(t.Elem, typmod, depth)
	case datum.KindDomain:
		return r.resolve(t.Base, baseTypmod(t.Base, t.BaseName), depth+1)
	case datum.KindEnum:
		return encoding{kind: asText, name: "io.debezium.data.Enum", enum: t.Labels}
	case datum.KindBase:
		switch t.Name {
		case "hstore":
			return encoding{kind: asHstore, name: "io.debezium.data.Json"}
		case "ltree":
			return encoding{kind: asText, name: "io.debezium.data.Ltree"}
		}
	}
	return encoding{kind: asText}
}

// baseTypmod reads the modifier of a domain's base type out of its printed name:
// numeric(10,2), bit(5), timestamp(3) without time zone.
func baseTypmod(oid uint32, name string) int32 {
	_, inside, ok := strings.Cut(name, "(")
	if !ok {
		return -1
	}
	inside, _, _ = strings.Cut(inside, ")")
	first, second, two := strings.Cut(inside, ",")
	a, err := strconv.Atoi(first)
	if err != nil {
		return -1
	}
	b, err := strconv.Atoi(second)
	if two != (err == nil) {
		return -1
	}
	if b, ok := datum.LookupBuiltin(oid); ok && b.Kind == datum.KindArray {
		oid = b.Of
	}
	if oid == datum.OIDNumeric {
		return int32(a<<16|b&0x7ff) + 4
	}
	return int32(a)
}

// builtin is the table of encodings.
func (r *resolver) builtin(oid uint32, typmod int32) encoding {
	switch oid {
	case datum.OIDBool:
		return encoding{kind: asBool}
	case datum.OIDInt2, datum.OIDInt4, datum.OIDInt8, datum.OIDOID:
		return encoding{kind: asInteger, n: integerBits(oid)}
	case datum.OIDFloat4, datum.OIDFloat8:
		return encoding{kind: asFloat, n: map[uint32]int{datum.OIDFloat4: 32, datum.OIDFloat8: 64}[oid]}
	case datum.OIDNumeric:
		return r.numeric(typmod)
	case datum.OIDMoney:
		return r.money()
	case datum.OIDBit:
		if typmod == 1 {
			return encoding{kind: asBit}
		}
		return encoding{kind: asBits, n: int(max(typmod, 0))}
	case datum.OIDVarbit:
		return encoding{kind: asVarbits, n: int(max(typmod, 0))}
	case datum.OIDBytea:
		return encoding{kind: asBytes}
	case datum.OIDUUID:
		return encoding{kind: asText, name: "io.debezium.data.Uuid"}
	case datum.OIDXML:
		return encoding{kind: asText, name: "io.debezium.data.Xml"}
	case datum.OIDJSON, datum.OIDJSONB:
		return encoding{kind: asText, name: "io.debezium.data.Json"}
	case datum.OIDTSVector:
		return encoding{kind: asText, name: "io.debezium.data.Tsvector"}
	}
	if e, ok := r.temporal(oid, typmod); ok {
		return e
	}
	if k, ok := geometric[oid]; ok {
		return encoding{kind: k}
	}
	return encoding{kind: asText}
}

func integerBits(oid uint32) int {
	switch oid {
	case datum.OIDInt2:
		return 16
	case datum.OIDInt4:
		return 32
	}
	return 64 // int8, and oid, which is unsigned
}

var geometric = map[uint32]kind{
	datum.OIDPoint: asPoint, datum.OIDLseg: asLseg, datum.OIDPath: asPath, datum.OIDBox: asBox,
	datum.OIDPolygon: asPolygon, datum.OIDCircle: asCircle, datum.OIDLine: asLine,
}

func (r *resolver) numeric(typmod int32) encoding {
	switch {
	case r.opt.Decimal == DecimalString:
		return encoding{kind: asDecimalText}
	case r.opt.Decimal == DecimalDouble:
		return encoding{kind: asFloat, n: 64}
	case typmod < 4:
		return encoding{kind: asVariable}
	}
	// The scale has eleven bits and a sign.
	scale := int(typmod-4) & 0x7ff
	return encoding{kind: asDecimal, n: (scale ^ 1024) - 1024, prec: int(typmod-4) >> 16 & 0xffff}
}

func (r *resolver) money() encoding {
	switch r.opt.Decimal {
	case DecimalString:
		return encoding{kind: asMoneyText}
	case DecimalDouble:
		return encoding{kind: asMoneyFloat}
	}
	return encoding{kind: asMoney, n: 2}
}

func (r *resolver) temporal(oid uint32, typmod int32) (encoding, bool) {
	digits := int(typmod)
	if typmod < 0 || typmod > 6 {
		digits = 6
	}
	switch oid {
	case datum.OIDDate:
		return encoding{kind: asDate}, true
	case datum.OIDTime:
		return encoding{kind: asTime, n: digits}, true
	case datum.OIDTimeTZ:
		return encoding{kind: asTimeTZ}, true
	case datum.OIDTimestamp:
		return encoding{kind: asTimestamp, n: digits}, true
	case datum.OIDTimestampTZ:
		return encoding{kind: asTimestampTZ, n: digits}, true
	case datum.OIDInterval:
		if r.opt.Interval == IntervalString {
			return encoding{kind: asDurationText}, true
		}
		return encoding{kind: asDuration}, true
	}
	return encoding{}, false
}
