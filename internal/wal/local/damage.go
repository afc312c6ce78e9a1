package local

import (
	"fmt"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// damage is one place of a file that does not hold what was written.
type damage struct {
	file          string // base name
	off           int64
	what          string
	before, after ts.Ts // neighbouring entries; 0 when there is none
}

// err is the typed error that names the damage.
func (d *damage) err(channel string) *weirerr.Error {
	e := weirerr.New(weirerr.LogCorrupt, "the log is damaged: %s", d.what).
		With("channel", channel).With("segment", d.file).With("offset", d.off)
	if d.before != 0 {
		e = e.With("after_ts", d.before)
	}
	if d.after != 0 {
		e = e.With("before_ts", d.after)
	}
	return e.Hint("entries on both sides are intact: `weir log inspect` prints them, `weir log verify` lists every fault; " +
		"restore the file from a copy, or resync the source to go on from its present")
}

func malformed(channel, file, what string) *weirerr.Error {
	return (&damage{file: file, what: what}).err(channel)
}

func tooNew(channel, file string) *weirerr.Error {
	return weirerr.New(weirerr.FormatTooNew, "the file was written by a newer weir").
		With("channel", channel).With("file", file).
		Hint("run the newer version of weir on this data directory")
}

// tornTail is the end of a log that a crash left half written, or that someone cut
// or extended.
type tornTail struct {
	at   int64 // everything from here on goes
	lost int64 // bytes from there to the last that is not zero
	what string
}

func (t *tornTail) String() string {
	return fmt.Sprintf("%s: cut at offset %d, %d bytes", t.what, t.at, t.lost)
}
