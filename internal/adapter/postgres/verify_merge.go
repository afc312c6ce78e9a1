package postgres

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

// merge walks two ordered streams of rows side by side.
//
//	source  1 2 3   5      each line: key columns, then all columns, as COPY
//	target  1   3 4 5      writes them; equal lines are equal rows
//	          ▲     ▲
//	       missing extra
type merge struct {
	c     *Comparison
	q     *compareQuery
	limit int
}

func (m *merge) run(ctx context.Context, source, at *Snapshot, sourceSQL, targetSQL string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, t := startLines(ctx, source, sourceSQL), startLines(ctx, at, targetSQL)
	err := m.walk(s, t)
	if err != nil {
		cancel() // both sessions are of no more use
	}
	return errors.Join(err, s.end(), t.end())
}

func (m *merge) walk(s, t *lines) error {
	s.next()
	t.next()
	for s.ok || t.ok {
		order := 0
		switch {
		case !t.ok:
			order = -1
		case !s.ok:
			order = 1
		case bytes.Equal(s.line, t.line):
		default:
			order = m.compare(s.line, t.line)
			if order == 0 {
				m.c.Different++
				m.note(DiffColumn, s.line, m.differing(s.line, t.line))
			}
		}
		if order < 0 {
			m.c.Missing++
			m.note(DiffMissing, s.line, "")
		}
		if order > 0 {
			m.c.Extra++
			m.note(DiffExtra, t.line, "")
		}
		if order <= 0 {
			m.c.SourceRows++
			s.next()
		}
		if order >= 0 {
			m.c.TargetRows++
			t.next()
		}
	}
	return errors.Join(s.err, t.err)
}

// compare orders two lines by their leading columns, as the servers did.
func (m *merge) compare(a, b []byte) int {
	for range m.q.leads() {
		var x, y []byte
		x, a = field(a)
		y, b = field(b)
		if bytes.Equal(x, y) {
			continue
		}
		if m.q.numeric {
			return compareNumbers(x, y)
		}
		return bytes.Compare(unescape(nil, x), unescape(nil, y))
	}
	return 0
}

// compareNumbers orders whole numbers in decimal.
func compareNumbers(x, y []byte) int {
	negX, negY := x[0] == '-', y[0] == '-'
	if negX != negY {
		if negX {
			return -1
		}
		return 1
	}
	order := len(x) - len(y)
	if order == 0 {
		order = bytes.Compare(x, y)
	}
	if negX {
		return -order
	}
	return order
}

// field cuts the first column off a line of COPY text.
func field(line []byte) (value, rest []byte) {
	if i := bytes.IndexByte(line, '\t'); i >= 0 {
		return line[:i], line[i+1:]
	}
	return line, nil
}

// differing names the first column in which two lines with one key differ.
func (m *merge) differing(a, b []byte) string {
	for range m.q.leads() {
		_, a = field(a)
		_, b = field(b)
	}
	for _, name := range m.q.columns {
		var x, y []byte
		x, a = field(a)
		y, b = field(b)
		if !bytes.Equal(x, y) {
			return name
		}
	}
	return ""
}

// note keeps a difference, if there is room.
func (m *merge) note(kind string, line []byte, column string) {
	if len(m.c.Differences) >= m.limit {
		return
	}
	var key []string
	rest := line
	for i := range m.q.leads() {
		var v []byte
		v, rest = field(rest)
		text := shorten(string(unescape(nil, v)))
		if len(m.q.keys) > 0 {
			text = m.q.keys[i] + "=" + text
		}
		key = append(key, text)
	}
	m.c.Differences = append(m.c.Differences, Difference{Kind: kind, Key: strings.Join(key, ", "), Column: column})
}

// lines gives the lines that COPY sends, one by one.
type lines struct {
	r    *bufio.Reader
	pipe *io.PipeReader
	done chan error
	long []byte // a line larger than the reader's buffer
	line []byte // the current one, without its end
	ok   bool
	err  error
}

const lineBuffer = 256 << 10

func startLines(ctx context.Context, s *Snapshot, sql string) *lines {
	r, w := io.Pipe()
	l := &lines{r: bufio.NewReaderSize(r, lineBuffer), pipe: r, done: make(chan error, 1)}
	go func() {
		// Rows come in small messages; the reader takes them in large blocks.
		buffered := bufio.NewWriterSize(w, lineBuffer)
		_, err := s.conn.PgConn().CopyTo(ctx, buffered, sql)
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			err = s.side.wrap(err, "cannot read rows to compare")
		}
		_ = w.CloseWithError(err) // nil is EOF
		l.done <- err
	}()
	return l
}

// next moves to the next line; ok is false at the end and on an error.
func (l *lines) next() {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case err == nil && len(l.long) == 0:
			l.line, l.ok = part[:len(part)-1], true
			return
		case err == nil:
			l.long = append(l.long, part[:len(part)-1]...)
			l.line, l.ok = l.long, true
			return
		case errors.Is(err, bufio.ErrBufferFull):
			l.long = append(l.long, part...)
		default:
			l.ok = false
			if !errors.Is(err, io.EOF) {
				l.err = err
			}
			return
		}
	}
}

// end waits for the goroutine. An error that next has met is not told twice.
func (l *lines) end() error {
	_ = l.pipe.Close()
	if err := <-l.done; err != nil && l.err == nil && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}
