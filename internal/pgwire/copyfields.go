package pgwire

import (
	"bytes"

	"github.com/weirstream/weir/internal/sql"
)

// field is one value of a line.
type field struct {
	text []byte // borrowed until the next line
	null bool
	// escaped: backslashes stood in it, so that it may be other than UTF-8 now.
	escaped bool
}

// fields takes the lines of a COPY apart.
type fields struct {
	how     *Copy
	null    []byte
	forced  []force // by column
	list    []field
	scratch []byte
}

// force are the exceptions of a column from what is NULL.
type force struct{ null, notNull bool }

func newFields(how *Copy, columns []Column) *fields {
	f := &fields{how: how, null: []byte(how.Null), forced: make([]force, len(columns)), list: make([]field, 0, len(columns)+1)}
	for i, c := range columns {
		f.forced[i] = force{contains(how.ForceNull, c.Name), contains(how.ForceNotNull, c.Name)}
	}
	return f
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name || n == "*" {
			return true
		}
	}
	return false
}

// split takes a line apart. What it gives is valid until the next call.
func (f *fields) split(line []byte) ([]field, error) {
	f.list = f.list[:0]
	// Unescaped text is not longer than the line, so that scratch does not move.
	if cap(f.scratch) < len(line) {
		f.scratch = make([]byte, 0, 2*len(line))
	}
	f.scratch = f.scratch[:0]
	if f.how.Format == CopyCSV {
		return f.splitCSV(line)
	}
	return f.splitText(line), nil
}

// splitText takes apart fields with a delimiter between; a backslash takes its sense away.
func (f *fields) splitText(line []byte) []field {
	for {
		end, escapes := f.fieldEnd(line)
		raw := line[:end]
		switch {
		case bytes.Equal(raw, f.null):
			f.list = append(f.list, field{null: true})
		case escapes:
			f.list = append(f.list, field{text: f.unescape(raw), escaped: true})
		default:
			f.list = append(f.list, field{text: raw})
		}
		if end == len(line) {
			return f.list
		}
		line = line[end+1:]
	}
}

// fieldEnd finds the delimiter that ends the first field, or the line's end.
func (f *fields) fieldEnd(line []byte) (end int, escapes bool) {
	end = bytes.IndexByte(line, f.how.Delimiter)
	if end < 0 {
		end = len(line)
	}
	if bytes.IndexByte(line[:end], '\\') < 0 {
		return end, false
	}
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case f.how.Delimiter:
			return i, true
		}
	}
	return len(line), true
}

// unescape writes what a field's backslashes mean.
func (f *fields) unescape(raw []byte) []byte {
	from := len(f.scratch)
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			f.scratch = append(f.scratch, raw[i])
			continue
		}
		i++
		var b byte
		b, i = escape(raw, i)
		f.scratch = append(f.scratch, b)
	}
	return f.scratch[from:]
}

// escape reads what follows a backslash at i and gives the last byte it took.
func escape(raw []byte, i int) (b byte, last int) {
	switch raw[i] {
	case 'b':
		return '\b', i
	case 'f':
		return '\f', i
	case 'n':
		return '\n', i
	case 'r':
		return '\r', i
	case 't':
		return '\t', i
	case 'v':
		return '\v', i
	case 'x':
		if i+1 < len(raw) && isDigit(raw[i+1], 16) {
			return digits(raw, i+1, 2, 16)
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return digits(raw, i, 3, 8)
	}
	return raw[i], i
}

// digits reads at most n digits from i on.
func digits(raw []byte, i, n int, base int) (b byte, last int) {
	v := 0
	last = i - 1
	for ; n > 0 && last+1 < len(raw) && isDigit(raw[last+1], base); n-- {
		last++
		v = v*base + digit(raw[last])
	}
	return byte(v), last
}

func isDigit(b byte, base int) bool { d := digit(b); return d >= 0 && d < base }

func digit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

// splitCSV takes apart fields that may be quoted, in whole or in parts.
func (f *fields) splitCSV(line []byte) ([]field, error) {
	for i := 0; ; i++ {
		from, quoted, was := len(f.scratch), false, false
		for ; i < len(line); i++ {
			b := line[i]
			if quoted {
				if b == f.how.Escape && i+1 < len(line) && (line[i+1] == f.how.Escape || line[i+1] == f.how.Quote) {
					i++
					f.scratch = append(f.scratch, line[i])
				} else if b == f.how.Quote {
					quoted = false
				} else {
					f.scratch = append(f.scratch, b)
				}
				continue
			}
			if b == f.how.Delimiter {
				break
			}
			if b == f.how.Quote {
				quoted, was = true, true
			} else {
				f.scratch = append(f.scratch, b)
			}
		}
		if quoted {
			return nil, fail(sql.BadCopyFormat, "unterminated CSV quoted field")
		}
		f.list = append(f.list, f.csvField(f.scratch[from:len(f.scratch):len(f.scratch)], was))
		if i >= len(line) {
			return f.list, nil
		}
	}
}

// csvField decides whether a field is NULL.
func (f *fields) csvField(text []byte, quoted bool) field {
	var how force
	if i := len(f.list); i < len(f.forced) {
		how = f.forced[i]
	}
	null := bytes.Equal(text, f.null) && (!quoted || how.null) && !how.notNull
	return field{text: text, null: null}
}
