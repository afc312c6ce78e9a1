package local

import (
	"bytes"
	"math/bits"
)

// ruling is what the bytes at the end of a log are: both empty for a clean end.
type ruling struct {
	torn   string // a write that a crash interrupted: cut it
	damage string // something durable that changed: report it, keep the rest
}

// The rulings.
var (
	cleanEnd   = ruling{}
	markMissed = ruling{torn: "the last commit group lacks its mark"}
	halfGroup  = ruling{torn: "the last commit group is half written"}
	foreign    = ruling{torn: "bytes behind the log's end"}
	badCRC     = ruling{damage: "a record's checksum is wrong"}
	badMark    = ruling{damage: "a commit mark is not what was written"}
)

// nearMark is how many bytes may differ from the expected mark for the place to
// be a damaged mark, and not something else.
const nearMark = 4

// judge rules over the place at, where the tail segment has no valid frame. rest
// holds the file from from (the start of the current group) to its last byte that is
// not zero.
//
// What a crash leaves of the last write is any subset of its sectors, the others
// zero. So damage is: what a single flipped bit explains; what lies in a group
// whose mark is intact and which has no more zero sectors than it was written with;
// what a later group follows, since that was written after a sync. All else is torn.
func (s *scanner) judge(rest []byte, from, at int64) ruling {
	if int64(len(rest)) <= at-from { // zeros only
		if s.open > 0 {
			return markMissed
		}
		return cleanEnd
	}
	rest = append(rest, make([]byte, segHeader)...) // a frame may end in zeros
	w := rest[at-from:]
	good, size := headerGood(w, s.cur.salt, at), int64(frameHeader)
	if good {
		size = frameSize(bodyLen(w))
		w = append(w, make([]byte, max(0, size-int64(len(w))))...)
	}
	flipped := at+size <= s.size && oneBitOff(w, s.cur.salt, at) // else the file was cut here
	if flipped && !good {
		return badCRC
	}
	if s.open > 0 && !s.hurt {
		if r, known := s.judgeMark(rest, w, from, at); known {
			return r
		}
	}
	if r, known := s.judgeLater(rest, from, at, flipped); known {
		return r
	}
	if flipped && zeroPieces(w[:size], at) == 0 {
		return badCRC
	}
	if s.open == 0 && !good {
		return foreign
	}
	return halfGroup
}

// judgeMark rules when the place is where the current group's mark belongs.
func (s *scanner) judgeMark(rest, w []byte, from, at int64) (ruling, bool) {
	zeros := uint32(zeroPieces(rest[:at-from], from))
	m := mark{start: s.start, count: s.open, zeros: zeros, high: s.sum.high}
	want := appendMark(nil, &m, s.cur.salt, s.group, s.sum.term, s.sum.last, at)
	have := make([]byte, len(want))
	copy(have, w)
	differ, bit := 0, 0
	for i := range want {
		if want[i] != have[i] {
			differ++
			bit += bits.OnesCount8(want[i] ^ have[i])
		}
	}
	whole := s.size >= at+int64(len(want))
	switch {
	case whole && bit == 1:
		return badMark, true
	case !whole || tornCopy(have, want, at):
		return markMissed, true
	}
	return badMark, differ <= nearMark
}

// tornCopy tells whether have is want, which lies at off, with some of its sectors
// zero, or with zeros from some byte on.
func tornCopy(have, want []byte, off int64) bool {
	kept := bytes.TrimRight(have, "\x00")
	if bytes.HasPrefix(want, kept) {
		return true
	}
	for len(have) > 0 {
		n := min(int64(len(have)), sector-off%sector)
		if !allZero(have[:n]) && !bytes.Equal(have[:n], want[:n]) {
			return false
		}
		have, want, off = have[n:], want[n:], off+n
	}
	return true
}

// judgeLater rules by the valid frames behind the place.
func (s *scanner) judgeLater(rest []byte, from, at int64, flipped bool) (ruling, bool) {
	for off := (at + 8) &^ 7; off-from < int64(len(rest)); off += 8 {
		f, v := parse(rest[off-from:], s.cur.salt, off)
		if v == badHeader || v == badBody {
			continue
		}
		if f.kind == kindEntry && f.group == s.group {
			off = f.end() - 8
			continue
		}
		written, own := s.zerosOf(&f, from, at)
		if !own { // of a later group, so this one was synced
			return badCRC, true
		}
		zeros := uint64(zeroPieces(rest[:f.off-from], from))
		if zeros <= written || flipped && zeros == written+1 {
			return badCRC, true
		}
		return halfGroup, true
	}
	return ruling{}, false
}

// zerosOf is how many zeroPieces the write that f ends had before f, when that is the
// write in which the bad place lies: the current group, or the footer.
func (s *scanner) zerosOf(f *frame, from, at int64) (uint64, bool) {
	if f.kind == kindTrailer {
		return f.term, int64(f.ts) == at && from == at
	}
	m, ok := decodeMark(f.body)
	return uint64(m.zeros), f.kind == kindMark && f.group == s.group && ok && m.start == from
}
