package local

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/weirstream/weir/internal/ts"
)

// Frame kinds.
const (
	kindEntry   = 'E' // a wal.Entry
	kindMark    = 'C' // ends a commit group
	kindFooter  = 'F' // sums up a sealed segment
	kindTrailer = 'Z' // last frame of a sealed segment; its ts is the footer's offset, its term the footer's zeroPieces
	kindPart    = 'P' // a piece of a large transaction; its ts is the sub-transaction
	kindSeal    = 'S' // last frame of a parts file; its ts is the number of parts
)

const (
	frameHeader = 32
	maxBody     = 64 << 20 // sanity bound of a frame's body, in bytes
	sector      = 512      // what a disk writes whole
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frame is one decoded record. Its body borrows from the buffer it was read into.
//
//	 0 length of body u32 │ 4 kind │ 5 zero │ 6 group u16
//	 8 term u64           │ 16 ts u64
//	24 crc of body and padding u32 │ 28 crc of bytes 0-27, salted, u32
//	32 body, zeros up to a multiple of 8
//
// The header's crc is salted with the file's identity and the frame's offset: a
// frame at another place is as bad as a damaged one, and no payload can pose as one.
type frame struct {
	off   int64
	kind  byte
	group uint16
	term  uint64
	ts    ts.Ts
	body  []byte
}

func (f *frame) end() int64 { return f.off + frameSize(len(f.body)) }

// frameSize is what a body of n bytes takes in the file.
func frameSize(n int) int64 { return int64(frameHeader + padded(n)) }

func padded(n int) int { return (n + 7) &^ 7 }

var zeros [8]byte

// beginFrame starts a frame in dst; the body is appended next, then endFrame is called.
func beginFrame(dst []byte, kind byte, term uint64, t ts.Ts) []byte {
	var h [frameHeader]byte
	h[4] = kind
	binary.LittleEndian.PutUint64(h[8:], term)
	binary.LittleEndian.PutUint64(h[16:], uint64(t))
	return append(dst, h[:]...)
}

// endFrame ends the frame that began at dst[at:]. It is not stamped yet.
func endFrame(dst []byte, at int) []byte {
	n := len(dst) - at - frameHeader
	binary.LittleEndian.PutUint32(dst[at:], uint32(n))
	return append(dst, zeros[:padded(n)-n]...)
}

// appendFrame appends a whole frame, stamped for its place in the file.
func appendFrame(dst []byte, kind byte, term uint64, t ts.Ts, body []byte, salt uint32, group uint16, off int64) []byte {
	at := len(dst)
	dst = endFrame(append(beginFrame(dst, kind, term, t), body...), at)
	stamp(dst[at:], salt, group, off)
	return dst
}

// stamp completes the checksums of the frame at the start of b for its place in the
// file, and returns the frame's size.
func stamp(b []byte, salt uint32, group uint16, off int64) int64 {
	size := frameSize(bodyLen(b))
	binary.LittleEndian.PutUint16(b[6:], group)
	binary.LittleEndian.PutUint32(b[24:], crc32.Checksum(b[frameHeader:size], castagnoli))
	binary.LittleEndian.PutUint32(b[28:], headerCRC(b, salt, off))
	return size
}

// headerCRC begins from a value that is another for each place: salt and offset, which
// is a multiple of 8, times an odd constant.
func headerCRC(b []byte, salt uint32, off int64) uint32 {
	return crc32.Update(salt^uint32(off>>3)*0x9E3779B1, castagnoli, b[:28])
}

// bodyLen is the body's length that the header at the start of b names.
func bodyLen(b []byte) int { return int(binary.LittleEndian.Uint32(b)) }

func storedBodyCRC(b []byte) uint32 { return binary.LittleEndian.Uint32(b[24:]) }

// headerGood tells whether b starts with a valid header for offset off.
func headerGood(b []byte, salt uint32, off int64) bool {
	if len(b) < frameHeader || b[5] != 0 || bodyLen(b) > maxBody {
		return false
	}
	switch b[4] {
	case kindEntry, kindMark, kindFooter, kindTrailer, kindPart, kindSeal:
	default:
		return false
	}
	return binary.LittleEndian.Uint32(b[28:]) == headerCRC(b, salt, off)
}

// verdict is what parse makes of the bytes at one offset.
type verdict uint8

const (
	good      verdict = iota
	short             // the header is good, the body goes on beyond the bytes given
	badHeader         // no valid header
	badBody           // a valid header, and a body that is not the one written
)

// parse decodes the frame at the start of b, which lies at offset off.
func parse(b []byte, salt uint32, off int64) (frame, verdict) {
	if !headerGood(b, salt, off) {
		return frame{off: off}, badHeader
	}
	n := bodyLen(b)
	f := frame{
		off: off, kind: b[4], group: binary.LittleEndian.Uint16(b[6:]),
		term: binary.LittleEndian.Uint64(b[8:]), ts: ts.Ts(binary.LittleEndian.Uint64(b[16:])),
	}
	if len(b) < frameHeader+padded(n) {
		return f, short
	}
	if crc32.Checksum(b[frameHeader:frameHeader+padded(n)], castagnoli) != storedBodyCRC(b) {
		return f, badBody
	}
	f.body = b[frameHeader : frameHeader+n : frameHeader+n]
	return f, good
}

// oneBitOff tells whether the frame at the start of b, bad as it is, becomes good
// by flipping a single bit: damage that no torn write explains.
func oneBitOff(b []byte, salt uint32, off int64) bool {
	if headerGood(b, salt, off) {
		n := padded(bodyLen(b))
		return len(b) >= frameHeader+n && oneBitBody(b[frameHeader:frameHeader+n], storedBodyCRC(b))
	}
	if len(b) < frameHeader {
		return false
	}
	h := [frameHeader]byte(b)
	for bit := range frameHeader * 8 {
		h[bit/8] ^= 1 << (bit % 8)
		if headerGood(h[:], salt, off) {
			f, v := parse(append(h[:], b[frameHeader:]...), salt, off)
			return v == good || v == short && f.kind != 0
		}
		h[bit/8] ^= 1 << (bit % 8)
	}
	return false
}

// oneBitBody tells whether flipping one bit of body makes its checksum want. A
// crc is linear: each bit changes it by a constant that depends on its distance
// from the end alone.
func oneBitBody(body []byte, want uint32) bool {
	diff := crc32.Checksum(body, castagnoli) ^ want
	var change [8]uint32
	for bit := range change {
		change[bit] = castagnoli[1<<bit]
	}
	for range body {
		for bit, c := range change {
			if c == diff {
				return true
			}
			change[bit] = castagnoli[c&0xff] ^ c>>8
		}
	}
	return false
}

// zeroPieces counts the sectors, or parts of sectors at the edges, of b that hold
// zeros only; b lies at offset off.
func zeroPieces(b []byte, off int64) int {
	n := 0
	for len(b) > 0 {
		size := min(int64(len(b)), sector-off%sector)
		if allZero(b[:size]) {
			n++
		}
		b, off = b[size:], off+size
	}
	return n
}

func allZero(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
