package pgwire

import (
	"bytes"

	"github.com/weirstream/weir/internal/sql"
)

// lines cuts the data of a COPY, that comes in pieces of any length, at its line ends.
type lines struct {
	csv           bool
	quote, escape byte // of CSV; escape 0: a quote is doubled
	buf           []byte
	start         int // of the line that comes next
	scanned       int // up to here there is no line end
	quoted        bool
	escaped       bool
	ending        ending
	limit         int // longest line in bytes
	over          bool
}

// ending is how lines end; the first one decides.
type ending uint8

const (
	undecided ending = iota
	newline
	carriageReturn // and a newline
)

func newLines(c *Copy, limit int) *lines {
	l := &lines{csv: c.Format == CopyCSV, quote: c.Quote, limit: limit}
	if c.Escape != c.Quote {
		l.escape = c.Escape
	}
	return l
}

// feed adds data. Lines given before are void.
func (l *lines) feed(data []byte) {
	if l.over {
		return
	}
	if l.start > 0 {
		l.buf = append(l.buf[:0], l.buf[l.start:]...)
		l.scanned -= l.start
		l.start = 0
	}
	l.buf = append(l.buf, data...)
}

// next gives the next whole line without its end; false: there is none yet.
func (l *lines) next() (line []byte, ok bool, err error) {
	end := l.lineEnd()
	if end < 0 || l.over {
		if len(l.buf)-l.start > l.limit {
			return nil, false, fail(sql.ProgramLimitExceeded, "a line of COPY is longer than %d bytes", l.limit)
		}
		return nil, false, nil
	}
	line = l.buf[l.start:end]
	l.start, l.scanned = end+1, end+1
	if line, err = l.trim(line); err != nil {
		return nil, false, err
	}
	return l.checkEnd(line)
}

// checkEnd looks for the line that says that no more data comes.
func (l *lines) checkEnd(line []byte) ([]byte, bool, error) {
	if len(line) == 2 && line[0] == '\\' && line[1] == '.' {
		l.over = true
		return nil, false, nil
	}
	return line, true, nil
}

// last gives what is left when no more data comes.
func (l *lines) last() (line []byte, ok bool, err error) {
	switch {
	case l.over || l.start == len(l.buf):
		return nil, false, nil
	case l.quoted:
		return nil, false, fail(sql.BadCopyFormat, "unterminated CSV quoted field")
	}
	line = l.buf[l.start:]
	l.start = len(l.buf)
	if l.ending == carriageReturn {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	return l.checkEnd(line)
}

// trim takes the carriage return off, if lines have one, and refuses lines that end another way.
func (l *lines) trim(line []byte) ([]byte, error) {
	returned := len(line) > 0 && line[len(line)-1] == '\r'
	if l.ending == undecided {
		l.ending = newline
		if returned {
			l.ending = carriageReturn
		}
	}
	switch {
	case l.ending == carriageReturn && !returned:
		return nil, l.misplaced("newline", "n")
	case returned && l.ending == newline:
		return nil, l.misplaced("carriage return", "r")
	case returned:
		line = line[:len(line)-1]
	}
	if !l.csv && bytes.IndexByte(line, '\r') >= 0 {
		return nil, l.misplaced("carriage return", "r")
	}
	return line, nil
}

func (l *lines) misplaced(what, escape string) error {
	if l.csv {
		e := fail(sql.BadCopyFormat, "unquoted %s found in data", what)
		e.Hint = "Use quoted CSV field to represent " + what + "."
		return e
	}
	e := fail(sql.BadCopyFormat, "literal %s found in data", what)
	e.Hint = "Use \"\\" + escape + "\" to represent " + what + "."
	return e
}

// lineEnd finds the next newline that ends a line; -1: none yet.
func (l *lines) lineEnd() int {
	if l.csv {
		return l.csvEnd()
	}
	for {
		i := bytes.IndexByte(l.buf[l.scanned:], '\n')
		if i < 0 {
			l.scanned = len(l.buf)
			return -1
		}
		at := l.scanned + i
		if !l.backslashed(at) {
			return at
		}
		l.scanned = at + 1
	}
}

// backslashed says whether the newline at is data: an odd number of backslashes is before it.
func (l *lines) backslashed(at int) bool {
	n := 0
	for i := at - 1; i >= l.start && l.buf[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// csvEnd finds the next newline outside of quotes.
func (l *lines) csvEnd() int {
	for i := l.scanned; i < len(l.buf); i++ {
		switch b := l.buf[i]; {
		case l.escaped:
			l.escaped = false
		case b == l.quote:
			l.quoted = !l.quoted
		case b == l.escape && l.escape != 0 && l.quoted:
			l.escaped = true
		case b == '\n' && !l.quoted:
			l.scanned = i
			return i
		}
	}
	l.scanned = len(l.buf)
	return -1
}
