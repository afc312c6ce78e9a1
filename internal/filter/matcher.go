package filter

import (
	"regexp"
	"unicode/utf8"
)

// matcher is one side of a rule.
type matcher interface{ match(s string) bool }

type exact string

func (e exact) match(s string) bool { return string(e) == s }

type expression struct{ re *regexp.Regexp }

func (e expression) match(s string) bool { return e.re.MatchString(s) }

// glob is a pattern cut into its elements.
type glob []element

type element struct {
	kind    byte // one of the constants below
	literal rune
}

const (
	anyRun  = '*'
	anyOne  = '?'
	literal = 'a'
)

// match walks s once and goes back only to the last star, so its cost is at
// most len(pattern) * len(s) whatever the pattern.
func (g glob) match(s string) bool {
	p, star, retry := 0, -1, 0
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		switch {
		case p < len(g) && g[p].kind == anyRun:
			star, retry = p, i
			p++
		case p < len(g) && (g[p].kind == anyOne || g[p].literal == r):
			p++
			i += width
		case star >= 0:
			_, skip := utf8.DecodeRuneInString(s[retry:])
			retry += skip
			p, i = star+1, retry
		default:
			return false
		}
	}
	for p < len(g) && g[p].kind == anyRun {
		p++
	}
	return p == len(g)
}
