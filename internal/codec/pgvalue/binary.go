package pgvalue

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datetime/input"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// HasBinary tells whether values of a type can be sent and received in binary.
func HasBinary(oid uint32) bool {
	switch oid {
	case datum.OIDInet, datum.OIDCIDR, datum.OIDMacaddr, datum.OIDMacaddr8, datum.OIDBit, datum.OIDVarbit, datum.OIDTSVector, datum.OIDTSQuery,
		datum.OIDPoint, datum.OIDLseg, datum.OIDPath, datum.OIDBox, datum.OIDPolygon, datum.OIDLine, datum.OIDCircle, datum.OIDTID, datum.OIDLSN,
		datum.OIDXID, datum.OIDCID, datum.OIDXID8, datum.OIDJSONPath, datum.OIDInt2Vector, datum.OIDOIDVector:
		return false
	}
	b, ok := datum.LookupBuiltin(oid)
	switch {
	case !ok:
		return oid == oidUnknown
	case b.Kind == datum.KindArray:
		return HasBinary(b.Of)
	}
	return b.Kind == datum.KindBase && (zset.KindOf(oid) != zset.Bytes || isRaw(oid))
}

const oidUnknown = 705

// isRaw lists the types of Bytes whose binary form is known.
func isRaw(oid uint32) bool {
	switch oid {
	case datum.OIDText, datum.OIDVarchar, datum.OIDBpchar, datum.OIDName, datum.OIDChar, datum.OIDBytea, datum.OIDUUID,
		datum.OIDJSON, datum.OIDJSONB, datum.OIDXML, datum.OIDTimeTZ, oidUnknown:
		return true
	}
	return false
}

// AppendBinary appends value i of v, which is not NULL, as the type's send function
// gives it. For a type without HasBinary it is an error (42883).
func AppendBinary(dst []byte, v *zset.Vec, i int, t datum.TypeRef) ([]byte, error) {
	switch v.Kind {
	case zset.Int:
		return appendIntBinary(dst, v.Ints[i], t.OID), nil
	case zset.Float:
		if t.OID == datum.OIDFloat4 {
			return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(v.Floats[i]))), nil
		}
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.Floats[i])), nil
	case zset.Numeric:
		return appendNumericBinary(dst, v.Num(i)), nil
	case zset.Interval:
		x := v.Intervals[i]
		dst = binary.BigEndian.AppendUint64(dst, uint64(x.Micros))
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, uint32(x.Days)), uint32(x.Months)), nil
	}
	b := v.Bytes(i)
	switch t.OID {
	case datum.OIDJSONB:
		return append(append(dst, 1), b...), nil
	case datum.OIDTimeTZ:
		return appendTimeTZBinary(dst, b)
	}
	if isRaw(t.OID) {
		return append(dst, b...), nil
	}
	if e, ok := datum.LookupBuiltin(t.OID); ok && e.Kind == datum.KindArray && HasBinary(e.Of) {
		return appendArrayBinary(dst, e.Of, b)
	}
	return dst, fault("42883", "no binary output function available for type %s", typeName(t.OID))
}

func typeName(oid uint32) string {
	if b, ok := datum.LookupBuiltin(oid); ok {
		return b.DisplayName()
	}
	return "unknown"
}

// intWidth is how many octets a type of Int has in binary.
func intWidth(oid uint32) int {
	switch oid {
	case datum.OIDBool:
		return 1
	case datum.OIDInt2:
		return 2
	case datum.OIDInt4, datum.OIDOID, datum.OIDDate:
		return 4
	}
	return 8
}

func appendIntBinary(dst []byte, x int64, oid uint32) []byte {
	switch intWidth(oid) {
	case 1:
		return append(dst, byte(x))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(x))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(x))
	}
	return binary.BigEndian.AppendUint64(dst, uint64(x))
}

func appendTimeTZBinary(dst, text []byte) ([]byte, error) {
	x, err := datum.ParseTimeTZ(text)
	if err != nil {
		return dst, badDatetime("time with time zone", text)
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(x.Time))
	return binary.BigEndian.AppendUint32(dst, uint32(-x.East)), nil // PostgreSQL counts west
}

// ParseBinary appends to v the value whose binary form is b, as the type's receive
// function reads it, with t's modifier applied. The error is an *Error; v is unchanged then.
func ParseBinary(v *zset.Vec, t datum.TypeRef, b []byte) error {
	switch v.Kind {
	case zset.Int:
		x, err := intFromBinary(t, b)
		if err != nil {
			return err
		}
		v.AppendInt(x)
		return nil
	case zset.Float:
		return floatFromBinary(v, t.OID, b)
	case zset.Numeric:
		return numericFromBinary(v, t.Mod, b)
	case zset.Interval:
		if len(b) != 16 {
			return badBinary()
		}
		x, err := input.FitInterval(datum.Interval{Micros: int64(be64(b)), Days: int32(be32(b[8:])), Months: int32(be32(b[12:]))}, t.Mod)
		if err != nil {
			return err
		}
		v.AppendInterval(x)
		return nil
	}
	return bytesFromBinary(v, t, b)
}

func badBinary() error { return fault(datum.CodeInvalidBinary, "incorrect binary data format") }

func be32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
func be64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

func intFromBinary(t datum.TypeRef, b []byte) (int64, error) {
	w := intWidth(t.OID)
	if len(b) != w {
		return 0, badBinary()
	}
	switch {
	case t.OID == datum.OIDOID:
		return int64(be32(b)), nil
	case w == 1:
		if b[0] != 0 {
			return 1, nil
		}
		return 0, nil
	case w == 2:
		return int64(int16(binary.BigEndian.Uint16(b))), nil
	case w == 4:
		return checkDay(t.OID, int64(int32(be32(b))))
	}
	return checkWhen(t, int64(be64(b)))
}

func floatFromBinary(v *zset.Vec, oid uint32, b []byte) error {
	switch {
	case oid == datum.OIDFloat4 && len(b) == 4:
		v.AppendFloat(float64(math.Float32frombits(be32(b))))
	case oid != datum.OIDFloat4 && len(b) == 8:
		v.AppendFloat(math.Float64frombits(be64(b)))
	default:
		return badBinary()
	}
	return nil
}

func bytesFromBinary(v *zset.Vec, t datum.TypeRef, b []byte) error {
	switch t.OID {
	case datum.OIDBytea:
		v.AppendBytes(b)
		return nil
	case datum.OIDUUID:
		if len(b) != 16 {
			return badBinary()
		}
		v.AppendBytes(b)
		return nil
	case datum.OIDTimeTZ:
		return timeTZFromBinary(v, b)
	case datum.OIDJSONB:
		if len(b) == 0 || b[0] != 1 {
			return fault(datum.CodeInvalidBinary, "unsupported jsonb version number")
		}
		b = b[1:]
	}
	if e, ok := datum.LookupBuiltin(t.OID); ok && e.Kind == datum.KindArray && HasBinary(e.Of) {
		return arrayFromBinary(v, e.Of, t.Mod, b)
	}
	if !isRaw(t.OID) {
		return fault("42883", "no binary input function available for type %s", typeName(t.OID))
	}
	if err := CheckUTF8(b); err != nil {
		return err
	}
	return AppendValue(v, t, b, Options{})
}

func timeTZFromBinary(v *zset.Vec, b []byte) error {
	if len(b) != 12 {
		return badBinary()
	}
	x := datum.TimeTZ{Time: datum.Time(be64(b)), East: -int32(be32(b[8:]))}
	if x.Time < 0 || x.Time > datum.Day || x.East <= -16*3600 || x.East >= 16*3600 {
		return fault(datum.CodeDatetimeOverflow, "time out of range")
	}
	off := len(v.Data)
	v.Data = datum.AppendTimeTZ(v.Data, x)
	v.AppendTail(off)
	return nil
}

// CheckUTF8 refuses text that PostgreSQL does not take: what is not UTF-8, and 0x00.
func CheckUTF8(b []byte) error {
	for i := 0; i < len(b); {
		c := b[i]
		if c != 0 && c < utf8.RuneSelf {
			i++
			continue
		}
		r, w := utf8.DecodeRune(b[i:])
		if c == 0 || r == utf8.RuneError && w == 1 {
			return fault(datum.CodeCharacterNotInEncoding, "invalid byte sequence for encoding \"UTF8\": %s", hexOf(b[i:], c))
		}
		i += w
	}
	return nil
}

// hexOf shows the octets of the sequence that c would begin.
func hexOf(b []byte, c byte) string {
	n := 1
	switch {
	case c&0xe0 == 0xc0:
		n = 2
	case c&0xf0 == 0xe0:
		n = 3
	case c&0xf8 == 0xf0:
		n = 4
	}
	const digits = "0123456789abcdef"
	var s []byte
	for i, c := range b[:min(n, len(b))] {
		if i > 0 {
			s = append(s, ' ')
		}
		s = append(s, '0', 'x', digits[c>>4], digits[c&15])
	}
	return string(s)
}
