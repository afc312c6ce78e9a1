package local

import (
	"bytes"
	"errors"
	"io"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// scanBuffer is how much a scan reads at a time, in bytes.
const scanBuffer = 1 << 20

// scan is what reading a whole segment tells.
type scan struct {
	head    fileHead
	fault   headFault
	sum     summary
	end     int64  // where the next frame goes
	group   uint16 // number of the group that begins there
	start   int64  // of the last group, when it lacks its mark
	open    uint32 // entries of that group
	markAt  int64  // of the last mark; 0 when there is none
	sealed  bool
	damages []damage
	torn    *tornTail
}

// scanner reads a whole segment, frame by frame.
type scanner struct {
	scan
	channel, name string
	f             file
	size          int64
	tail          bool // the channel's last segment: its end may be torn
	cur           cursor
	hurt          bool // damage lies in the current group
	footerAt      int64
	// onEntry and onDamage, when set, are shown what is found, in order. An error stops the scan.
	onEntry  func(e *wal.Entry, off int64) error
	onDamage func(*damage) error
	stop     error
	from     *resumePoint // where to begin, if that place is intact
}

func newScanner(f file, channel string, no uint64, tail bool) (*scanner, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	s := &scanner{channel: channel, name: segName(no), f: f, size: size, tail: tail}
	s.cur = cursor{r: f, salt: segmentSalt(channel, no), limit: size, off: segHeader}
	s.start, s.end = segHeader, segHeader
	return s, nil
}

// run scans to the end. Its error is an I/O error; damage is in the result.
func (s *scanner) run() error {
	if err := s.readHead(); err != nil || s.fault == headTooNew {
		return err
	}
	if s.from != nil {
		if err := s.resume(s.from); err != nil {
			return err
		}
	}
	for {
		f, err := s.cur.read(scanBuffer)
		more := err == nil
		switch {
		case err == nil:
			if s.take(&f); s.sealed {
				return errors.Join(s.afterTrailer(), s.stop)
			}
		case err == io.EOF, err == errBad:
			if more, err = s.bad(); err != nil {
				return err
			}
		default:
			return err
		}
		if !more || s.stop != nil {
			return s.stop
		}
	}
}

func (s *scanner) readHead() error {
	b := make([]byte, segHeader)
	if _, err := s.f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	s.head, s.fault = decodeHead(b, segMagic, s.cur.salt)
	if s.fault == headBad {
		s.damaged(damage{what: "the segment's header is not what was written"})
	}
	s.sum.high, s.sum.term = bytes.Clone(s.head.high), s.head.term
	return nil
}

// resume begins at r instead of the segment's start, provided that the mark before r is
// intact. Then a later group proves all before r, as it does in judge: what is damaged
// there is found by reading.
func (s *scanner) resume(r *resumePoint) error {
	if int64(r.end) > s.size || r.markAt < segHeader {
		return nil
	}
	s.cur.off = int64(r.markAt)
	f, err := s.cur.read(frameHeader)
	if err == nil && f.kind == kindMark && f.end() == int64(r.end) && f.group == r.group-1 && f.ts == r.sum.last {
		s.sum, s.group, s.markAt = r.sum, r.group, f.off
		s.start, s.end = f.end(), f.end()
		return nil
	}
	if s.cur.off = segHeader; err == errBad || err == io.EOF {
		err = nil
	}
	return err
}

func (s *scanner) damaged(d damage) {
	d.file, d.before = s.name, max(s.sum.last, s.head.last)
	s.damages = append(s.damages, d)
	if s.onDamage != nil {
		s.stop = errors.Join(s.stop, s.onDamage(&s.damages[len(s.damages)-1]))
	}
}

// take takes in a valid frame.
func (s *scanner) take(f *frame) {
	switch f.kind {
	case kindEntry:
		s.takeEntry(f)
	case kindMark:
		s.takeMark(f)
	case kindFooter:
		s.footerAt = f.off
		sum, ok := decodeSummary(f.body)
		whole := len(s.damages) == 0
		if !ok || whole && (sum.count != s.sum.count || sum.first != s.sum.first || sum.last != s.sum.last) {
			s.damaged(damage{off: f.off, what: "the footer contradicts the segment"})
		}
	case kindTrailer:
		s.sealed = true
	default:
		s.damaged(damage{off: f.off, what: "a frame that does not belong in a segment"})
	}
	s.end = f.end()
}

func (s *scanner) takeEntry(f *frame) {
	if s.open == 0 && !s.hurt {
		s.start = f.off
	}
	if f.group != s.group && !s.hurt {
		s.damaged(damage{off: f.off, what: "a commit mark is missing before this entry"})
	}
	s.group = f.group
	var e wal.Entry
	if wal.DecodeEntry(f.body, &e) != nil {
		s.damaged(damage{off: f.off, what: "the entry does not decode"})
		return
	}
	if last := max(s.sum.last, s.head.last); f.ts <= last {
		s.damaged(damage{off: f.off, what: "the entry's Ts is not above its predecessor's"})
		return
	}
	e.Ts, e.Term = f.ts, f.term
	for i := len(s.damages) - 1; i >= 0 && s.damages[i].after == 0; i-- {
		s.damages[i].after = f.ts
	}
	s.sum.note(f, &e)
	s.open++
	if s.onEntry != nil {
		s.stop = errors.Join(s.stop, s.onEntry(&e, f.off))
	}
}

func (s *scanner) takeMark(f *frame) {
	m, ok := decodeMark(f.body)
	if !ok || !s.hurt && (m.start != s.start || m.count != s.open || f.group != s.group) {
		s.damaged(damage{off: f.off, what: "the commit mark contradicts its group"})
	}
	if ok { // also what damaged entries of the group held
		s.sum.high = append(s.sum.high[:0], m.high...)
		s.sum.last, s.sum.term = max(s.sum.last, f.ts), f.term
	}
	s.open, s.start, s.group, s.hurt, s.markAt = 0, f.end(), f.group+1, false, f.off
}

// bad handles the place where no valid frame is: the end, a torn tail, or damage.
// It tells whether the scan goes on behind it.
func (s *scanner) bad() (more bool, err error) {
	at := s.cur.off
	from := at
	if s.open > 0 || s.hurt {
		from = s.start
	}
	rest, err := s.load(from)
	if err != nil {
		return false, err
	}
	lost := max(0, from+int64(len(rest))-at)
	if s.tail {
		switch what := s.judge(rest, from, at); {
		case what.torn != "":
			s.end, s.torn = at, &tornTail{at: at, lost: lost, what: what.torn}
			return false, nil
		case what.damage == "" && s.footerAt != 0:
			s.end, s.torn = s.footerAt, &tornTail{at: s.footerAt, lost: at - s.footerAt, what: "the footer is half written"}
			return false, nil
		case what.damage == "":
			s.end = at
			return false, nil
		default:
			s.damaged(damage{off: at, what: what.damage})
		}
	} else if lost == 0 {
		s.damaged(damage{off: at, what: "the segment ends without its footer"})
		return false, nil
	} else {
		s.damaged(damage{off: at, what: "a record's checksum is wrong"})
	}
	if s.open == 0 && !s.hurt {
		s.start = at
	}
	s.hurt = true
	_, found, err := s.cur.findNext(at)
	if !found {
		s.end = max(s.end, (at+lost+7)&^7)
	}
	return found, err
}

// afterTrailer looks at what lies behind the last frame of a sealed segment.
func (s *scanner) afterTrailer() error {
	if s.end == s.size {
		return nil
	}
	rest, err := s.load(s.end)
	switch {
	case err != nil:
		return err
	case s.tail && len(rest) > 0:
		s.torn = &tornTail{at: s.end, lost: int64(len(rest)), what: "bytes behind the segment's end"}
	case !s.tail:
		s.damaged(damage{off: s.end, what: "bytes behind the segment's end"})
	}
	return nil
}

// load reads from off up to the last byte that is not zero.
func (s *scanner) load(off int64) ([]byte, error) {
	var b []byte
	for at := off; at < s.size; {
		next, err := s.f.NextData(at)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		next = max(next, at)
		n := int(min(scanBuffer, s.size-next))
		if n <= 0 {
			break
		}
		chunk := make([]byte, n)
		if n, err = s.f.ReadAt(chunk, next); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if chunk = bytes.TrimRight(chunk[:n], "\x00"); len(chunk) > 0 {
			b = append(b, make([]byte, int(next-off)-len(b))...)
			b = append(b, chunk...)
		}
		if n == 0 {
			break
		}
		at = next + int64(n)
	}
	return b, nil
}

// lastTs is the newest Ts the segment proves.
func (s *scan) lastTs() ts.Ts { return max(s.sum.last, s.head.last) }
