package template

import (
	"strings"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datum"
)

// nodeKind is what a piece of a template is.
type nodeKind uint8

const (
	nField nodeKind = iota
	nChar           // a character that stands for itself
	nSeparator
	nSpace
)

// node is a piece of a template.
type node struct {
	kind nodeKind
	text string // the character
	key  *key   // of a field
	fm   bool   // without padding
	tm   bool
	th   string // TH, th or nothing: an ordinal's ending
}

// key is a field that a template may name.
type key struct {
	name  string
	id    id
	digit bool // it is read from digits
	mode  mode
	lower bool // writes small letters
}

// mode tells the two ways to name a day apart, which must not be mixed.
type mode uint8

const (
	anyMode mode = iota
	gregorian
	isoWeek
)

// findKey gives the first key that s begins with; longer ones come first in keys.
func findKey(keys []key, s string) *key {
	for i := range keys {
		if strings.HasPrefix(s, keys[i].name) {
			return &keys[i]
		}
	}
	return nil
}

func isSeparator(c byte) bool {
	return c > 0x20 && c < 0x7f && !(c|0x20 >= 'a' && c|0x20 <= 'z') && c-'0' > 9
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func charLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// cutPrefix takes FM and TM off.
func cutPrefix(s string, n *node) string {
	if len(s) >= 2 {
		switch s[:2] {
		case "FM", "fm":
			n.fm = true
			return s[2:]
		case "TM", "tm":
			n.tm = true
			return s[2:]
		}
	}
	return s
}

// cutSuffix takes TH, th and SP off.
func cutSuffix(s string, n *node) string {
	if len(s) >= 2 {
		switch s[:2] {
		case "TH", "th":
			n.th = s[:2]
			return s[2:]
		case "SP":
			return s[2:]
		}
	}
	return s
}

// compile cuts a template into nodes. modifiers says that fields have prefixes and
// suffixes, and that punctuation is apart from other characters.
func compile(s string, keys []key, modifiers bool, field func(*node) error) (nodes []node, err error) {
	for s != "" {
		var n node
		if modifiers {
			s = cutPrefix(s, &n)
		}
		if n.key = findKey(keys, s); n.key != nil && s != "" {
			s = s[len(n.key.name):]
			if err := field(&n); err != nil {
				return nil, err
			}
			if modifiers {
				s = cutSuffix(s, &n)
			}
			nodes = append(nodes, n)
			continue
		}
		switch {
		case s == "":
		case s[0] == '"':
			s, nodes = quoted(s[1:], nodes)
		default:
			if strings.HasPrefix(s, `\"`) {
				s = s[1:]
			}
			c := node{kind: nChar, text: s[:charLen(s)]}
			if modifiers && isSeparator(s[0]) {
				c.kind = nSeparator
			} else if isSpace(s[0]) {
				c.kind = nSpace
			}
			nodes = append(nodes, c)
			s = s[len(c.text):]
		}
	}
	return nodes, nil
}

// quoted takes the characters up to the closing quote as they are; a backslash quotes
// one more.
func quoted(s string, nodes []node) (string, []node) {
	for s != "" {
		if s[0] == '"' {
			return s[1:], nodes
		}
		if s[0] == '\\' && len(s) > 1 {
			s = s[1:]
		}
		n := charLen(s)
		nodes = append(nodes, node{kind: nChar, text: s[:n]})
		s = s[n:]
	}
	return s, nodes
}

// ordinal is the ending of a number: ST, ND, RD or TH.
func ordinal(digits []byte, upper bool) string {
	last := byte('0')
	if n := len(digits); n > 0 {
		last = digits[n-1]
		if n > 1 && digits[n-2] == '1' {
			last = '0'
		}
	}
	ending := "TH"
	switch last {
	case '1':
		ending = "ST"
	case '2':
		ending = "ND"
	case '3':
		ending = "RD"
	}
	if !upper {
		return strings.ToLower(ending)
	}
	return ending
}

func fault(code, message, detail, hint string) error {
	return &datum.Error{Code: code, Message: message, Detail: detail, Hint: hint}
}
