package expr

import (
	"bytes"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

func declareFormat(r *Registry) {
	r.fn("quote_ident(text) text", text1(func(dst, s []byte) []byte { return append(dst, sql.QuoteIdent(string(s))...) }))
	r.fn("quote_literal(text) text", text1(quoteLiteral))
	r.fn("quote_literal(anyelement) text", func(s *site) kernel {
		return bytesKernel(func(r *Row) error {
			r.set(quoteLiteral(r.data(), r.appendArg(nil, 0, s.args[0])))
			return nil
		})
	}, stable)
	nullable := func(s *site) kernel {
		return bytesKernel(func(r *Row) error {
			if r.Null(0) {
				r.SetString("NULL")
			} else {
				r.set(quoteLiteral(r.data(), r.appendArg(nil, 0, s.args[0])))
			}
			return nil
		})
	}
	r.fn("quote_nullable(text) text", nullable, lax)
	r.fn("quote_nullable(anyelement) text", nullable, lax, stable)
	r.fn("format(text) text", format, lax, stable)
	r.fn("format(text,variadic any) text", format, lax, stable)
}

// quoteLiteral writes a string constant; with a backslash in it, one with E.
func quoteLiteral(dst, s []byte) []byte {
	if bytes.IndexByte(s, '\\') >= 0 {
		dst = append(dst, 'E')
	}
	dst = append(dst, '\'')
	for _, c := range s {
		if c == '\'' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}

// format writes its arguments into a template: %s, %I, %L, with positions and widths.
func format(s *site) kernel {
	return bytesKernel(func(r *Row) error {
		if r.Null(0) {
			r.SetNull()
			return nil
		}
		f := formatter{r: r, types: s.args, in: r.Bytes(0)}
		out, err := f.run(r.data())
		if err == nil {
			r.set(out)
		}
		return err
	})
}

type formatter struct {
	r     *Row
	types []datum.TypeRef
	in    []byte
	last  int // the argument used last
}

var errFormatEnd = withHint(rowFail(sql.InvalidParameter, "unterminated format() type specifier"), `For a single "%" use "%%".`)

func (f *formatter) run(dst []byte) ([]byte, error) {
	for len(f.in) > 0 {
		c := f.in[0]
		f.in = f.in[1:]
		if c != '%' {
			dst = append(dst, c)
			continue
		}
		if len(f.in) > 0 && f.in[0] == '%' {
			dst, f.in = append(dst, '%'), f.in[1:]
			continue
		}
		var err error
		if dst, err = f.spec(dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// number reads digits; ok is false when there are none.
func (f *formatter) number() (n int, ok bool) {
	for len(f.in) > 0 && f.in[0] >= '0' && f.in[0] <= '9' {
		n, ok = min(n*10+int(f.in[0]-'0'), maxValue), true
		f.in = f.in[1:]
	}
	return n, ok
}

func (f *formatter) take(c byte) bool {
	if len(f.in) == 0 || f.in[0] != c {
		return false
	}
	f.in = f.in[1:]
	return true
}

// spec reads [n$][-][width] and a letter.
func (f *formatter) spec(dst []byte) ([]byte, error) {
	position, width, left := -1, 0, false
	n, given := f.number()
	if given && f.take('$') {
		if n == 0 {
			return nil, rowFail(sql.InvalidParameter, "format specifies argument 0, but arguments are numbered from 1")
		}
		position, given = n, false
	}
	if !given {
		for f.take('-') {
			left = true
		}
		var err error
		if n, err = f.width(); err != nil {
			return nil, err
		}
	}
	if width = n; width < 0 {
		left, width = true, -width
	}
	if len(f.in) == 0 {
		return nil, errFormatEnd
	}
	letter := f.in[0]
	if letter != 's' && letter != 'I' && letter != 'L' {
		return nil, withHint(rowFail(sql.InvalidParameter, "unrecognized format() type specifier \"%s\"", f.in[:charEnd(f.in, 1)]),
			`For a single "%" use "%%".`)
	}
	f.in = f.in[1:]
	if position < 0 {
		position = f.last + 1
	}
	if position >= f.r.Len() {
		return nil, rowFail(sql.InvalidParameter, "too few arguments for format()")
	}
	f.last = position
	return f.argument(dst, position, letter, width, left)
}

// width reads digits, or * or *n$ for an argument that is one.
func (f *formatter) width() (int, error) {
	if !f.take('*') {
		n, _ := f.number()
		return n, nil
	}
	at := f.last + 1
	if n, ok := f.number(); ok {
		if !f.take('$') {
			return 0, rowFail(sql.InvalidParameter, "width argument position must be ended by \"$\"")
		}
		if at = n; n == 0 {
			return 0, rowFail(sql.InvalidParameter, "format specifies argument 0, but arguments are numbered from 1")
		}
	}
	if at >= f.r.Len() {
		return 0, rowFail(sql.InvalidParameter, "too few arguments for format()")
	}
	f.last = at
	if f.r.Null(at) {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(f.r.appendArg(nil, at, f.types[at])), 10, 32)
	if err != nil {
		return 0, rowFail(sql.InvalidText, "invalid input syntax for type integer: \"%s\"", f.r.appendArg(nil, at, f.types[at]))
	}
	return int(n), nil
}

func (f *formatter) argument(dst []byte, k int, letter byte, width int, left bool) ([]byte, error) {
	var text []byte
	switch null := f.r.Null(k); {
	case null && letter == 'I':
		return nil, rowFail(sql.NullNotAllowed, "null values cannot be formatted as an SQL identifier")
	case null && letter == 'L':
		text = []byte("NULL")
	case null:
	default:
		text = f.r.appendArg(nil, k, f.types[k])
		if letter == 'I' {
			text = []byte(sql.QuoteIdent(string(text)))
		} else if letter == 'L' {
			text = quoteLiteral(nil, text)
		}
	}
	missing := width - charCount(text)
	if missing > maxValue/2 {
		return nil, errTooLong
	}
	if left {
		return appendFill(append(dst, text...), blank, missing), nil
	}
	return append(appendFill(dst, blank, missing), text...), nil
}
