package like

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// ErrEscape is a pattern that ends within an escape.
var ErrEscape = errors.New("LIKE pattern must not end with escape character")

// Pattern is a compiled LIKE pattern.
type Pattern struct {
	parts []part
	fold  bool
}

// part is what stands between two %.
type part struct {
	octets []byte // with _ as any
	any    []bool // which octets are _; nil: none
	lead   int    // octets before the first _, when there is one
}

// Compile reads a pattern with \ as its escape. With fold, letters of ASCII match either case.
func Compile(pattern []byte, fold bool) (*Pattern, error) {
	p := &Pattern{fold: fold, parts: []part{{}}}
	for i := 0; i < len(pattern); i++ {
		last := &p.parts[len(p.parts)-1]
		switch c := pattern[i]; c {
		case '%':
			p.parts = append(p.parts, part{})
		case '_':
			last.add(c, true)
		case '\\':
			if i++; i == len(pattern) {
				return nil, ErrEscape
			}
			last.add(lower(pattern[i], fold), false)
		default:
			last.add(lower(c, fold), false)
		}
	}
	return p, nil
}

func lower(c byte, fold bool) byte {
	if fold && c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func (p *part) add(c byte, wild bool) {
	if wild && p.any == nil {
		p.any = make([]bool, len(p.octets), len(p.octets)+8)
		p.lead = len(p.octets)
	}
	p.octets = append(p.octets, c)
	if p.any != nil {
		p.any = append(p.any, wild)
	}
}

// Match tells whether s is like the pattern.
func (p *Pattern) Match(s []byte) bool {
	if p.fold {
		s = folded(s)
	}
	n, ok := p.parts[0].at(s)
	if !ok {
		return false
	}
	last := len(p.parts) - 1
	if last == 0 {
		return n == len(s)
	}
	s = s[n:]
	for i := 1; i < last; i++ {
		end, ok := p.parts[i].find(s)
		if !ok {
			return false
		}
		s = s[end:]
	}
	return p.parts[last].ends(s)
}

func folded(s []byte) []byte {
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			out := bytes.Clone(s)
			for ; i < len(out); i++ {
				out[i] = lower(out[i], true)
			}
			return out
		}
	}
	return s
}

// at tells whether s begins with the part, and how many octets it takes.
func (p *part) at(s []byte) (n int, ok bool) {
	if p.any == nil {
		return len(p.octets), bytes.HasPrefix(s, p.octets)
	}
	for i, c := range p.octets {
		switch {
		case n >= len(s):
			return 0, false
		case p.any[i]:
			n += width(s[n:])
		case s[n] != c:
			return 0, false
		default:
			n++
		}
	}
	return n, true
}

func width(s []byte) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, w := utf8.DecodeRune(s)
	return w
}

// find gives the end of the first place where the part fits.
func (p *part) find(s []byte) (end int, ok bool) {
	if p.any == nil {
		at := bytes.Index(s, p.octets)
		return at + len(p.octets), at >= 0
	}
	for at := 0; at <= len(s); at++ {
		if p.lead > 0 {
			next := bytes.Index(s[at:], p.octets[:p.lead])
			if next < 0 {
				return 0, false
			}
			at += next
		} else if at < len(s) && !utf8.RuneStart(s[at]) {
			continue
		}
		if n, ok := p.at(s[at:]); ok {
			return at + n, true
		}
	}
	return 0, false
}

// ends tells whether s ends with the part.
func (p *part) ends(s []byte) bool {
	if p.any == nil {
		return bytes.HasSuffix(s, p.octets)
	}
	at := len(s)
	for i := len(p.octets) - 1; i >= 0; i-- {
		switch {
		case at == 0:
			return false
		case p.any[i]:
			_, w := utf8.DecodeLastRune(s[:at])
			at -= w
		case s[at-1] != p.octets[i]:
			return false
		default:
			at--
		}
	}
	return true
}
