package datum

import "bytes"

// Point is a point of the plane; its coordinates may be NaN or infinite.
type Point struct{ X, Y float64 }

// Circle is a centre and a radius.
type Circle struct {
	Center Point
	Radius float64
}

// Line is the line Ax + By + C = 0.
type Line struct{ A, B, C float64 }

// ParsePoint reads (x,y).
func ParsePoint(b []byte) (Point, error) {
	s := geometry{rest: b}
	p := s.point()
	return p, s.end("point", b)
}

// ParseBox reads (x1,y1),(x2,y2): the upper right and the lower left corner.
func ParseBox(b []byte) (corners [2]Point, err error) {
	s := geometry{rest: b}
	corners[0] = s.point()
	s.want(',')
	corners[1] = s.point()
	return corners, s.end("box", b)
}

// ParseLseg reads [(x1,y1),(x2,y2)].
func ParseLseg(b []byte) (ends [2]Point, err error) {
	s := geometry{rest: b}
	s.want('[')
	ends[0] = s.point()
	s.want(',')
	ends[1] = s.point()
	s.want(']')
	return ends, s.end("lseg", b)
}

// ParsePath reads [(x1,y1),…], which is open, or ((x1,y1),…), which is closed, and
// appends its points to dst.
func ParsePath(dst []Point, b []byte) (_ []Point, closed bool, err error) {
	s := geometry{rest: b}
	closed = len(b) > 0 && b[0] == '('
	if closed {
		dst = s.points(dst, '(', ')')
	} else {
		dst = s.points(dst, '[', ']')
	}
	return dst, closed, s.end("path", b)
}

// ParsePolygon reads ((x1,y1),…) and appends its corners to dst.
func ParsePolygon(dst []Point, b []byte) ([]Point, error) {
	s := geometry{rest: b}
	dst = s.points(dst, '(', ')')
	return dst, s.end("polygon", b)
}

// ParseCircle reads <(x,y),r>.
func ParseCircle(b []byte) (c Circle, err error) {
	s := geometry{rest: b}
	s.want('<')
	c.Center = s.point()
	s.want(',')
	c.Radius = s.number('>')
	s.want('>')
	return c, s.end("circle", b)
}

// ParseLine reads {A,B,C}.
func ParseLine(b []byte) (l Line, err error) {
	s := geometry{rest: b}
	s.want('{')
	l.A = s.number(',')
	s.want(',')
	l.B = s.number(',')
	s.want(',')
	l.C = s.number('}')
	s.want('}')
	return l, s.end("line", b)
}

// geometry reads the punctuation and numbers of geometric types; the first thing
// that does not fit makes it fail for good.
type geometry struct {
	rest   []byte
	failed bool
}

func (s *geometry) end(typ string, b []byte) error {
	if s.failed || len(s.rest) > 0 {
		return bad(typ, b)
	}
	return nil
}

func (s *geometry) peek(c byte) bool { return len(s.rest) > 0 && s.rest[0] == c }

func (s *geometry) want(c byte) {
	if !s.peek(c) {
		s.failed, s.rest = true, nil
		return
	}
	s.rest = s.rest[1:]
}

// number reads up to, not including, the byte stop.
func (s *geometry) number(stop byte) float64 {
	n := bytes.IndexByte(s.rest, stop)
	v, ok := parseFloat(s.rest[:max(n, 0)], 64)
	if !ok || n < 0 {
		s.failed, s.rest = true, nil
		return 0
	}
	s.rest = s.rest[n:]
	return v
}

func (s *geometry) point() (p Point) {
	s.want('(')
	p.X = s.number(',')
	s.want(',')
	p.Y = s.number(')')
	s.want(')')
	return p
}

func (s *geometry) points(dst []Point, open, shut byte) []Point {
	s.want(open)
	dst = append(dst, s.point())
	for !s.failed && s.peek(',') {
		s.want(',')
		dst = append(dst, s.point())
	}
	s.want(shut)
	return dst
}
