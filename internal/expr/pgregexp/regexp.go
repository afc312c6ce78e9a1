package pgregexp

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Flags are the options of a pattern. The letters are those of PostgreSQL's functions.
type Flags struct {
	Fold          bool // i: upper and lower case are alike
	NewlineDot    bool // n, p: . and [^…] do not match a newline
	NewlineAnchor bool // n, w: ^ and $ match at lines
	Expanded      bool // x: blanks and comments do not count
	Literal       bool // q: the pattern is a plain string
	Global        bool // g: of functions that replace or list
}

// Set sets one flag by its letter; false when there is none.
func (f *Flags) Set(letter byte) bool {
	switch letter {
	case 'i':
		f.Fold = true
	case 'c':
		f.Fold = false
	case 'n', 'm':
		f.NewlineDot, f.NewlineAnchor = true, true
	case 's':
		f.NewlineDot, f.NewlineAnchor = false, false
	case 'p':
		f.NewlineDot, f.NewlineAnchor = true, false
	case 'w':
		f.NewlineDot, f.NewlineAnchor = false, true
	case 'x':
		f.Expanded = true
	case 't':
		f.Expanded = false
	case 'q':
		f.Literal = true
	case 'g':
		f.Global = true
	case 'b', 'e':
		return true
	default:
		return false
	}
	return true
}

// Regexp is a compiled pattern.
type Regexp struct {
	search   *regexp.Regexp
	later    *regexp.Regexp // search where the text does not begin; nil: as search
	after    *regexp.Regexp // matches right after a first character; nil: as search, whatever that is
	divide   *regexp.Regexp // finds the groups of a match whose bounds are known; nil: search has found them
	needle   []byte         // what every match contains; empty: nothing known
	isNeedle bool           // the pattern is the needle
	simple   *simple        // nil: none
	empty    []int          // the bounds of a match of nothing; nil: there is none
	groups   int
}

// Compile reads a pattern.
func Compile(pattern []byte, flags Flags) (*Regexp, error) {
	p := &parser{in: string(pattern), flags: flags}
	root, err := p.root()
	if err != nil {
		return nil, err
	}
	re := &Regexp{groups: p.captures}
	hasGreedy, hasLazy := root.quantifiers()
	how := style{lazy: root.taste() == nonGreedy}
	if re.search, err = p.compile(root, how); err != nil {
		return nil, err
	}
	if root.asserts() {
		if re.later, err = p.compile(root, style{lazy: how.lazy, later: true}); err != nil {
			return nil, err
		}
		if re.after, err = p.compile(root, style{lazy: how.lazy, later: true, after: true}); err != nil {
			return nil, err
		}
	}
	if p.captures > 0 && hasGreedy && hasLazy {
		if re.divide, err = p.compile(root, style{whole: true}); err != nil {
			return nil, err
		}
	}
	if !p.flags.Fold {
		re.needle = []byte(root.required())
		re.isNeedle = root.isLiteral()
		re.simple = simplify(root, p.captures)
	}
	re.empty = re.search.FindStringSubmatchIndex("")
	return re, nil
}

// root reads the whole pattern, with the directors and options at its beginning.
func (p *parser) root() (*node, error) {
	switch {
	case p.flags.Literal || p.take("***="):
		return p.plain(), nil
	case p.take("***:"):
	}
	if strings.HasPrefix(p.in[p.at:], "(?") {
		if err := p.options(); err != nil {
			return nil, err
		}
		if p.flags.Literal {
			return p.plain(), nil
		}
	}
	root, err := p.alternatives()
	if err == nil && p.more() {
		err = ErrParens
	}
	return root, err
}

func (p *parser) plain() *node {
	out := &node{kind: concat}
	for p.more() {
		out.subs = append(out.subs, &node{kind: literal, char: p.next()})
	}
	return out
}

// options reads (?xyz) where it stands at the beginning.
func (p *parser) options() error {
	end := strings.IndexByte(p.in[p.at:], ')')
	letters := strings.TrimRight(p.in[p.at+2:max(p.at+end, p.at+2)], ")")
	if end < 0 || letters == "" || letters[0] < 'a' || letters[0] > 'z' {
		return nil
	}
	for i := range len(letters) {
		if letters[i] == 'g' || !p.flags.Set(letters[i]) {
			return ErrOption
		}
	}
	p.at += end + 1
	return nil
}

func (p *parser) compile(root *node, s style) (*regexp.Regexp, error) {
	var out strings.Builder
	if p.flags.Fold {
		out.WriteString("(?i)")
	}
	switch {
	case s.whole:
		out.WriteString(`\A(?:`)
		root.emit(&out, s)
		out.WriteString(`)\z`)
	case s.after:
		out.WriteString(`\A(?s:.)(?:`)
		root.emit(&out, s)
		out.WriteString(`)`)
	default:
		root.emit(&out, s)
	}
	re, err := regexp.Compile(out.String())
	if err != nil {
		return nil, ErrUnsupported // too large for Go: all else was checked
	}
	if !s.lazy && !s.whole {
		re.Longest()
	}
	return re, nil
}

// isLiteral tells a pattern that is nothing but its characters.
func (n *node) isLiteral() bool {
	if n.kind == concat {
		for _, s := range n.subs {
			if s.kind != literal {
				return false
			}
		}
		return len(n.subs) > 0
	}
	return n.kind == literal
}

// Groups is how many groups the pattern captures.
func (re *Regexp) Groups() int { return re.groups }

// Match tells whether s contains a match.
func (re *Regexp) Match(s []byte) bool {
	if len(re.needle) > 0 && !bytes.Contains(s, re.needle) {
		return false
	}
	return re.isNeedle || re.search.Match(s)
}

// Find gives the bounds of the first match at or after an octet, and of its groups, in pairs, -1 for a
// group that took no part; nil when there is no match. dst is used for the result if it is large enough.
func (re *Regexp) Find(dst []int, s []byte, from int) []int {
	if len(re.needle) > 0 && !bytes.Contains(s[from:], re.needle) {
		return nil
	}
	if re.simple != nil && from == 0 {
		return re.simple.find(dst[:0], s)
	}
	return shift(re.within(s[from:], re.searcher(from).FindSubmatchIndex(s[from:])), from)
}

func (re *Regexp) searcher(from int) *regexp.Regexp {
	if from > 0 && re.later != nil {
		return re.later
	}
	return re.search
}

// shift moves bounds to the right.
func shift(loc []int, by int) []int {
	for i, at := range loc {
		if at >= 0 {
			loc[i] = at + by
		}
	}
	return loc
}

// within finds the groups again where the search took them with other quantifiers.
func (re *Regexp) within(s []byte, loc []int) []int {
	if re.divide == nil || loc == nil {
		return loc
	}
	inner := re.divide.FindSubmatchIndex(s[loc[0]:loc[1]])
	if inner == nil {
		return loc // an assertion looks beyond the match
	}
	return shift(inner, loc[0])
}

// All gives the bounds of the matches from an octet on, one after the other, empty ones too: after a match the
// next may be an empty one at its end.
func (re *Regexp) All(s []byte, from int) [][]int {
	if len(re.needle) > 0 && !bytes.Contains(s[from:], re.needle) {
		return nil
	}
	s = s[from:]
	found := re.searcher(from).FindAllSubmatchIndex(s, -1)
	var all [][]int
	for i, loc := range found {
		all = append(all, shift(re.within(s, loc), from))
		end := loc[1]
		if loc[0] < end && (i+1 == len(found) || found[i+1][0] != end) {
			if empty := re.nothing(s, end); empty != nil {
				all = append(all, shift(empty, from+end))
			}
		}
	}
	return all
}

// nothing is the bounds of a match of no characters at an octet, counted from there; nil: there is none. No longer
// match begins there.
func (re *Regexp) nothing(s []byte, at int) []int {
	if re.after == nil {
		return slices.Clone(re.empty)
	}
	_, width := utf8.DecodeLastRune(s[:at])
	loc := re.after.FindSubmatchIndex(s[at-width:])
	if loc == nil || loc[1] != width {
		return nil
	}
	loc[0] = width
	return shift(loc, -width)
}
