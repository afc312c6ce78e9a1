package expr

import (
	"bytes"
)

// similarToEscape writes a SIMILAR TO pattern as a regular expression: % is .*, _ is ., and |, *, +, ?, {,
// (, [ mean what they mean there. Two escape-double-quotes part the pattern for substring.
func similarToEscape(r *Row) error {
	escape := []byte(`\`)
	if r.Len() == 2 {
		if escape = r.Bytes(1); len(escape) > 1 && charEnd(escape, 1) != len(escape) {
			return errEscapeLength
		}
	}
	w := similar{dst: append(r.data(), "^(?:"...), escape: escape}
	if err := w.write(r.Bytes(0)); err != nil {
		return err
	}
	r.set(append(w.dst, ")$"...))
	return nil
}

type similar struct {
	dst     []byte
	escape  []byte
	bracket bool
	quotes  int
}

func (w *similar) write(pattern []byte) error {
	for len(pattern) > 0 {
		if len(w.escape) > 0 && bytes.HasPrefix(pattern, w.escape) {
			rest := pattern[len(w.escape):]
			if len(rest) == 0 { // PostgreSQL lets it stand for nothing
				return nil
			}
			if err := w.escaped(rest[:charEnd(rest, 1)]); err != nil {
				return err
			}
			pattern = rest[charEnd(rest, 1):]
			continue
		}
		w.plain(pattern[0])
		pattern = pattern[1:]
	}
	return nil
}

// escaped writes a character that follows the escape.
func (w *similar) escaped(c []byte) error {
	if string(c) != `"` || w.bracket {
		w.dst = append(append(w.dst, '\\'), c...)
		return nil
	}
	switch w.quotes++; w.quotes {
	case 1:
		w.dst = append(w.dst, "){1,1}?("...)
	case 2:
		w.dst = append(w.dst, "){1,1}(?:"...)
	default:
		return rowFail("2200C", "SQL regular expression may not contain more than two escape-double-quote separators")
	}
	return nil
}

func (w *similar) plain(c byte) {
	switch {
	case w.bracket:
		if c == '\\' {
			w.dst = append(w.dst, '\\')
		}
		w.dst = append(w.dst, c)
		w.bracket = c != ']'
	case c == '[':
		w.dst, w.bracket = append(w.dst, c), true
	case c == '%':
		w.dst = append(w.dst, ".*"...)
	case c == '_':
		w.dst = append(w.dst, '.')
	case c == '(':
		w.dst = append(w.dst, "(?:"...)
	case c == '\\' || c == '.' || c == '^' || c == '$':
		w.dst = append(w.dst, '\\', c)
	default:
		w.dst = append(w.dst, c)
	}
}
