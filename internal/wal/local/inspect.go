package local

import (
	"fmt"
	"os"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Item is one thing Inspect shows: an entry with its place, or a damaged place.
type Item struct {
	File   string // of the segment
	Offset int64
	Entry  *wal.Entry     // borrowed until visit returns
	Damage *weirerr.Error // LogCorrupt
}

// Inspect shows the entries of a channel with Ts > after, in order, and the damage
// between them. What is truncated is not shown, though its segment may be there. Like Verify it changes nothing and takes no lock. An error of visit
// ends it and is returned.
func Inspect(dir, channel string, after ts.Ts, visit func(Item) error) error {
	if err := exists(dir, channel); err != nil {
		return err
	}
	v := verifier{dir: channelDir(dir, channel), fs: osFS{}, after: after}
	v.Channel = channel
	v.after = max(after, v.truncated())
	v.onEntry = func(file string, off int64, e *wal.Entry) error {
		return visit(Item{File: file, Offset: off, Entry: e})
	}
	v.onDamage = func(e *weirerr.Error) error { return visit(Item{Damage: e}) }
	return v.run()
}

// ReadParts streams the parts of a large transaction from the files alone.
func ReadParts(dir, channel string, ref *wal.LargeRef) (wal.PartReader, error) {
	return openParts(osFS{}, channelDir(dir, channel), channel, ref, scanBuffer)
}

// ReadHigh is the durable high position and Ts of a channel, from the files alone, as
// the next opening would find them. NotFound when there is no such channel.
func ReadHigh(dir, channel string) (high []byte, durable ts.Ts, err error) {
	if err := exists(dir, channel); err != nil {
		return nil, 0, err
	}
	l, err := loadChannel(osFS{}, channelDir(dir, channel), channel)
	if err != nil {
		return nil, 0, err
	}
	return l.high(), l.lastTs(), nil
}

func exists(dir, channel string) error {
	if _, err := os.Stat(channelDir(dir, channel)); os.IsNotExist(err) {
		return weirerr.New(weirerr.NotFound, "the log has no such channel").With("channel", channel).With("dir", dir)
	} else if err != nil {
		return fmt.Errorf("local log: %w", err)
	}
	return nil
}

// Channels lists the channels of the log in dir, sorted, from the files alone.
func Channels(dir string) ([]string, error) { return listChannels(dir) }
