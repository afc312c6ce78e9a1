package pgregexp

import (
	"strings"
	"unicode/utf8"
)

var namedClasses = map[string]string{
	"alnum": `0-9A-Za-z`, "alpha": `A-Za-z`, "blank": `\t `, "cntrl": `\x00-\x1f\x7f`, "digit": digits,
	"graph": `!-~`, "lower": `a-z`, "print": ` -~`, "punct": "!-/:-@[-`{-~", "space": spaces, "upper": `A-Z`,
	"xdigit": `0-9A-Fa-f`, "word": wordly,
}

// bracket reads [...], whose opening is behind. [[:<:]] and [[:>:]] are word boundaries.
func (p *parser) bracket() (*node, error) {
	if p.take("[:<:]]") || p.take("[:>:]]") {
		return &node{kind: assert, text: `\b`}, nil
	}
	var out strings.Builder
	out.WriteByte('[')
	if p.take("^") {
		out.WriteByte('^')
		if p.flags.NewlineDot {
			out.WriteString(`\n`)
		}
	}
	for first := true; ; first = false {
		switch {
		case !p.more():
			return nil, ErrBrackets
		case !first && p.take("]"):
			out.WriteByte(']')
			return &node{kind: set, text: out.String()}, nil
		case p.take("[:"):
			if err := p.named(&out); err != nil {
				return nil, err
			}
		case p.classInBracket(&out):
		default:
			if err := p.span(&out); err != nil {
				return nil, err
			}
		}
	}
}

func (p *parser) named(out *strings.Builder) error {
	end := strings.Index(p.in[p.at:], ":]")
	if end < 0 {
		return ErrBrackets
	}
	inside, ok := namedClasses[p.in[p.at:p.at+end]]
	if !ok {
		return ErrClass
	}
	p.at += end + 2
	out.WriteString(inside)
	return nil
}

// classInBracket takes \d, \s, \w; their complements are no part of a bracket.
func (p *parser) classInBracket(out *strings.Builder) bool {
	for escape, inside := range map[string]string{`\d`: digits, `\s`: spaces, `\w`: wordly} {
		if p.take(escape) {
			out.WriteString(inside)
			return true
		}
	}
	return false
}

// span reads one character, or a range.
func (p *parser) span(out *strings.Builder) error {
	lo, err := p.bracketChar()
	if err != nil {
		return err
	}
	hi := lo
	if rest := p.in[p.at:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		p.at++
		if hi, err = p.bracketChar(); err != nil {
			return err
		}
		if hi < lo {
			return ErrRange
		}
	}
	writeChar(out, lo)
	if hi != lo {
		out.WriteByte('-')
		writeChar(out, hi)
	}
	return nil
}

func (p *parser) bracketChar() (rune, error) {
	for _, q := range []string{".", "="} {
		if !p.take("[" + q) {
			continue
		}
		end := strings.Index(p.in[p.at:], q+"]")
		if end < 0 {
			return 0, ErrBrackets
		}
		name := p.in[p.at : p.at+end]
		p.at += end + 2
		if utf8.RuneCountInString(name) != 1 {
			return 0, ErrCollation
		}
		c, _ := utf8.DecodeRuneInString(name)
		return c, nil
	}
	if !p.more() {
		return 0, ErrBrackets
	}
	if p.take(`\`) {
		if !p.more() {
			return 0, ErrEscape
		}
		if strings.IndexByte("DSW", p.peek()) >= 0 {
			return 0, ErrEscape
		}
		return p.charEscape()
	}
	return p.next(), nil
}

// writeChar writes a character so that it means itself, in brackets and outside.
func writeChar(out *strings.Builder, c rune) {
	switch {
	case c < utf8.RuneSelf && strings.IndexByte("\\.+*?()|[]{}^$-&~#", byte(c)) >= 0:
		out.WriteByte('\\')
		out.WriteRune(c)
	case c < ' ' || c == 0x7f:
		const hex = "0123456789abcdef"
		out.WriteString(`\x`)
		out.WriteByte(hex[c>>4])
		out.WriteByte(hex[c&15])
	default:
		out.WriteRune(c)
	}
}
