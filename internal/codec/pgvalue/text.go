package pgvalue

import (
	"encoding/hex"
	"math"
	"strconv"
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// AppendText appends value i of v, which is not NULL, as PostgreSQL prints it: with
// DateStyle ISO, IntervalStyle postgres, extra_float_digits 1, bytea_output hex, and
// timestamps with time zone in o.Zone.
func AppendText(dst []byte, v *zset.Vec, i int, t datum.TypeRef, o Options) []byte {
	switch v.Kind {
	case zset.Int:
		return appendIntText(dst, v.Ints[i], t.OID, &o)
	case zset.Float:
		if t.OID == datum.OIDFloat4 {
			return appendFloat(dst, v.Floats[i], 32)
		}
		return appendFloat(dst, v.Floats[i], 64)
	case zset.Numeric:
		return numeric.AppendText(dst, v.Num(i))
	case zset.Interval:
		return datum.AppendInterval(dst, v.Intervals[i])
	}
	b := v.Bytes(i)
	switch {
	case o.zone() != time.UTC && hasZone(t.OID):
		return appendZoned(dst, b, t.OID, &o)
	case t.OID == datum.OIDBytea:
		return hex.AppendEncode(append(dst, `\x`...), b)
	case t.OID == datum.OIDUUID && len(b) == 16:
		return datum.AppendUUID(dst, [16]byte(b))
	}
	return append(dst, b...)
}

func appendIntText(dst []byte, x int64, oid uint32, o *Options) []byte {
	switch oid {
	case datum.OIDBool:
		if x != 0 {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case datum.OIDDate:
		return datum.AppendDate(dst, datum.Date(x))
	case datum.OIDTime:
		return datum.AppendTime(dst, datum.Time(x))
	case datum.OIDTimestamp:
		return datum.AppendTimestamp(dst, datum.Timestamp(x))
	case datum.OIDTimestampTZ:
		return datetime.AppendTimestampTZ(dst, datum.Timestamp(x), o.zone())
	case datum.OIDMoney:
		return appendMoney(dst, x)
	}
	return strconv.AppendInt(dst, x, 10)
}

const oidTimestampTZArray = 1185

// hasZone lists the types made of timestamps with time zone. They are kept in UTC.
func hasZone(oid uint32) bool {
	return oid == oidTimestampTZArray || oid == datum.OIDTSTZRange || oid == datum.OIDTSTZMultirange
}

func appendZoned(dst, text []byte, oid uint32, o *Options) []byte {
	utc := Options{}
	out, err := dst, error(nil)
	switch oid {
	case oidTimestampTZArray:
		return appendZonedArray(dst, text, o)
	case datum.OIDTSTZRange:
		r := newRanges(datum.OIDTimestampTZ, text, &utc)
		var s span
		if s, _, err = r.read(text); err == nil {
			out = r.append(dst, s, o)
		}
	default:
		out, err = reprintMultirange(dst, text, o)
	}
	if err != nil {
		return append(dst, text...)
	}
	return out
}

// appendZonedArray prints an array of timestamps, which is kept in UTC, in the session's zone.
func appendZonedArray(dst, text []byte, o *Options) []byte {
	a, err := datum.ParseArray(text, ',')
	if err != nil {
		return append(dst, text...)
	}
	one := zset.NewVec(zset.Int, 1)
	w := arrayWriter{dst: dst, dims: a.Dims[:a.NDim], elem: datum.OIDTimestampTZ, opts: Options{Zone: o.Zone}}
	w.start()
	for it := a.Iter(nil); it.Next(); {
		one.Reset()
		if it.Null || AppendValue(one, datum.Ref(datum.OIDTimestampTZ), it.Value, Options{}) != nil {
			w.null()
			continue
		}
		w.value(one)
	}
	return w.finish()
}

// appendFloat appends the shortest digits that read back as the same value, with an
// exponent where PostgreSQL has one.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case f == 0:
		if math.Signbit(f) {
			return append(dst, "-0"...)
		}
		return append(dst, '0')
	}
	// PostgreSQL writes exponents below -4 and from 15 (6 for real) on.
	least, limit := 1e-4, 1e15
	if bits == 32 {
		least, limit = float64(float32(1e-4)), 1e6
	}
	if a := math.Abs(f); a < limit && a >= least {
		return strconv.AppendFloat(dst, f, 'f', -1, bits)
	}
	return strconv.AppendFloat(dst, f, 'e', -1, bits)
}

// appendMoney appends cents as lc_monetary = C prints them: -$1,234.56.
func appendMoney(dst []byte, cents int64) []byte {
	u := uint64(cents)
	if cents < 0 {
		dst, u = append(dst, '-'), -u
	}
	var buf [32]byte
	whole := strconv.AppendUint(buf[:0], u/100, 10)
	dst = append(dst, '$')
	for k, c := range whole {
		if k > 0 && (len(whole)-k)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c)
	}
	return datum.AppendPadded(append(dst, '.'), u%100, 2)
}
