package local

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

const (
	controlFile = "control"
	controlSlot = 8 << 10 // in bytes; the file holds two copies, so a full disk stops no write
)

var controlMagic = [8]byte{'w', 'e', 'i', 'r', 'c', 't', 'l', '\n'}

// control is a channel's control record: what must not be lost with a segment.
type control struct {
	seq       uint64 // of the record; grows with each write
	term      uint64
	ceiling   ts.Ts  // no Ts above it was issued
	truncated ts.Ts  // entries <= it may be gone
	firstSeg  uint64 // the oldest segment kept
	tailSeg   uint64 // the newest at the time of writing
	durable   ts.Ts  // at the time of writing
	witness   uint64 // the caller's; see Channel.SetWitness
	closed    uint64 // size of the tail's file when the channel was closed in order; else 0
	high      []byte // at the time of writing
	resume    []byte // where a scan of the tail may begin, encoded; empty for its start
}

// resumePoint is a place in an open segment behind a mark that was synced, with what the
// segment holds up to there. Opening scans from there, if the mark is intact.
type resumePoint struct {
	no, markAt, end uint64
	group           uint16
	sum             summary
}

func (r *resumePoint) encode() []byte {
	b := binary.AppendUvarint(nil, r.no)
	b = binary.AppendUvarint(b, r.markAt)
	b = binary.AppendUvarint(b, r.end)
	b = binary.LittleEndian.AppendUint16(b, r.group)
	return append(b, r.sum.encode()...)
}

func decodeResume(b []byte) (r resumePoint, ok bool) {
	for _, v := range []*uint64{&r.no, &r.markAt, &r.end} {
		n, w := binary.Uvarint(b)
		if w <= 0 {
			return r, false
		}
		*v, b = n, b[w:]
	}
	if len(b) < 2 {
		return r, false
	}
	r.group = binary.LittleEndian.Uint16(b)
	r.sum, ok = decodeSummary(b[2:])
	return r, ok
}

func (c *control) encode(salt uint32) []byte {
	b := make([]byte, 0, controlSlot)
	b = append(b, controlMagic[:]...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	for _, v := range []uint64{c.seq, c.term, uint64(c.ceiling), uint64(c.truncated),
		c.firstSeg, c.tailSeg, uint64(c.durable), c.witness, c.closed} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(c.high)))
	b = append(b, c.high...)
	resume := c.resume
	if len(b)+len(resume)+8 > controlSlot {
		resume = nil // opening scans the whole tail then
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(resume)))
	b = append(b, resume...)
	b = b[:controlSlot]
	binary.LittleEndian.PutUint32(b[controlSlot-4:], crc32.Update(salt, castagnoli, b[:controlSlot-4]))
	return b
}

func decodeControl(b []byte, salt uint32) (control, headFault) {
	var c control
	if len(b) != controlSlot || !bytes.Equal(b[:8], controlMagic[:]) ||
		binary.LittleEndian.Uint32(b[controlSlot-4:]) != crc32.Update(salt, castagnoli, b[:controlSlot-4]) {
		return c, headBad
	}
	if binary.LittleEndian.Uint32(b[8:]) > formatVersion {
		return c, headTooNew
	}
	v := func(i int) uint64 { return binary.LittleEndian.Uint64(b[12+8*i:]) }
	c = control{seq: v(0), term: v(1), ceiling: ts.Ts(v(2)), truncated: ts.Ts(v(3)),
		firstSeg: v(4), tailSeg: v(5), durable: ts.Ts(v(6)), witness: v(7), closed: v(8)}
	n := binary.LittleEndian.Uint32(b[84:])
	if n > wal.MaxPosition {
		return c, headBad
	}
	c.high = bytes.Clone(b[88 : 88+n])
	b = b[88+n : controlSlot-4]
	if n = binary.LittleEndian.Uint32(b); n > uint32(len(b)-4) {
		return c, headBad
	}
	c.resume = bytes.Clone(b[4 : 4+n])
	return c, headGood
}

// controlState is what the control file holds.
type controlState struct {
	control
	exists bool
	note   string // a copy that is damaged, while the other is whole
}

func controlSalt(channel string) uint32 { return fileSalt("control", channel, 0) }

// readControl reads a channel's control record. One damaged copy is a note, since
// the other holds the same, or the state before a write that never finished; two are
// a LogCorrupt error.
func readControl(fs fsys, dir, channel string) (controlState, error) {
	var st controlState
	f, err := fs.Open(filepath.Join(dir, controlFile), os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return st, nil
	}
	if err != nil {
		return st, err
	}
	defer f.Close()
	b := make([]byte, 2*controlSlot)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return st, err
	}
	st.exists = true
	good := 0
	for i := range 2 {
		c, fault := decodeControl(b[i*controlSlot:(i+1)*controlSlot], controlSalt(channel))
		switch {
		case fault == headTooNew:
			return st, tooNew(channel, controlFile)
		case fault == headBad:
			st.note = fmt.Sprintf("copy %d of the control record is damaged; the other is whole", i+1)
		default:
			if good++; good == 1 || c.seq > st.seq {
				st.control = c
			}
		}
	}
	if size, err := f.Size(); err == nil && size > 2*controlSlot {
		st.note = "bytes behind the control record"
	}
	if good == 0 {
		if allZero(b[controlSlot:]) { // its first write never finished: nothing was promised
			return controlState{}, nil
		}
		return st, malformed(channel, controlFile, "both copies of the control record are unreadable")
	}
	return st, nil
}

// writeControl writes both copies, one after the other, each durable before the next step.
func writeControl(f file, channel string, c *control) error {
	b := c.encode(controlSalt(channel))
	for i := range int64(2) {
		if _, err := f.WriteAt(b, i*controlSlot); err != nil {
			return diskError(err, channel, "write the control record")
		}
		if err := f.Sync(); err != nil {
			return diskError(err, channel, "sync the control record")
		}
	}
	return nil
}

// diskError types an error of writing: LogFull when room is missing, else LogUnknown.
func diskError(err error, channel, doing string) error {
	if isFull(err) {
		return weirerr.New(weirerr.LogFull, "no room on the log's disk to %s", doing).With("channel", channel).Wrap(err).
			Hint("free space on the disk of the data directory; writing goes on by itself")
	}
	return weirerr.New(weirerr.LogUnknown, "could not %s", doing).With("channel", channel).Wrap(err).
		Hint("check the disk of the data directory; the channel is recovered when it is led again")
}
