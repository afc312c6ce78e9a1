package pgvalue

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// AppendValue appends to v the value that text means for type t, as PostgreSQL's input
// function reads it, with t's modifier applied. The error is an *Error; v is unchanged then.
func AppendValue(v *zset.Vec, t datum.TypeRef, text []byte, o Options) error {
	switch v.Kind {
	case zset.Int:
		x, err := parseInts(t, text, &o)
		if err != nil {
			return err
		}
		v.AppendInt(x)
	case zset.Float:
		x, err := parseFloat(t.OID, text)
		if err != nil {
			return err
		}
		v.AppendFloat(x)
	case zset.Numeric:
		return appendNumeric(v, t.Mod, text)
	case zset.Interval:
		x, err := parseInterval(text, t.Mod)
		if err != nil {
			return err
		}
		v.AppendInterval(x)
	case zset.Bytes:
		off := len(v.Data)
		data, err := appendInput(v.Data, t, text, &o)
		if err != nil {
			v.Data = v.Data[:off]
			return err
		}
		v.Data = data
		v.AppendTail(off)
	}
	return nil
}

// parseInts reads the types that are kept as Int.
func parseInts(t datum.TypeRef, text []byte, o *Options) (int64, error) {
	switch t.OID {
	case datum.OIDBool:
		return parseBool(text)
	case datum.OIDInt2:
		return parseInt(text, 16, "smallint")
	case datum.OIDInt4:
		return parseInt(text, 32, "integer")
	case datum.OIDInt8:
		return parseInt(text, 64, "bigint")
	case datum.OIDOID:
		return parseOID(text)
	case datum.OIDDate:
		return parseDate(text, o)
	case datum.OIDTime:
		return parseTime(text, t.Mod, o)
	case datum.OIDTimestamp:
		return parseTimestamp(text, t.Mod, o)
	case datum.OIDTimestampTZ:
		return parseTimestampTZ(text, t.Mod, o)
	case datum.OIDMoney:
		return parseMoney(text)
	}
	return parseInt(text, 64, "bigint")
}

func appendNumeric(v *zset.Vec, mod int32, text []byte) error {
	n, arena, err := numeric.FromText(v.Data, text)
	if err == nil && mod >= 0 {
		n, arena, err = numeric.FitTypmod(arena, numeric.Val{Num: n, Arena: arena}, mod)
	}
	if err != nil {
		return err
	}
	v.Data = arena
	v.AppendNumHere(n)
	return nil
}

// appendInput reads the types that are kept as Bytes.
func appendInput(dst []byte, t datum.TypeRef, text []byte, o *Options) ([]byte, error) {
	switch t.OID {
	case datum.OIDText:
		return append(dst, text...), nil
	case datum.OIDVarchar:
		return appendVarchar(dst, text, t.Mod, o.Cast)
	case datum.OIDBpchar:
		return appendBpchar(dst, text, t.Mod, o.Cast)
	case datum.OIDName:
		return append(dst, cutName(text)...), nil
	case datum.OIDBytea:
		return appendBytea(dst, text)
	case datum.OIDUUID:
		return appendUUID(dst, text)
	case datum.OIDTimeTZ:
		return appendTimeTZ(dst, text, t.Mod, o)
	case datum.OIDJSON:
		return appendJSON(dst, text)
	case datum.OIDJSONB:
		return appendJSONB(dst, text)
	}
	if b, ok := datum.LookupBuiltin(t.OID); ok {
		switch b.Kind {
		case datum.KindArray:
			return appendArray(dst, b.Of, t.Mod, text, o)
		case datum.KindRange:
			return appendRange(dst, b.Of, text, o)
		case datum.KindMultirange:
			of, _ := datum.LookupBuiltin(b.Of)
			return appendMultirange(dst, of.Of, text, o)
		}
	}
	return appendSystem(dst, t, text, o)
}

// appendSystem reads the types that are neither everyday ones nor made of others. The rest,
// geometric and text search types among them, is taken as it is.
func appendSystem(dst []byte, t datum.TypeRef, text []byte, o *Options) ([]byte, error) {
	switch t.OID {
	case datum.OIDBit, datum.OIDVarbit:
		return appendBits(dst, text, t.Mod, t.OID == datum.OIDVarbit, o.Cast)
	case datum.OIDInet, datum.OIDCIDR:
		return appendInet(dst, text, t.OID == datum.OIDCIDR)
	case datum.OIDMacaddr:
		return appendMAC(dst, text, 6)
	case datum.OIDMacaddr8:
		return appendMAC(dst, text, 8)
	case datum.OIDChar:
		return append(dst, text[:min(len(text), 1)]...), nil
	case datum.OIDLSN:
		return appendLSN(dst, text)
	}
	return append(dst, text...), nil
}

// appendLSN reads two hexadecimal numbers of up to eight digits.
func appendLSN(dst, text []byte) ([]byte, error) {
	high, low, slash := strings.Cut(string(text), "/")
	h, err1 := strconv.ParseUint(high, 16, 32)
	l, err2 := strconv.ParseUint(low, 16, 32)
	if !slash || err1 != nil || err2 != nil || len(high) > 8 || len(low) > 8 || high[0] == '+' || low[0] == '+' {
		return dst, badInput("pg_lsn", text)
	}
	return fmt.Appendf(dst, "%X/%X", h, l), nil
}
