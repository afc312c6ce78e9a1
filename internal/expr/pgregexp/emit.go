package pgregexp

import (
	"slices"
	"strconv"
	"strings"
)

// style is how a pattern is written.
type style struct {
	lazy  bool // all quantifiers are non-greedy, so that the match is a shortest one
	later bool // the text begins before what is searched: nothing in it is at the start
	whole bool // the pattern has to match all of the text
	after bool // it has to match right after the first character
}

// never matches no character.
const never = `[^\x{0}-\x{10FFFF}]`

// emit writes the pattern for Go's regexp.
func (n *node) emit(out *strings.Builder, s style) {
	switch n.kind {
	case literal:
		writeChar(out, n.char)
	case assert:
		if s.later && n.text == `\A` {
			out.WriteString(never)
		} else {
			out.WriteString(n.text)
		}
	case set:
		out.WriteString(n.text)
	case group:
		if n.capture {
			out.WriteByte('(')
		} else {
			out.WriteString("(?:")
		}
		n.subs[0].emit(out, s)
		out.WriteByte(')')
	case concat:
		for _, sub := range n.subs {
			sub.emit(out, s)
		}
	case alternate:
		for i, sub := range n.subs {
			if i > 0 {
				out.WriteByte('|')
			}
			sub.emit(out, s)
		}
	case repeat:
		n.subs[0].emit(out, s)
		out.WriteString(n.counts())
		if s.lazy || n.lazy {
			out.WriteByte('?')
		}
	}
}

func (n *node) counts() string {
	switch {
	case n.min == 0 && n.max == -1:
		return "*"
	case n.min == 1 && n.max == -1:
		return "+"
	case n.min == 0 && n.max == 1:
		return "?"
	case n.max == -1:
		return "{" + strconv.Itoa(n.min) + ",}"
	}
	return "{" + strconv.Itoa(n.min) + "," + strconv.Itoa(n.max) + "}"
}

// taste is what an expression prefers: the first quantifier in it decides; alternatives are greedy.
type taste uint8

const (
	none taste = iota
	greedy
	nonGreedy
)

func (n *node) taste() taste {
	switch n.kind {
	case repeat:
		switch {
		case n.min == n.max: // a fixed count prefers what its atom does
			return n.subs[0].taste()
		case n.lazy:
			return nonGreedy
		}
		return greedy
	case alternate:
		return greedy
	case group:
		return n.subs[0].taste()
	case concat:
		for _, s := range n.subs {
			if t := s.taste(); t != none {
				return t
			}
		}
	}
	return none
}

// quantifiers tells which kinds there are.
func (n *node) quantifiers() (hasGreedy, hasLazy bool) {
	if n.kind == repeat {
		hasGreedy, hasLazy = !n.lazy, n.lazy
	}
	for _, s := range n.subs {
		g, l := s.quantifiers()
		hasGreedy, hasLazy = hasGreedy || g, hasLazy || l
	}
	return hasGreedy, hasLazy
}

// asserts tells whether a part of the pattern looks at what is around it.
func (n *node) asserts() bool {
	return n.kind == assert || slices.ContainsFunc(n.subs, (*node).asserts)
}

// required is the longest run of characters that every match contains.
func (n *node) required() string {
	best, run := "", strings.Builder{}
	n.runs(&run, func(s string) {
		if len(s) > len(best) {
			best = s
		}
	})
	if run.Len() > len(best) {
		best = run.String()
	}
	return best
}

// runs grows run by literals that follow one another, and gives it to done where it ends.
func (n *node) runs(run *strings.Builder, done func(string)) {
	end := func() {
		done(run.String())
		run.Reset()
	}
	switch n.kind {
	case literal:
		run.WriteRune(n.char)
	case assert:
	case group:
		n.subs[0].runs(run, done)
	case concat:
		for _, s := range n.subs {
			s.runs(run, done)
		}
	case repeat:
		end()
		if n.min > 0 {
			n.subs[0].runs(run, done)
			end()
		}
	default:
		end()
	}
}
