package pgregexp

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Classes that have escapes, in the inside of Go's brackets.
const (
	digits = `0-9`
	spaces = `\t\n\v\f\r `
	wordly = `0-9A-Za-z_`
)

// escape reads what follows a backslash outside of brackets.
func (p *parser) escape() (*node, error) {
	if !p.more() {
		return nil, ErrEscape
	}
	switch c := p.peek(); c {
	case 'd', 's', 'w', 'D', 'S', 'W':
		p.at++
		return &node{kind: set, text: classEscape(c)}, nil
	case 'A':
		p.at++
		return &node{kind: assert, text: `\A`}, nil
	case 'Z':
		p.at++
		return &node{kind: assert, text: `\z`}, nil
	case 'm', 'M', 'y':
		p.at++
		return &node{kind: assert, text: `\b`}, nil
	case 'Y':
		p.at++
		return &node{kind: assert, text: `\B`}, nil
	}
	if c := p.peek(); c >= '1' && c <= '9' {
		return nil, p.reference()
	}
	r, err := p.charEscape()
	return &node{kind: literal, char: r}, err
}

// reference tells a back reference from one to a group that is not there.
func (p *parser) reference() error {
	if int(p.peek()-'0') > p.captures {
		return ErrReference
	}
	return ErrUnsupported
}

func classEscape(c byte) string {
	inside := map[byte]string{'d': digits, 's': spaces, 'w': wordly}[c|0x20]
	if c < 'a' {
		return "[^" + inside + "]"
	}
	return "[" + inside + "]"
}

// charEscape reads an escape that is one character.
func (p *parser) charEscape() (rune, error) {
	switch c := p.next(); c {
	case 'a':
		return '\a', nil
	case 'b':
		return '\b', nil
	case 'B':
		return '\\', nil
	case 'c':
		if !p.more() {
			return 0, ErrEscape
		}
		return p.next() & 0x1f, nil
	case 'e':
		return 0x1b, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'u':
		return p.digits(16, 4, 4)
	case 'U':
		return p.digits(16, 8, 8)
	case 'x':
		return p.digits(16, 1, 255)
	case '0':
		p.at--
		return p.digits(8, 1, 3)
	default:
		if c < utf8.RuneSelf && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return 0, ErrEscape
		}
		return c, nil
	}
}

func (p *parser) digits(base, least, most int) (rune, error) {
	const all = "0123456789abcdef"
	start := p.at
	for p.more() && p.at-start < most && strings.IndexByte(all[:base], p.peek()|0x20&^(p.peek()>>1&0x20)) >= 0 {
		p.at++
	}
	v, err := strconv.ParseUint(p.in[start:p.at], base, 32)
	if err != nil || p.at-start < least || !utf8.ValidRune(rune(v)) {
		return 0, ErrEscape
	}
	return rune(v), nil
}
