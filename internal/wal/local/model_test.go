package local

import (
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// model is a channel as a slice.
type model struct {
	t         *testing.T
	dir       string
	l         *Log
	c         *Channel
	w         *writer
	entries   []wal.Entry
	truncated ts.Ts
	promised  ts.Ts
}

func (m *model) open() {
	m.l, m.c = open(m.t, m.dir, Options{Options: wal.Options{SegmentBytes: 12 << 10, ReadBytes: 3000}, fs: lazy(1).fs})
	m.w = lead(m.t, m.c)
}

// TestModel runs random commands on a channel and on a slice.
func TestModel(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := &model{t: t, dir: fmt.Sprintf("%s/%d", dir, run)}
		m.open()
		defer func() { m.l.Close(); os.RemoveAll(m.dir) }()
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				n := rapid.IntRange(1, 5).Draw(rt, "entries")
				for i := range n {
					e := entryOf(len(m.entries)+i, rapid.IntRange(0, 2500).Draw(rt, "size"))
					if _, err := m.w.Append(&e); err != nil {
						rt.Fatal(err)
					}
					m.entries = append(m.entries, e)
				}
				if err := m.w.WaitDurable(within(t), m.entries[len(m.entries)-1].Ts); err != nil {
					rt.Fatal(err)
				}
			},
			"promise": func(rt *rapid.T) {
				p, err := m.w.Promise(0)
				if err != nil {
					rt.Fatal(err)
				}
				m.promised = p
			},
			"truncate": func(rt *rapid.T) {
				if len(m.entries) == 0 {
					return
				}
				at := m.entries[rapid.IntRange(0, len(m.entries)-1).Draw(rt, "entry")].Ts
				if err := m.c.Truncate(at); err != nil {
					rt.Fatal(err)
				}
				m.truncated = max(m.truncated, at)
			},
			"lead":   func(*rapid.T) { m.w = lead(t, m.c) },
			"reopen": func(*rapid.T) { m.l.Close(); m.open() },
			"read": func(rt *rapid.T) {
				after := m.truncated
				if n := len(m.entries); n > 0 {
					after = m.entries[rapid.IntRange(0, n-1).Draw(rt, "after")].Ts - ts.Ts(rapid.IntRange(0, 1).Draw(rt, "less"))
				}
				m.read(rt, after)
			},
			"": func(rt *rapid.T) { m.check(rt) },
		})
	})
}

func (m *model) read(rt *rapid.T, after ts.Ts) {
	got, err := readAll(m.t, m.c, after, nil)
	if after < m.truncated {
		if weirerr.CodeOf(err) != weirerr.LogTruncated {
			rt.Fatalf("read after %s, truncated %s: %v", after, m.truncated, err)
		}
		return
	}
	var want []wal.Entry
	for _, e := range m.entries {
		if e.Ts > after {
			want = append(want, e)
		}
	}
	if err != nil || len(got) != len(want) {
		rt.Fatalf("read after %s: %d entries, want %d: %v", after, len(got), len(want), err)
	}
	for i := range got {
		if !same(&got[i], &want[i]) {
			rt.Fatalf("read after %s: entry %d is wrong", after, i)
		}
	}
}

func (m *model) check(rt *rapid.T) {
	st := m.c.Status()
	if st.Truncated != m.truncated || st.Resolved < m.promised {
		rt.Fatalf("status %+v; truncated %s, promised %s", st, m.truncated, m.promised)
	}
	if n := len(m.entries); n > 0 {
		last := m.entries[n-1]
		if st.Durable != last.Ts || string(st.High) != string(last.Position) {
			rt.Fatalf("status %+v; last entry at %s with %s", st, last.Ts, last.Position)
		}
		if last.Ts <= m.truncated && m.c.BytesAfter(last.Ts) > 0 {
			rt.Fatalf("%d bytes after the last entry", m.c.BytesAfter(last.Ts))
		}
	}
	m.read(rt, m.truncated)
}
