package template

import (
	"strings"

	"github.com/weirstream/weir/internal/numeric"
)

// numberReader reads a text along a number template.
type numberReader struct {
	shape
	text            string
	pos             int
	sign            byte // ' ' until read
	out             []byte
	readPre         int
	readPost        int
	point, inNumber bool
}

// ToNumber is to_number(text, template). dst is the arena of the result, as in package numeric.
func (n *Number) ToNumber(dst []byte, text string) (numeric.Num, []byte, error) {
	if n.shape.exponent {
		return numeric.Num{}, dst, fault("0A000", `"EEEE" not supported for input`, "", "")
	}
	if n.shape.roman {
		return numeric.Num{}, dst, fault("0A000", `"RN" not supported for input`, "", "")
	}
	r := numberReader{shape: n.shape, text: text, sign: ' '}
	for i := range n.nodes {
		if r.end() {
			break
		}
		f := &n.nodes[i]
		if f.kind != nField {
			r.pos += charLen(r.text[r.pos:])
			continue
		}
		r.field(f)
	}
	digits := strings.TrimSuffix(string(r.out), ".")
	num, dst, err := numeric.FromText(dst, []byte(string(r.sign)+digits))
	if err != nil {
		return num, dst, err
	}
	num, dst, err = numeric.Fit(dst, numeric.Val{Num: num, Arena: dst}, r.pre+r.shift+r.readPost, r.readPost)
	if err != nil || !r.shifted {
		return num, dst, err
	}
	tenth, arena, err := numeric.Power(nil, numeric.V(numeric.FromInt64(10)), numeric.V(numeric.FromInt64(int64(-r.shift))))
	if err != nil {
		return num, dst, err
	}
	return numeric.Mul(dst, numeric.Val{Num: num, Arena: dst}, numeric.Val{Num: tenth, Arena: arena})
}

func (r *numberReader) end() bool { return r.pos >= len(r.text) }

func (r *numberReader) field(f *node) {
	switch f.key.id {
	case nineField, zeroField, pointField, localPointField:
		r.digit(f.key.id)
		r.pos++
	case commaField, groupField:
		if (r.inNumber || !r.fill) && r.text[r.pos] == ',' {
			r.pos++
		}
	case currencyField:
		r.skipOther(1)
	case minusField:
		r.ownSign("-")
	case plusField:
		r.ownSign("+")
	case plusMinusField:
		r.ownSign("+-")
	case thField:
		r.skipOther(2)
	case romanNumberField:
		r.pos++
	}
}

// ownSign reads one of the signs in the place that the template has for it.
func (r *numberReader) ownSign(signs string) {
	if c := r.text[r.pos]; strings.IndexByte(signs, c) >= 0 {
		r.sign = c
		r.pos++
		return
	}
	r.skipOther(1)
}

// skipOther passes over up to n characters that do not belong to a number.
func (r *numberReader) skipOther(n int) {
	for ; n > 0 && !r.end() && !strings.ContainsRune("0123456789.,+-", rune(r.text[r.pos])); n-- {
		r.pos += charLen(r.text[r.pos:])
	}
}

func isSign(c byte) bool { return c == '-' || c == '+' }

// digit reads what may stand in the place of a 9, 0 or point.
func (r *numberReader) digit(f id) {
	if r.text[r.pos] == ' ' {
		if r.pos++; r.end() {
			return
		}
	}
	if r.sign == ' ' && (f == zeroField || f == nineField) && r.readPre+r.readPost == 0 {
		r.signBefore()
		if r.end() {
			return
		}
	}
	read := false
	switch c := r.text[r.pos]; {
	case c-'0' <= 9:
		if r.point && r.readPost == r.post {
			return
		}
		r.out = append(r.out, c)
		if r.point {
			r.readPost++
		} else {
			r.readPre++
		}
		read = true
	case c == '.' && r.decimal && !r.point:
		r.out = append(r.out, '.')
		r.point, read = true, true
	}
	if r.sign == ' ' && r.readPre+r.readPost > 0 {
		r.signAfter(read)
	}
}

func (r *numberReader) signBefore() {
	c := r.text[r.pos]
	switch {
	case r.signed && r.shape.sign == signBefore:
		if isSign(c) {
			r.sign = c
			r.pos++
		}
	case c == '-' || c == '<' && r.bracket:
		r.sign = '-'
		r.pos++
	case c == '+':
		r.sign = '+'
		r.pos++
	}
}

// signAfter reads a sign behind the last digit.
func (r *numberReader) signAfter(read bool) {
	if r.signed && read && r.pos+1 < len(r.text) && r.text[r.pos+1]-'0' > 9 {
		if c := r.text[r.pos+1]; isSign(c) {
			r.pos++
			r.sign = c
		}
		return
	}
	if c := r.text[r.pos]; !read && !r.signed && (r.plus || r.minus) && isSign(c) {
		r.sign = c
	}
}
