package local

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// formatVersion is written in every file of the log. A newer one is refused.
const formatVersion = 1

const (
	segHeader  = 8 << 10 // of a segment file, in bytes
	partHeader = 512     // of a parts file, in bytes
	indexEvery = 256 << 10
)

var (
	segMagic  = [8]byte{'w', 'e', 'i', 'r', 's', 'e', 'g', '\n'}
	partMagic = [8]byte{'w', 'e', 'i', 'r', 'p', 'a', 'r', '\n'}
)

// segmentSalt makes the frames of one segment of one channel valid nowhere else.
func segmentSalt(channel string, no uint64) uint32 { return fileSalt("segment", channel, no) }

func partSalt(channel string, attempt uint64) uint32 { return fileSalt("parts", channel, attempt) }

func fileSalt(what, channel string, no uint64) uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%s %d %s", what, no, channel), castagnoli)
}

// fileHead is the head of a segment or parts file: what held when it began.
type fileHead struct {
	no   uint64 // segment number or attempt
	term uint64
	last ts.Ts  // of the channel's entries before it
	high []byte // of the channel before it
}

// encode lays the head out in size bytes:
//
//	magic[8] version u32 │ no u64 │ term u64 │ last u64 │ len high u32 │ high … zeros │ salted crc u32
func (h *fileHead) encode(magic [8]byte, salt uint32, size int) []byte {
	b := make([]byte, 0, size)
	b = append(b, magic[:]...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	b = binary.LittleEndian.AppendUint64(b, h.no)
	b = binary.LittleEndian.AppendUint64(b, h.term)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.last))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(h.high)))
	b = append(b, h.high...)
	b = b[:size]
	binary.LittleEndian.PutUint32(b[size-4:], crc32.Update(salt, castagnoli, b[:size-4]))
	return b
}

// headFault says what is wrong with a head.
type headFault uint8

const (
	headGood headFault = iota
	headBad
	headTooNew
)

func decodeHead(b []byte, magic [8]byte, salt uint32) (fileHead, headFault) {
	var h fileHead
	if len(b) < 64 || binary.LittleEndian.Uint32(b[len(b)-4:]) != crc32.Update(salt, castagnoli, b[:len(b)-4]) {
		return h, headBad
	}
	if !bytes.Equal(b[:8], magic[:]) {
		return h, headBad
	}
	if binary.LittleEndian.Uint32(b[8:]) > formatVersion {
		return h, headTooNew
	}
	h.no = binary.LittleEndian.Uint64(b[12:])
	h.term = binary.LittleEndian.Uint64(b[20:])
	h.last = ts.Ts(binary.LittleEndian.Uint64(b[28:]))
	n := int(binary.LittleEndian.Uint32(b[36:]))
	if n > wal.MaxPosition || 40+n > len(b)-4 {
		return h, headBad
	}
	h.high = bytes.Clone(b[40 : 40+n])
	return h, headGood
}

// mark ends a commit group: one write and one sync. Its content follows from the
// group, so that a damaged mark can be told from a torn one.
type mark struct {
	start int64  // where the group begins
	count uint32 // entries in it
	zeros uint32 // zeroPieces of the group's entries
	high  []byte // high position at its end
}

func (m *mark) encode(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(m.start))
	dst = binary.LittleEndian.AppendUint32(dst, m.count)
	dst = binary.LittleEndian.AppendUint32(dst, m.zeros)
	return append(dst, m.high...)
}

func decodeMark(b []byte) (mark, bool) {
	if len(b) < 16 || len(b) > 16+wal.MaxPosition {
		return mark{}, false
	}
	return mark{
		start: int64(binary.LittleEndian.Uint64(b)),
		count: binary.LittleEndian.Uint32(b[8:]),
		zeros: binary.LittleEndian.Uint32(b[12:]),
		high:  b[16:],
	}, true
}

// appendMark appends the mark's stamped frame, which will lie at off.
func appendMark(dst []byte, m *mark, salt uint32, group uint16, term uint64, last ts.Ts, off int64) []byte {
	return appendFrame(dst, kindMark, term, last, m.encode(nil), salt, group, off)
}

// indexPoint says where entries from a Ts on begin; one about every indexEvery bytes.
type indexPoint struct {
	ts  ts.Ts
	off int64
}

// attemptRef is a large transaction committed in a segment.
type attemptRef struct {
	attempt uint64
	ts      ts.Ts
	bytes   int64
}

// summary is what is known of a segment's content; its footer, when it is sealed.
type summary struct {
	count       int64
	first, last ts.Ts // of its entries; 0 when it has none
	term        uint64
	high        []byte // at its end
	index       []indexPoint
	attempts    []attemptRef
}

func (s *summary) encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(s.count))
	for _, v := range []uint64{uint64(s.first), uint64(s.last), s.term} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.AppendUvarint(b, uint64(len(s.high)))
	b = append(b, s.high...)
	b = binary.AppendUvarint(b, uint64(len(s.index)))
	for _, p := range s.index {
		b = binary.AppendUvarint(b, uint64(p.ts))
		b = binary.AppendUvarint(b, uint64(p.off))
	}
	b = binary.AppendUvarint(b, uint64(len(s.attempts)))
	for _, a := range s.attempts {
		b = binary.AppendUvarint(b, a.attempt)
		b = binary.AppendUvarint(b, uint64(a.ts))
		b = binary.AppendUvarint(b, uint64(a.bytes))
	}
	return b
}

func decodeSummary(b []byte) (summary, bool) {
	var s summary
	if len(b) < 32 {
		return s, false
	}
	s.count = int64(binary.LittleEndian.Uint64(b))
	s.first = ts.Ts(binary.LittleEndian.Uint64(b[8:]))
	s.last = ts.Ts(binary.LittleEndian.Uint64(b[16:]))
	s.term = binary.LittleEndian.Uint64(b[24:])
	b = b[32:]
	ok := true
	next := func() uint64 {
		v, w := binary.Uvarint(b)
		if w <= 0 {
			ok, b = false, nil
			return 0
		}
		b = b[w:]
		return v
	}
	n := next()
	if n > uint64(len(b)) {
		return s, false
	}
	s.high, b = bytes.Clone(b[:n]), b[n:]
	for n = next(); n > 0 && ok; n-- {
		s.index = append(s.index, indexPoint{ts.Ts(next()), int64(next())})
	}
	for n = next(); n > 0 && ok; n-- {
		s.attempts = append(s.attempts, attemptRef{next(), ts.Ts(next()), int64(next())})
	}
	return s, ok && len(b) == 0
}

// appendFooter appends footer and trailer, stamped for offset off.
func appendFooter(dst []byte, s *summary, salt uint32, group uint16, off int64) []byte {
	at := len(dst)
	dst = appendFrame(dst, kindFooter, s.term, s.last, s.encode(), salt, group, off)
	zeros := uint64(zeroPieces(dst[at:], off))
	return appendFrame(dst, kindTrailer, zeros, ts.Ts(off), nil, salt, group, off+int64(len(dst)-at))
}

// noteFrame records where an entry lies.
func (s *summary) noteFrame(t ts.Ts, term uint64, off int64) {
	if s.count == 0 {
		s.first = t
	}
	if n := len(s.index); n == 0 || off-s.index[n-1].off >= indexEvery {
		s.index = append(s.index, indexPoint{t, off})
	}
	s.count++
	s.last, s.term = t, term
}

// note records an entry.
func (s *summary) note(f *frame, e *wal.Entry) {
	s.noteFrame(f.ts, f.term, f.off)
	if len(e.Position) > 0 {
		s.high = append(s.high[:0], e.Position...)
	}
	if e.Large != nil {
		s.attempts = append(s.attempts, attemptRef{e.Large.Attempt, f.ts, e.Large.Bytes})
	}
}

// seek is where to begin to read for entries above after.
func (s *summary) seek(after ts.Ts) int64 {
	off := int64(0)
	for lo, hi := 0, len(s.index); lo < hi; {
		mid := int(uint(lo+hi) >> 1)
		if s.index[mid].ts <= after+1 {
			off, lo = s.index[mid].off, mid+1
		} else {
			hi = mid
		}
	}
	return off
}
