package debezium

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
)

// array writes a JSON array, nested as deep as the value has dimensions.
func (w *writer) array(dst []byte, e *encoding, v []byte) ([]byte, error) {
	a, err := datum.ParseArray(v, e.delim)
	if err != nil {
		return dst, err
	}
	if a.NDim == 0 {
		return append(dst, '[', ']'), nil
	}
	// An array's elements may be arrays only through a domain; such values unescape
	// into a scratch of their own.
	it := a.Iter(w.text)
	w.text = nil
	defer func() { w.text = it.Scratch }()
	for i := 0; it.Next(); i++ {
		dst = arrayOpen(dst, &a, i)
		if it.Null {
			dst = append(dst, "null"...)
		} else if dst, err = w.value(dst, e.elem, it.Value); err != nil {
			return dst, err
		}
		dst = arrayClose(dst, &a, i)
	}
	return dst, nil
}

// arrayOpen appends what stands before element i: a comma, and the brackets of the
// sub-arrays that begin with it.
func arrayOpen(dst []byte, a *datum.Array, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	for range edges(a, i) {
		dst = append(dst, '[')
	}
	return dst
}

// arrayClose appends the brackets of the sub-arrays that end with element i.
func arrayClose(dst []byte, a *datum.Array, i int) []byte {
	for range edges(a, i+1) {
		dst = append(dst, ']')
	}
	return dst
}

// edges counts the sub-arrays, the whole included, on whose boundary i lies.
func edges(a *datum.Array, i int) (n int) {
	size := 1
	for d := a.NDim - 1; d >= 0; d-- {
		if size *= int(a.Dims[d].Len); i%size != 0 {
			break
		}
		n++
	}
	return n
}

// hstore writes a string that holds a JSON object.
func (w *writer) hstore(dst, v []byte) ([]byte, error) {
	obj := append(w.octets[:0], '{')
	it := datum.Hstore(v, w.text)
	for n := 0; it.Next(); n++ {
		var err error
		if n > 0 {
			obj = append(obj, ',')
		}
		if obj, err = AppendString(obj, it.Key); err != nil {
			return dst, err
		}
		obj = append(obj, ':')
		if it.Null {
			obj = append(obj, "null"...)
		} else if obj, err = AppendString(obj, it.Value); err != nil {
			return dst, err
		}
	}
	w.text = it.Scratch
	w.octets = append(obj, '}')
	if it.Err() != nil {
		return dst, it.Err()
	}
	return AppendString(dst, w.octets)
}

// Well-known binary: the codes of its geometries.
const (
	wkbPoint      = 1
	wkbLineString = 2
	wkbPolygon    = 3
)

func (w *writer) geometry(dst []byte, e *encoding, v []byte) ([]byte, error) {
	pts, err := w.points[:0], error(nil)
	shape := uint32(wkbLineString)
	switch e.kind {
	case asPoint:
		var p datum.Point
		if p, err = datum.ParsePoint(v); err == nil {
			dst = appendXY(append(dst, '{'), p)
			w.octets = appendWKB(w.octets[:0], wkbPoint, p)
			dst = appendBase64(append(dst, `,"wkb":`...), w.octets)
			dst = append(dst, `,"srid":null}`...)
		}
		return dst, err
	case asCircle:
		var c datum.Circle
		if c, err = datum.ParseCircle(v); err == nil {
			dst = appendXY(append(dst, `{"center":{`...), c.Center)
			dst = appendFloat(append(dst, `},"radius":`...), c.Radius)
			dst = append(dst, '}')
		}
		return dst, err
	case asLine:
		var l datum.Line
		if l, err = datum.ParseLine(v); err == nil {
			dst = appendFloat(append(dst, `{"a":`...), l.A)
			dst = appendFloat(append(dst, `,"b":`...), l.B)
			dst = appendFloat(append(dst, `,"c":`...), l.C)
			dst = append(dst, '}')
		}
		return dst, err
	case asLseg:
		var ends [2]datum.Point
		ends, err = datum.ParseLseg(v)
		pts = append(pts, ends[:]...)
	case asBox:
		var c [2]datum.Point
		c, err = datum.ParseBox(v)
		shape = wkbPolygon
		pts = append(pts, c[0], datum.Point{X: c[1].X, Y: c[0].Y}, c[1], datum.Point{X: c[0].X, Y: c[1].Y})
	case asPolygon:
		shape = wkbPolygon
		pts, err = datum.ParsePolygon(pts, v)
	default:
		var closed bool
		if pts, closed, err = datum.ParsePath(pts, v); closed {
			shape = wkbPolygon
		}
	}
	if err != nil {
		return dst, err
	}
	if shape == wkbPolygon {
		pts = append(pts, pts[0]) // a ring ends where it begins
	}
	w.points = pts
	w.octets = appendWKB(w.octets[:0], shape, pts...)
	dst = appendBase64(append(dst, `{"wkb":`...), w.octets)
	return append(dst, `,"srid":null}`...), nil
}

// appendWKB appends a geometry in little-endian well-known binary.
func appendWKB(dst []byte, shape uint32, pts ...datum.Point) []byte {
	dst = append(dst, 1)
	dst = binary.LittleEndian.AppendUint32(dst, shape)
	if shape == wkbPolygon {
		dst = binary.LittleEndian.AppendUint32(dst, 1) // one ring
	}
	if shape != wkbPoint {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(pts)))
	}
	for _, p := range pts {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(p.X))
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(p.Y))
	}
	return dst
}

func appendXY(dst []byte, p datum.Point) []byte {
	dst = appendFloat(append(dst, `"x":`...), p.X)
	return appendFloat(append(dst, `,"y":`...), p.Y)
}

// appendFloat appends a double: 1.0 rather than 1, as Java prints it.
func appendFloat(dst []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.AppendFloat(dst, v, 'f', 1, 64)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
