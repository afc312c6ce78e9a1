package local

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Options of the local backend.
type Options struct {
	wal.Options
	// Logger is told of repairs, damage, clock jumps and a full disk; nil for silence.
	Logger *slog.Logger
	// Metrics, when not nil, counts and times the commits.
	Metrics *Metrics

	now   func() time.Time // the wall clock
	retry time.Duration    // between attempts to get room on a full disk
	fs    fsys
}

func (o *Options) fill() {
	set := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = 64 << 20
	}
	if o.ReserveAhead <= 0 {
		o.ReserveAhead = 5 * time.Second
	}
	set(&o.ReadBytes, 1<<20)
	set(&o.BufferedBytes, 16<<20)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.retry <= 0 {
		o.retry = 250 * time.Millisecond
	}
	if o.fs == nil {
		o.fs = osFS{}
	}
}

// Log is a directory of channels. It holds the directory's lock until Close.
type Log struct {
	dir  string
	opts Options
	lock *os.File

	mu       sync.Mutex
	channels map[string]*Channel
	closed   bool
}

var _ wal.Log = (*Log)(nil)

// Open locks dir, creating it if needed. Errors: DataDirLocked, FormatTooNew.
func Open(dir string, opts Options) (*Log, error) {
	opts.fill()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("local log: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	l := &Log{dir: dir, opts: opts, lock: lock, channels: map[string]*Channel{}}
	removed, _ := filepath.Glob(filepath.Join(dir, removedPrefix+"*"))
	for _, gone := range removed { // a Remove that a crash interrupted
		err = errors.Join(err, os.RemoveAll(gone))
	}
	names, e := l.Channels()
	err = errors.Join(err, e)
	for _, name := range names {
		if err == nil {
			// A newer format is refused now; other faults are the channel's own.
			if _, e := readControl(opts.fs, channelDir(dir, name), name); weirerr.CodeOf(e) == weirerr.FormatTooNew {
				err = e
			}
		}
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return l, nil
}

func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("local log: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, weirerr.New(weirerr.DataDirLocked, "another process uses the data directory").With("dir", dir).Wrap(err).
			Hint("stop the other weir, or give this one a data directory of its own")
	}
	return f, nil
}

// Channel opens a channel, creating it if it is not there. While it is open the
// same handle is returned again.
func (l *Log) Channel(name string) (wal.Channel, error) { return l.LocalChannel(name) }

// LocalChannel is Channel with the local backend's own type.
func (l *Log) LocalChannel(name string) (*Channel, error) {
	if name == "" || len(name) > 100 {
		return nil, weirerr.New(weirerr.InvalidArgument, "a channel's name has 1 to 100 bytes").With("channel", name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed(name)
	}
	if c, ok := l.channels[name]; ok {
		return c, nil
	}
	c, err := openChannel(l, name)
	if err != nil {
		return nil, err
	}
	l.channels[name] = c
	return c, nil
}

// Channels lists the existing channels, sorted.
func (l *Log) Channels() ([]string, error) { return listChannels(l.dir) }

func listChannels(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("local log: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := unescape(e.Name()); ok && e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// removedPrefix begins the name of a directory that is being deleted.
const removedPrefix = ".removed-"

// Remove closes and deletes a channel. What a crash leaves of it goes at the next Open.
func (l *Log) Remove(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.channels[name]; ok {
		delete(l.channels, name)
		if err := c.close(); err != nil {
			l.opts.Logger.Warn("closing a log channel that is removed", "channel", name, "error", err)
		}
	}
	dir := channelDir(l.dir, name)
	gone := filepath.Join(l.dir, removedPrefix+filepath.Base(dir))
	if err := os.RemoveAll(gone); err != nil {
		return fmt.Errorf("local log: %w", err)
	}
	if err := l.opts.fs.Rename(dir, gone); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("local log: %w", err)
	}
	if err := l.opts.fs.SyncDir(l.dir); err != nil {
		return fmt.Errorf("local log: %w", err)
	}
	return os.RemoveAll(gone)
}

// Close closes all channels and gives the lock back.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	var errs []error
	for _, c := range l.channels {
		errs = append(errs, c.close())
	}
	return errors.Join(append(errs, l.lock.Close())...)
}

// SetWitness is Channel.SetWitness on every open channel.
func (l *Log) SetWitness(v uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.channels {
		c.SetWitness(v)
	}
}

// Witness is the highest witness of all channels, open or not.
func (l *Log) Witness() (uint64, error) {
	names, err := l.Channels()
	if err != nil {
		return 0, err
	}
	var w uint64
	for _, name := range names {
		l.mu.Lock()
		c := l.channels[name]
		l.mu.Unlock()
		if c != nil {
			w = max(w, c.Witness())
			continue
		}
		ctl, err := readControl(l.opts.fs, channelDir(l.dir, name), name)
		if err != nil {
			return 0, err
		}
		w = max(w, ctl.witness)
	}
	return w, nil
}

func errClosed(channel string) error {
	return weirerr.New(weirerr.WrongState, "the log is closed").With("channel", channel)
}

// channelDir is the channel's directory: its name, where bytes other than letters,
// digits, '_', '-' and inner '.' are written %XX.
func channelDir(dir, name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return filepath.Join(dir, b.String())
}

// unescape is the name of the channel in the directory called base.
func unescape(base string) (string, bool) {
	var b []byte
	for i := 0; i < len(base); i++ {
		if base[i] != '%' {
			b = append(b, base[i])
			continue
		}
		var c byte
		if i+3 > len(base) {
			return "", false
		}
		if n, err := fmt.Sscanf(base[i:i+3], "%%%02X", &c); n != 1 || err != nil {
			return "", false
		}
		b = append(b, c)
		i += 2
	}
	return string(b), filepath.Base(channelDir("", string(b))) == base && base != ""
}
