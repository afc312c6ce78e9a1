package pgregexp

import (
	"bytes"
	"unicode/utf8"
)

// simple is a pattern that needs no automaton: perhaps "or at the start", a literal, and then pieces of
// characters of a set, as many as there are, each followed by a character outside of it:
//
//	(&|^)channel_id=([^&]*)
//
// Its match is found by looking for the literal.
type simple struct {
	before  []byte // the literal before which the match may begin; empty: none
	orStart bool   // or it begins at the start of the text
	group   bool   // before is a group
	needle  []byte
	pieces  []piece
	width   int // pairs of bounds
}

// piece is a run of octets of a set, or a literal.
type piece struct {
	set     *[256]bool
	least   int
	literal []byte
	group   bool
}

// simplify gives nil for a pattern that is not simple. Sets have to be of ASCII or complements of such.
func simplify(root *node, captures int) *simple {
	if root.kind != concat || len(root.subs) < 2 {
		return nil
	}
	s := &simple{width: captures + 1}
	subs := root.subs
	if alternatives, ok := s.start(subs[0]); ok {
		subs, s.group = subs[1:], alternatives
	}
	for len(subs) > 0 && subs[0].kind == literal {
		s.needle = utf8.AppendRune(s.needle, subs[0].char)
		subs = subs[1:]
	}
	if len(s.needle) == 0 {
		return nil
	}
	for _, n := range subs {
		p, ok := pieceOf(n)
		if !ok || !s.fits(p) {
			return nil
		}
		s.pieces = append(s.pieces, p)
	}
	return s
}

// start takes (x|^) or (?:x|^) or (^|x).
func (s *simple) start(n *node) (capture, ok bool) {
	if n.kind != group || n.subs[0].kind != alternate || len(n.subs[0].subs) != 2 {
		return false, false
	}
	for _, branch := range n.subs[0].subs {
		if branch.kind != concat || len(branch.subs) != 1 {
			return false, false
		}
		switch only := branch.subs[0]; {
		case only.kind == literal && len(s.before) == 0:
			s.before = utf8.AppendRune(nil, only.char)
		case only.kind == assert && only.text == `\A`:
			s.orStart = true
		default:
			return false, false
		}
	}
	if !s.orStart || len(s.before) == 0 {
		s.orStart, s.before = false, nil
		return false, false
	}
	return n.capture, true
}

// fits tells whether the next piece cannot take what the one before it would give back.
func (s *simple) fits(next piece) bool {
	if len(s.pieces) == 0 {
		return true
	}
	last := s.pieces[len(s.pieces)-1]
	if last.set == nil {
		return true
	}
	if next.set == nil {
		return !last.set[next.literal[0]]
	}
	for c := range 256 {
		if last.set[c] && next.set[c] {
			return false
		}
	}
	return next.least > 0
}

// pieceOf is a greedy run of a set, perhaps a group, or a literal.
func pieceOf(n *node) (p piece, ok bool) {
	if n.kind == group && n.capture {
		inner := n.subs[0]
		if inner.kind == concat && len(inner.subs) == 1 {
			inner = inner.subs[0]
		}
		p, ok = pieceOf(inner)
		if p.group {
			return p, false
		}
		p.group = true
		return p, ok
	}
	switch {
	case n.kind == literal:
		return piece{literal: utf8.AppendRune(nil, n.char)}, true
	case n.kind == repeat && !n.lazy && n.max == -1 && n.min <= 1:
		octets, ok := octetSet(n.subs[0])
		return piece{set: octets, least: n.min}, ok
	}
	return p, false
}

// octetSet is the octets of a character, of [abc] or of [^abc] of ASCII without ranges; of a complement also those of
// all other characters.
func octetSet(n *node) (*[256]bool, bool) {
	out, member := new([256]bool), true
	if n.kind == literal && n.char < utf8.RuneSelf {
		out[n.char] = true
		return out, true
	}
	if n.kind != set || n.text[0] != '[' {
		return nil, false
	}
	inside := n.text[1:]
	if inside[0] == '^' {
		inside, member = inside[1:], false
		for c := range out {
			out[c] = true
		}
	}
	inside = inside[:len(inside)-1]
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		if c == '\\' {
			i++
			if c = inside[i]; c >= 'a' && c <= 'z' {
				return nil, false
			}
		} else if c == '-' {
			return nil, false
		}
		if c >= utf8.RuneSelf {
			return nil, false
		}
		out[c] = member
	}
	return out, true
}

// find gives the bounds of the first match.
func (s *simple) find(dst []int, text []byte) []int {
	for from := 0; ; {
		at := bytes.Index(text[from:], s.needle)
		if at < 0 {
			return nil
		}
		at += from
		if loc := s.match(dst[:0], text, at); loc != nil {
			return loc
		}
		from = at + 1
	}
}

// match tries the pattern with its literal at a place.
func (s *simple) match(dst []int, text []byte, at int) []int {
	begin := at
	if s.orStart {
		switch {
		case bytes.HasSuffix(text[:at], s.before):
			begin = at - len(s.before)
		case at != 0:
			return nil
		}
	}
	dst = append(dst, begin, 0)
	if s.group {
		dst = append(dst, begin, at)
	}
	end := at + len(s.needle)
	for _, p := range s.pieces {
		start := end
		if p.set == nil {
			if !bytes.HasPrefix(text[end:], p.literal) {
				return nil
			}
			end += len(p.literal)
		} else {
			for end < len(text) && p.set[text[end]] {
				end++
			}
			if end-start < p.least {
				return nil
			}
		}
		if p.group {
			dst = append(dst, start, end)
		}
	}
	dst[1] = end
	return dst
}
