package local

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// loaded is what a channel's files say. Loading changes nothing on disk.
type loaded struct {
	ctl      controlState
	segs     []*segment
	stale    []uint64 // segments below the start, left by an interrupted truncation
	tail     *scanner // of the last segment, when its file is there
	headless uint64   // number of the last segment, when its file is shorter than its header
	damages  []damage
	notes    []string // what was, or is to be, repaired
}

// loadChannel reads a channel's control record, the footers of its segments, and the
// last segment whole.
func loadChannel(fs fsys, dir, channel string) (*loaded, error) {
	ctl, err := readControl(fs, dir, channel)
	if err != nil {
		return nil, err
	}
	l := &loaded{ctl: ctl}
	if ctl.note != "" {
		l.notes = append(l.notes, ctl.note)
	}
	nos, err := listSegments(dir)
	if err != nil {
		return nil, err
	}
	if !ctl.exists {
		if len(nos) > 0 {
			return nil, malformed(channel, controlFile, "the control record is missing")
		}
		return l, nil
	}
	for len(nos) > 0 && nos[0] < ctl.firstSeg {
		l.stale, nos = append(l.stale, nos[0]), nos[1:]
	}
	expect := ctl.firstSeg
	for i, no := range nos {
		l.addGap(channel, expect, no)
		expect = no + 1
		last := i == len(nos)-1 && no >= ctl.tailSeg
		if err := l.addSegment(fs, dir, channel, no, last); err != nil {
			return nil, err
		}
	}
	if ctl.tailSeg != 0 {
		l.addGap(channel, expect, ctl.tailSeg+1)
	}
	if err := l.behind(channel); err != nil {
		return nil, err
	}
	l.compare()
	return l, nil
}

// behind tells whether the control record is older than the segments prove: a term and
// a ceiling are in it before any entry uses them.
func (l *loaded) behind(channel string) error {
	if l.term() <= l.ctl.term && l.entriesTs() <= l.ctl.ceiling {
		return nil
	}
	return weirerr.New(weirerr.StoreBehind, "the control record is older than the segments").With("channel", channel).
		With("term", l.ctl.term).With("segments_term", l.term()).With("ceiling", l.ctl.ceiling).With("last_ts", l.entriesTs()).
		Hint("restore the whole directory of the channel from one copy, or resync the source")
}

// entriesTs is the newest Ts of the entries that are there.
func (l *loaded) entriesTs() (t ts.Ts) {
	for _, s := range l.segs {
		t = max(t, s.last)
	}
	return t
}

// addGap notes that the segments [from, to) are missing, when there are any.
func (l *loaded) addGap(channel string, from, to uint64) {
	if from >= to {
		return
	}
	gap := &segment{no: from, missing: to - 1, sealed: true}
	gap.head.last = l.lastTs()
	l.segs = append(l.segs, gap)
	l.damages = append(l.damages, *gap.gap(l.lastTs()))
}

func (l *loaded) addSegment(fs fsys, dir, channel string, no uint64, last bool) error {
	if !last {
		seg, damages, err := openSealed(fs, dir, channel, no)
		if err != nil {
			return err
		}
		l.segs, l.damages = append(l.segs, seg), append(l.damages, damages...)
		return nil
	}
	f, err := fs.Open(filepath.Join(dir, segName(no)), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := newScanner(f, channel, no, true)
	if err != nil {
		return err
	}
	if s.size < segHeader {
		l.headless = no
		l.notes = append(l.notes, fmt.Sprintf("%s: cut inside its header, at %d bytes", s.name, s.size))
		return nil
	}
	if r, ok := decodeResume(l.ctl.resume); ok && r.no == no {
		s.from = &r
	}
	if err := s.run(); err != nil {
		return err
	}
	if s.fault == headTooNew {
		return tooNew(channel, s.name)
	}
	if s.torn != nil {
		l.notes = append(l.notes, fmt.Sprintf("%s: %s", s.name, s.torn))
	}
	l.tail = s
	l.damages = append(l.damages, s.damages...)
	l.segs = append(l.segs, &segment{no: no, head: s.head, summary: s.sum, end: s.end, markAt: s.markAt, sealed: s.sealed})
	return nil
}

// compare holds what the segments say against what the control record saw.
func (l *loaded) compare() {
	if t := l.tail; t != nil && l.ctl.closed != 0 && l.segs[len(l.segs)-1].no == l.ctl.tailSeg {
		switch closed := int64(l.ctl.closed); {
		case t.size > closed && t.torn == nil:
			l.notes = append(l.notes, fmt.Sprintf("%s: %d bytes behind the end were cut", t.name, t.size-closed))
		case t.size < closed:
			l.notes = append(l.notes, fmt.Sprintf("%s: the file had lost its last %d bytes", t.name, closed-t.size))
		}
	}
	if last := l.lastTs(); last < l.ctl.durable {
		l.notes = append(l.notes, fmt.Sprintf(
			"LOST: entries up to Ts %s were durable before, the log now ends at %s", l.ctl.durable, last))
	}
}

// lastTs is the newest Ts that the segments prove.
func (l *loaded) lastTs() ts.Ts {
	for i := len(l.segs) - 1; i >= 0; i-- {
		if t := l.segs[i].lastTs(); t != 0 {
			return t
		}
	}
	return 0
}

// high is the channel's high position.
func (l *loaded) high() []byte {
	for i := len(l.segs) - 1; i >= 0; i-- {
		s := l.segs[i]
		switch {
		case s.missing != 0:
			return l.ctl.high // what is missing may have had a higher one than what is left
		case len(s.high) > 0:
			return s.high
		}
	}
	return nil
}

// term is the highest term seen.
func (l *loaded) term() uint64 {
	t := l.ctl.term
	for _, s := range l.segs {
		t = max(t, s.term, s.head.term)
	}
	return t
}
