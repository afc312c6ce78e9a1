package parser

// mask is the text of a statement in which clauses of ours are blanked out, so that
// PostgreSQL's grammar reads the rest at its own place.
type mask struct {
	bytes []byte
	base  int // where the statement begins in the script
}

func (c *cursor) mask() *mask {
	base := c.tokens[0].start
	return &mask{bytes: []byte(c.text[base:c.end()]), base: base}
}

// blank covers script bytes from up to to.
func (m *mask) blank(from, to int) {
	for i := max(from-m.base, 0); i < to-m.base && i < len(m.bytes); i++ {
		m.bytes[i] = ' '
	}
}

// write puts a word, not longer than the token, in a token's place.
func (m *mask) write(t token, word string) {
	m.blank(t.start, t.end)
	copy(m.bytes[t.start-m.base:t.end-m.base], word)
}

// cover puts a query in place of script bytes from up to to.
func (m *mask) cover(from, to int, query string) {
	m.blank(from, to)
	copy(m.bytes[from-m.base:to-m.base], query)
}

func (m *mask) String() string { return string(m.bytes) }
