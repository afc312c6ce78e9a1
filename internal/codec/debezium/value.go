package debezium

import (
	"encoding/base64"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
)

// Unavailable stands for a large value that an update did not touch and the source
// did not send.
const Unavailable = "__debezium_unavailable_value"

// writer appends values; it owns the scratch they are taken apart in.
type writer struct {
	octets []byte
	text   []byte
	points []datum.Point
}

// value appends one value that is not NULL. Dst comes back whole even with an error;
// the caller drops it.
func (w *writer) value(dst []byte, e *encoding, v []byte) ([]byte, error) {
	switch e.kind {
	case asText:
		return AppendString(dst, v)
	case asBool:
		b, err := datum.ParseBool(v)
		return strconv.AppendBool(dst, b), err
	case asInteger:
		n, err := datum.ParseInt64(v)
		return strconv.AppendInt(dst, n, 10), err
	case asFloat:
		return appendFloatText(dst, v)
	case asDecimal, asVariable, asDecimalText:
		return w.decimal(dst, e, v)
	case asMoney, asMoneyText, asMoneyFloat:
		return w.money(dst, e, v)
	case asBit, asBits, asVarbits:
		return w.bits(dst, e, v)
	case asBytes:
		octets, err := datum.AppendBytea(w.octets[:0], v)
		w.octets = octets
		return appendBase64(dst, octets), err
	case asHstore:
		return w.hstore(dst, v)
	case asArray:
		return w.array(dst, e, v)
	case asPoint, asLseg, asPath, asBox, asPolygon, asCircle, asLine:
		return w.geometry(dst, e, v)
	}
	return w.temporal(dst, e, v)
}

// unavailable appends the placeholder in the shape of e.
func unavailable(dst []byte, e *encoding) []byte {
	switch e.kind {
	case asBytes, asBits, asVarbits:
		return appendBase64(dst, []byte(Unavailable))
	case asArray:
		return append(unavailable(append(dst, '['), e.elem), ']')
	}
	return append(append(append(dst, '"'), Unavailable...), '"')
}

func appendBase64(dst, octets []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, octets)
	return append(dst, '"')
}

// appendFloatText appends a number as the server prints it, which is how JSON
// writes numbers too, but for those that are none.
func appendFloatText(dst, v []byte) ([]byte, error) {
	switch string(v) {
	case "NaN", "Infinity", "-Infinity":
		return append(append(append(dst, '"'), v...), '"'), nil
	}
	if !isNumber(v) {
		return dst, &datum.ParseError{Type: "double precision", Value: string(v)}
	}
	return append(dst, v...), nil
}

// isNumber tells whether b is a JSON number.
func isNumber(b []byte) bool {
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	whole, rest := digits(b)
	if whole == 0 || whole > 1 && b[0] == '0' {
		return false
	}
	b = rest
	if len(b) > 0 && b[0] == '.' {
		var n int
		if n, b = digits(b[1:]); n == 0 {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		var n int
		if n, b = digits(b); n == 0 {
			return false
		}
	}
	return len(b) == 0
}

// digits counts the digits b starts with.
func digits(b []byte) (n int, rest []byte) {
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n, b[n:]
}

func (w *writer) decimal(dst []byte, e *encoding, v []byte) ([]byte, error) {
	d, err := datum.ScanNumeric(v)
	if err != nil {
		return dst, err
	}
	scale := e.n
	if e.kind == asVariable {
		scale = len(d.Frac)
		dst = append(dst, `{"scale":`...)
		dst = strconv.AppendInt(dst, int64(scale), 10)
		dst = append(dst, `,"value":`...)
	}
	switch {
	case d.Form == datum.NaN:
		dst = append(dst, `"NAN"`...)
	case d.Form == datum.Infinity && d.Negative:
		dst = append(dst, `"NEGATIVE_INFINITY"`...)
	case d.Form == datum.Infinity:
		dst = append(dst, `"POSITIVE_INFINITY"`...)
	case e.kind == asDecimalText:
		dst = append(append(append(dst, '"'), v...), '"')
	default:
		octets, ok := d.AppendUnscaled(w.octets[:0], scale)
		if w.octets = octets; !ok {
			return dst, &datum.ParseError{Type: "numeric of scale " + strconv.Itoa(scale), Value: string(v)}
		}
		dst = appendBase64(dst, octets)
	}
	if e.kind == asVariable {
		dst = append(dst, '}')
	}
	return dst, nil
}

func (w *writer) money(dst []byte, e *encoding, v []byte) ([]byte, error) {
	cents, err := datum.ParseMoney(v)
	if e.kind == asMoney {
		w.octets = datum.AppendInt64(w.octets[:0], cents)
		return appendBase64(dst, w.octets), err
	}
	if e.kind == asMoneyText {
		dst = append(dst, '"')
	}
	abs := uint64(cents)
	if cents < 0 {
		dst, abs = append(dst, '-'), -abs
	}
	dst = strconv.AppendUint(dst, abs/100, 10)
	dst = datum.AppendPadded(append(dst, '.'), abs%100, 2)
	if e.kind == asMoneyText {
		dst = append(dst, '"')
	}
	return dst, err
}

// bits writes a bit string as a little-endian integer: the last bit is the lowest
// of the first octet. A bit(n) has as many octets as n needs, a varbit no zero ones
// at the end.
func (w *writer) bits(dst []byte, e *encoding, v []byte) ([]byte, error) {
	for _, c := range v {
		if c != '0' && c != '1' {
			return dst, &datum.ParseError{Type: "bit", Value: string(v)}
		}
	}
	if e.kind == asBit {
		return strconv.AppendBool(dst, string(v) == "1"), nil
	}
	out := w.octets[:0]
	for i := range v {
		if i%8 == 0 {
			out = append(out, 0)
		}
		out[i/8] |= (v[len(v)-1-i] - '0') << (i % 8)
	}
	w.octets = out
	for e.kind == asVarbits && len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return appendBase64(dst, out), nil
}
