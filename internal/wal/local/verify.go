package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Report is what Verify found, a part for each channel, sorted by name.
type Report struct{ Channels []ChannelReport }

// Damaged tells whether any channel holds damage; torn tails and notes are none.
func (r *Report) Damaged() bool {
	for _, c := range r.Channels {
		for _, f := range c.Findings {
			if f.Damage != nil {
				return true
			}
		}
	}
	return false
}

// ChannelReport is what Verify found in one channel.
type ChannelReport struct {
	Channel     string
	Term        uint64
	Segments    int
	Entries     int64 // readable ones
	Attempts    int   // large transactions whose parts were read
	Bytes       int64 // of segments and parts
	First, Last ts.Ts // of the readable entries
	Durable     ts.Ts
	High        []byte
	Findings    []Finding
}

// Finding is one fault. Either Damage is set (LogCorrupt, with channel, segment,
// offset and neighbours; or StoreBehind), or Note tells what the next opening repairs.
type Finding struct {
	Damage *weirerr.Error
	Note   string
}

func (f Finding) String() string {
	if f.Damage != nil {
		return f.Damage.Error()
	}
	return f.Note
}

// Verify reads every byte of the log in dir and checks it. It changes nothing and
// takes no lock: beside a running server the newest entries may look half written. Its
// error is for what it could not read at all; damage is in the report.
func Verify(dir string) (*Report, error) {
	names, err := listChannels(dir)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, name := range names {
		v := verifier{dir: channelDir(dir, name), fs: osFS{}}
		v.Channel = name
		if err := v.run(); err != nil {
			return nil, fmt.Errorf("local log: verify channel %s: %w", name, err)
		}
		r.Channels = append(r.Channels, v.ChannelReport)
	}
	return r, nil
}

type verifier struct {
	ChannelReport
	dir   string
	fs    fsys
	large []largeEntry
	// onEntry and onDamage are shown what is found, when set.
	onEntry  func(file string, off int64, e *wal.Entry) error
	onDamage func(*weirerr.Error) error
	after    ts.Ts // entries at or below it are not shown
	stop     error // what onDamage returned
}

// largeEntry is a large transaction that was found.
type largeEntry struct {
	ts  ts.Ts
	ref wal.LargeRef
}

func (v *verifier) run() error {
	first, tailSeg, err := v.control()
	if err != nil {
		return err
	}
	nos, err := listSegments(v.dir)
	if err != nil {
		return err
	}
	for len(nos) > 0 && nos[0] < first {
		v.note("%s: left by an interrupted truncation", segName(nos[0]))
		nos = nos[1:]
	}
	expect, last := first, ts.Ts(0)
	for i, no := range nos {
		v.gap(expect, no, last)
		follows := expect == no && i > 0
		if last, err = v.segment(no, i == len(nos)-1 && no >= tailSeg, follows, last); err != nil {
			return err
		}
		expect = no + 1
	}
	if tailSeg != 0 {
		v.gap(expect, tailSeg+1, last)
	}
	return errors.Join(v.parts(), v.stop)
}

// control checks the control record, and gives the numbers of the first and last
// segment it names.
func (v *verifier) control() (first, tailSeg uint64, err error) {
	l, err := loadChannel(v.fs, v.dir, v.Channel)
	var typed *weirerr.Error
	switch {
	case errors.As(err, &typed) && (typed.Code == weirerr.LogCorrupt || typed.Code == weirerr.StoreBehind):
		v.damage(typed)
		nos, err := listSegments(v.dir)
		if err != nil || len(nos) == 0 {
			return 1, 0, err
		}
		return nos[0], 0, nil
	case err != nil:
		return 0, 0, err
	}
	for _, note := range l.notes {
		v.note("%s", note)
	}
	v.Term, v.Durable, v.High = l.term(), l.lastTs(), l.high()
	return max(l.ctl.firstSeg, 1), l.ctl.tailSeg, nil
}

func (v *verifier) note(format string, args ...any) {
	v.Findings = append(v.Findings, Finding{Note: fmt.Sprintf(format, args...)})
}

func (v *verifier) damage(e *weirerr.Error) {
	v.Findings = append(v.Findings, Finding{Damage: e})
	if v.onDamage != nil && v.stop == nil {
		v.stop = v.onDamage(e)
	}
}

func (v *verifier) gap(from, to uint64, before ts.Ts) {
	if from < to {
		v.damage((&segment{no: from, missing: to - 1}).gap(before).err(v.Channel))
	}
}

// segment checks one segment file, and returns the last Ts it proves.
func (v *verifier) segment(no uint64, tail, follows bool, before ts.Ts) (ts.Ts, error) {
	f, err := v.fs.Open(filepath.Join(v.dir, segName(no)), os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	s, err := newScanner(f, v.Channel, no, tail)
	if err != nil {
		return 0, err
	}
	v.Segments++
	v.Bytes += s.size
	if s.size < segHeader && tail {
		return before, nil // noted with the control record
	}
	s.onEntry = func(e *wal.Entry, off int64) error {
		if e.Large != nil {
			v.large = append(v.large, largeEntry{e.Ts, *e.Large})
		}
		if v.onEntry == nil || e.Ts <= v.after {
			return nil
		}
		return v.onEntry(s.name, off, e)
	}
	if v.onDamage != nil { // in order with the entries
		s.onDamage = func(d *damage) error {
			v.damage(d.err(v.Channel))
			return v.stop
		}
	}
	if err := s.run(); err != nil {
		return 0, err
	}
	if s.fault == headTooNew {
		return 0, tooNew(v.Channel, s.name)
	}
	if follows && s.fault == headGood && s.head.last != before {
		v.damage((&damage{file: s.name, what: "the segment does not go on where the one before it ends",
			before: before, after: s.sum.first}).err(v.Channel))
	}
	if v.onDamage == nil {
		for i := range s.damages {
			v.damage(s.damages[i].err(v.Channel))
		}
	}
	v.Entries += s.sum.count
	if v.First == 0 {
		v.First = s.sum.first
	}
	v.Last = max(v.Last, s.sum.last)
	return s.lastTs(), nil
}

// parts checks the parts of every large transaction that was found and is not truncated.
func (v *verifier) parts() error {
	files, err := listParts(v.dir)
	if err != nil {
		return err
	}
	for i := range v.large {
		at, all := v.large[i].ts, v.large[i].ref
		size := files[all.Attempt]
		delete(files, all.Attempt)
		if at <= v.truncated() {
			continue
		}
		v.Attempts++
		v.Bytes += size
		all.Subs = nil
		err := readParts(v.fs, v.dir, v.Channel, &all)
		var typed *weirerr.Error
		switch {
		case errors.As(err, &typed) && typed.Code == weirerr.LogCorrupt:
			if at > v.truncated() { // by now: a server may be at work
				v.damage(typed)
			}
		case err != nil:
			return err
		}
	}
	if len(files) > 0 {
		v.note("%d parts files belong to no transaction; the next writer deletes them", len(files))
	}
	return nil
}

// truncated is up to where entries may be gone; 0 when the control record does not say.
func (v *verifier) truncated() ts.Ts {
	ctl, err := readControl(v.fs, v.dir, v.Channel)
	if err != nil {
		return 0
	}
	return ctl.truncated
}

// readParts reads the parts of one large transaction to their end.
func readParts(fs fsys, dir, channel string, ref *wal.LargeRef) error {
	p, err := openParts(fs, dir, channel, ref, scanBuffer)
	if err != nil {
		return err
	}
	defer p.Close()
	for {
		if _, _, err := p.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
