package filter

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/weirerr"
)

// Parse reads one rule from each string. It is an InvalidArgument error that
// names the rule when one cannot be read.
func Parse(rules []string) (*Filter, error) {
	f := &Filter{all: true}
	for _, text := range rules {
		s := &scanner{in: strings.TrimSpace(text)}
		r, err := s.rule()
		if err != nil {
			return nil, err
		}
		if s.pos < len(s.in) {
			return nil, s.fail("unexpected %q after the name", s.in[s.pos:])
		}
		f.add(r)
	}
	return f, nil
}

// ParseList reads rules separated by commas; a comma inside quotes or a regular
// expression belongs to the rule. The empty list takes every table.
func ParseList(list string) (*Filter, error) {
	f := &Filter{all: true}
	if strings.TrimSpace(list) == "" {
		return f, nil
	}
	for s := (&scanner{in: list}); ; s.pos++ {
		r, err := s.rule()
		if err != nil {
			return nil, err
		}
		f.add(r)
		if s.pos == len(s.in) {
			return f, nil
		}
		if s.in[s.pos] != ',' {
			return nil, s.fail("unexpected %q after the name", s.in[s.pos:])
		}
	}
}

func (f *Filter) add(r rule) {
	f.rules = append(f.rules, r)
	f.all = f.all && r.negated
}

// scanner reads rules from in; pos is the next byte.
type scanner struct {
	in         string
	pos, begin int // begin: where the rule starts
}

func (s *scanner) fail(format string, args ...any) error {
	text := s.in[s.begin:]
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return weirerr.New(weirerr.InvalidArgument, "table rule: "+format, args...).With("rule", text).
		Hint(`write namespace.name, for example public.orders, public.* or !public.secret; quote odd names as "my.table"`)
}

// rule reads [!] part . part, or [!] /regular expression/, and the blanks around it.
func (s *scanner) rule() (rule, error) {
	s.blanks()
	s.begin = s.pos
	r := rule{negated: s.take('!')}
	if r.negated {
		s.blanks()
	}
	first, isExpression, err := s.part("namespace")
	if err != nil {
		return r, err
	}
	switch {
	case s.take('.'):
		r.namespace = first
		if r.name, _, err = s.part("name"); err != nil {
			return r, err
		}
	case isExpression:
		r.whole = first
	default:
		return r, s.fail("no dot between namespace and name")
	}
	r.text = s.in[s.begin:s.pos]
	s.blanks()
	return r, nil
}

func (s *scanner) part(what string) (m matcher, isExpression bool, err error) {
	switch {
	case s.take('"'):
		m, err = s.quoted(what)
		return m, false, err
	case s.take('/'):
		m, err = s.expression(what)
		return m, true, err
	}
	m, err = s.glob(what)
	return m, false, err
}

// quoted reads up to the closing quote; a doubled quote stands for one.
func (s *scanner) quoted(what string) (matcher, error) {
	var b strings.Builder
	for {
		n := strings.IndexByte(s.in[s.pos:], '"')
		if n < 0 {
			return nil, s.fail("the quote of the %s is not closed", what)
		}
		b.WriteString(s.in[s.pos : s.pos+n])
		s.pos += n + 1
		if !s.take('"') {
			break
		}
		b.WriteByte('"')
	}
	if b.Len() == 0 {
		return nil, s.fail("the %s is empty", what)
	}
	return exact(b.String()), nil
}

// expression reads up to the closing slash; \/ stands for a slash.
func (s *scanner) expression(what string) (matcher, error) {
	start := s.pos
	for ; s.pos < len(s.in); s.pos++ {
		switch s.in[s.pos] {
		case '\\':
			s.pos++
		case '/':
			text := s.in[start:s.pos]
			s.pos++
			re, err := regexp.Compile(strings.ReplaceAll(text, `\/`, `/`))
			if err != nil {
				return nil, s.fail("the regular expression of the %s is not valid: %v", what, err)
			}
			return expression{re}, nil
		}
	}
	s.pos = len(s.in)
	return nil, s.fail("the regular expression of the %s is not closed", what)
}

// glob reads a bare name with wildcards, up to a dot, comma or blank.
func (s *scanner) glob(what string) (matcher, error) {
	var g glob
	for s.pos < len(s.in) {
		r, width := utf8.DecodeRuneInString(s.in[s.pos:])
		if r == '.' || r == ',' || unicode.IsSpace(r) {
			break
		}
		s.pos += width
		switch r {
		case '*', '?':
			g = append(g, element{kind: byte(r)})
		case '\\':
			if s.pos == len(s.in) {
				return nil, s.fail(`\ at the end escapes nothing`)
			}
			r, width = utf8.DecodeRuneInString(s.in[s.pos:])
			s.pos += width
			g = append(g, element{kind: literal, literal: r})
		case '"', '/', '!':
			return nil, s.fail("%q inside the %s needs quotes around it", string(r), what)
		default:
			g = append(g, element{kind: literal, literal: r})
		}
	}
	if len(g) == 0 {
		return nil, s.fail("the %s is empty", what)
	}
	return g, nil
}

func (s *scanner) take(c byte) bool {
	if s.pos < len(s.in) && s.in[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) blanks() {
	for s.pos < len(s.in) {
		r, width := utf8.DecodeRuneInString(s.in[s.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		s.pos += width
	}
}
