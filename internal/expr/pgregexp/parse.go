package pgregexp

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// Faults of a pattern, in PostgreSQL's words.
var (
	ErrParens     = errors.New("parentheses () not balanced")
	ErrBrackets   = errors.New("brackets [] not balanced")
	ErrBraces     = errors.New("braces {} not balanced")
	ErrRepetition = errors.New("invalid repetition count(s)")
	ErrRange      = errors.New("invalid character range")
	ErrClass      = errors.New("invalid character class")
	ErrCollation  = errors.New("invalid collating element")
	ErrEscape     = errors.New(`invalid escape \ sequence`)
	ErrOperand    = errors.New("quantifier operand invalid")
	ErrOption     = errors.New("invalid embedded option")
	ErrReference  = errors.New("invalid backreference number")
)

// ErrUnsupported is a pattern that PostgreSQL takes and this package does not.
var ErrUnsupported = errors.New("back references and lookaround are not supported in regular expressions")

// maxRepeat is the largest count that PostgreSQL takes.
const maxRepeat = 255

// Kinds of node.
type kind uint8

const (
	literal kind = iota // one character
	set                 // a class, as Go writes it
	assert              // zero-width, as Go writes it
	group               // captures when capture is set
	concat
	alternate
	repeat
)

type node struct {
	kind    kind
	char    rune
	text    string // of set and assert
	capture bool
	subs    []*node
	min     int
	max     int // -1: no limit
	lazy    bool
}

type parser struct {
	in       string
	at       int
	flags    Flags
	captures int
	depth    int
}

// maxDepth bounds nesting, so that no pattern exhausts the stack.
const maxDepth = 200

func (p *parser) more() bool { return p.at < len(p.in) }

func (p *parser) peek() byte { return p.in[p.at] }

func (p *parser) next() rune {
	c, w := utf8.DecodeRuneInString(p.in[p.at:])
	p.at += w
	return c
}

func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.in[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

// blanks skips white space and comments in the expanded syntax.
func (p *parser) blanks() {
	for p.flags.Expanded && p.more() {
		switch c := p.peek(); {
		case c == ' ' || c >= '\t' && c <= '\r':
			p.at++
		case c == '#':
			if end := strings.IndexByte(p.in[p.at:], '\n'); end >= 0 {
				p.at += end + 1
			} else {
				p.at = len(p.in)
			}
		default:
			return
		}
	}
}

// alternatives reads branches up to the end or a closing parenthesis.
func (p *parser) alternatives() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, ErrUnsupported
	}
	defer func() { p.depth-- }()
	out := &node{kind: alternate}
	for {
		branch, err := p.branch()
		if err != nil {
			return nil, err
		}
		out.subs = append(out.subs, branch)
		if !p.take("|") {
			break
		}
	}
	if len(out.subs) == 1 {
		return out.subs[0], nil
	}
	return out, nil
}

func (p *parser) branch() (*node, error) {
	out := &node{kind: concat}
	for {
		p.blanks()
		if !p.more() || p.peek() == '|' || p.peek() == ')' && p.depth > 1 {
			return out, nil
		}
		atom, err := p.atom()
		if err != nil {
			return nil, err
		}
		if atom == nil {
			continue
		}
		if atom, err = p.quantifier(atom); err != nil {
			return nil, err
		}
		out.subs = append(out.subs, atom)
	}
}

// atom reads one; nil for a comment.
func (p *parser) atom() (*node, error) {
	switch c := p.next(); c {
	case '(':
		return p.parenthesis()
	case ')':
		return nil, ErrParens
	case '[':
		return p.bracket()
	case '\\':
		return p.escape()
	case '.':
		if p.flags.NewlineDot {
			return &node{kind: set, text: `[^\n]`}, nil
		}
		return &node{kind: set, text: `(?s:.)`}, nil
	case '^':
		return p.anchor(`(?m:^)`, `\A`), nil
	case '$':
		return p.anchor(`(?m:$)`, `\z`), nil
	case '*', '+', '?':
		return nil, ErrOperand
	case '{':
		if p.more() && p.peek() >= '0' && p.peek() <= '9' {
			return nil, ErrOperand
		}
		return &node{kind: literal, char: c}, nil
	default:
		return &node{kind: literal, char: c}, nil
	}
}

func (p *parser) anchor(lines, whole string) *node {
	if p.flags.NewlineAnchor {
		return &node{kind: assert, text: lines}
	}
	return &node{kind: assert, text: whole}
}

func (p *parser) parenthesis() (*node, error) {
	capture := true
	switch {
	case p.take("?:"):
		capture = false
	case p.take("?#"):
		end := strings.IndexByte(p.in[p.at:], ')')
		if end < 0 {
			return nil, ErrParens
		}
		p.at += end + 1
		return nil, nil
	case p.take("?=") || p.take("?!") || p.take("?<=") || p.take("?<!"):
		return nil, ErrUnsupported
	case p.more() && p.peek() == '?':
		return nil, ErrOperand
	}
	if capture {
		p.captures++
	}
	inner, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, ErrParens
	}
	return &node{kind: group, capture: capture, subs: []*node{inner}}, nil
}

func (p *parser) quantifier(atom *node) (*node, error) {
	p.blanks()
	if !p.more() {
		return atom, nil
	}
	out := &node{kind: repeat, subs: []*node{atom}, max: -1}
	switch p.peek() {
	case '*':
	case '+':
		out.min = 1
	case '?':
		out.max = 1
	case '{':
		if p.at+1 >= len(p.in) || p.in[p.at+1] < '0' || p.in[p.at+1] > '9' {
			return atom, nil
		}
		if err := p.counts(out); err != nil {
			return nil, err
		}
		p.at-- // the closing brace is stepped over below
	default:
		return atom, nil
	}
	if atom.kind == assert {
		return nil, ErrOperand
	}
	p.at++
	p.blanks()
	out.lazy = p.take("?")
	p.blanks()
	if p.more() && strings.IndexByte("*+?", p.peek()) >= 0 {
		return nil, ErrOperand
	}
	return out, nil
}

// counts reads {m}, {m,} or {m,n}.
func (p *parser) counts(out *node) error {
	end := strings.IndexByte(p.in[p.at:], '}')
	if end < 0 {
		return ErrBraces
	}
	lo, hi, open := strings.Cut(p.in[p.at+1:p.at+end], ",")
	p.at += end + 1
	var ok bool
	if out.min, ok = count(lo); !ok {
		return ErrRepetition
	}
	out.max = out.min
	if open && hi == "" {
		out.max = -1
	} else if open {
		if out.max, ok = count(hi); !ok || out.max < out.min {
			return ErrRepetition
		}
	}
	return nil
}

func count(s string) (n int, ok bool) {
	for _, c := range s {
		if c < '0' || c > '9' || n > maxRepeat {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, s != "" && n <= maxRepeat
}
