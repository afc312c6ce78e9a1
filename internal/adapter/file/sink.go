package file

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"time"

	"github.com/weirstream/weir/internal/codec/debezium"
	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// positionEvery is how often a position that moves without data is kept, when no
// resolved lines are asked for.
const positionEvery = 10 * time.Second

// Sink delivers one lane into files: it implements feed.Sink.
type Sink struct {
	cfg  Config
	disk disk
	now  func() time.Time
	log  *slog.Logger

	enc    *debezium.Encoder
	term   uint64
	ledger *ledger   // nil unless open
	data   *dataFile // nil until there is something to write
	broken error     // the first error; only Close goes on after it

	buf      []byte // lines not yet written
	bufLines int64
	lsn      uint64 // upstream, of the transaction being written
	lastLSN  uint64 // and of the one before
	idle     feed.Position
	told     time.Time // of the newest resolved line, or kept position
}

var _ feed.Sink = (*Sink)(nil)

// New makes a sink; nothing happens until Open. now is the clock for processing
// times and for the age of files.
func New(cfg Config, now func() time.Time, log *slog.Logger) *Sink {
	return newSink(cfg, osDisk{}, now, log)
}

func newSink(cfg Config, d disk, now func() time.Time, log *slog.Logger) *Sink {
	return &Sink{cfg: cfg, disk: d, now: now, log: log}
}

// Open implements feed.Sink: it fences older owners and takes back what they did
// not commit.
func (s *Sink) Open(ctx context.Context, lane feed.Lane) (feed.Position, bool, error) {
	none := feed.Position{}
	if s.ledger != nil {
		return none, false, weirerr.New(weirerr.WrongState, "the sink is open").With("changefeed", lane.Changefeed)
	}
	enc, err := debezium.New(s.cfg.Encoding)
	if err != nil {
		return none, false, err
	}
	dir, err := laneDir(s.cfg.Dir, lane.Changefeed, lane.Incarnation, lane.Lane)
	if err != nil {
		return none, false, err
	}
	l := &ledger{disk: s.disk, dir: dir, mode: s.cfg.Mode}
	if err := l.open(ctx, lane); err != nil {
		l.close()
		return none, false, err
	}
	s.enc, s.ledger, s.term, s.broken = enc, l, lane.Term, nil
	s.data, s.buf, s.bufLines, s.idle = nil, s.buf[:0], 0, none
	s.lsn, s.lastLSN = l.m.last.LSN, l.m.last.LastLSN
	s.told = s.now()
	pos, ok := l.m.position()
	s.log.Debug("file sink opened", "dir", dir, "term", lane.Term, "position", pos.Ts, "offset", pos.Offset, "files", len(l.m.files))
	return pos, ok, nil
}

// laneDir is where a lane's files are.
func laneDir(root, changefeed string, incarnation uint64, lane int) (string, error) {
	name := url.PathEscape(changefeed)
	if name == "" || name == "." || name == ".." {
		return "", refuse("%q cannot name a directory", changefeed)
	}
	return filepath.Join(root, name, fmt.Sprintf("incarnation-%d", incarnation), fmt.Sprintf("lane-%d", lane)), nil
}

// Write implements feed.Sink.
func (s *Sink) Write(_ context.Context, items []feed.Item) error {
	if err := s.usable(); err != nil {
		return err
	}
	info := debezium.Info{NowNs: s.now().UnixNano()}
	for i := range items {
		if err := s.write(&items[i], &info); err != nil {
			return s.fail(err)
		}
	}
	return nil
}

func (s *Sink) write(it *feed.Item, info *debezium.Info) error {
	s.describe(it, info)
	for _, ev := range debezium.Events(&it.Change, it.Schema) {
		var err error
		if s.buf, err = s.enc.AppendValue(s.buf, ev, &it.Change, it.Schema, info); err != nil {
			return err
		}
		s.buf = append(s.buf, '\n')
		s.bufLines++
	}
	if len(s.buf) >= flushBytes {
		return s.flush()
	}
	return nil
}

// describe fills in what the item's transaction says. A snapshot's rows are read
// while the stream goes on, and have no place in the sequence of commits.
func (s *Sink) describe(it *feed.Item, info *debezium.Info) {
	lsn := uint64(0)
	if len(it.Txn.Position) >= 8 {
		lsn = binary.BigEndian.Uint64(it.Txn.Position)
	}
	info.CommitUs, info.Xid, info.LSN = it.Txn.CommitUs, it.Txn.Xid, lsn
	if info.CommitUs == 0 {
		info.CommitUs = it.Txn.Ts.Ms() * 1000
	}
	if it.Txn.Snapshot || it.Change.Op == row.Read {
		info.Snapshot, info.LastLSN = debezium.IncrementalSnapshot, 0
		return
	}
	if lsn != s.lsn {
		s.lastLSN, s.lsn = s.lsn, lsn
	}
	info.Snapshot, info.LastLSN = debezium.NotSnapshot, s.lastLSN
}

// flush writes the collected lines, into a new file where there is none.
func (s *Sink) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	if s.data == nil {
		begin, _ := s.ledger.m.position()
		d, err := createData(s.disk, s.ledger.dir, &s.cfg, begin, s.term, s.now())
		if err != nil {
			return err
		}
		s.data = d
	}
	if err := s.data.append(s.buf, s.bufLines); err != nil {
		return err
	}
	s.buf, s.bufLines = s.buf[:0], 0
	return nil
}

// Commit implements feed.Sink.
func (s *Sink) Commit(ctx context.Context, pos feed.Position) error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.cfg.Resolved > 0 && pos.Offset == 0 && s.now().Sub(s.told) >= s.cfg.Resolved {
		s.resolvedLine(pos)
	}
	return s.fail(s.commit(ctx, pos))
}

func (s *Sink) commit(ctx context.Context, pos feed.Position) error {
	before, ok := s.ledger.m.position()
	changed := len(s.buf) > 0 || s.data != nil && s.data.record.Bytes > s.data.kept
	switch {
	case ok && (pos.Less(before) || pos == before && changed):
		return weirerr.New(weirerr.CheckpointStale, "a commit at %d.%d does not lie above the position %d.%d",
			pos.Ts, pos.Offset, before.Ts, before.Offset).With("path", s.ledger.dir)
	case ok && pos == before:
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	r := record{}
	if changed {
		if err := s.data.sync(); err != nil {
			return err
		}
		r = s.data.record
	}
	r.Kind, r.Term, r.End, r.LSN, r.LastLSN = kindCommit, s.term, placeOf(pos), s.lsn, s.lastLSN
	if err := s.ledger.commit(ctx, &r); err != nil {
		return err
	}
	s.idle = feed.Position{}
	if !changed {
		return nil
	}
	s.data.kept = r.Bytes
	if s.data.commits++; s.data.full(&s.cfg, s.now()) {
		s.data.close()
		s.data = nil
		return s.ledger.compact(ctx)
	}
	return nil
}

// Resolved implements feed.Sink. The position is kept every so often, and at Close.
func (s *Sink) Resolved(ctx context.Context, pos feed.Position) error {
	if err := s.usable(); err != nil {
		return err
	}
	s.idle = pos
	every := s.cfg.Resolved
	if every == 0 {
		every = positionEvery
	}
	before, ok := s.ledger.m.position()
	if s.now().Sub(s.told) < every || ok && !before.Less(pos) {
		return nil
	}
	if s.cfg.Resolved > 0 && pos.Offset == 0 {
		s.resolvedLine(pos)
	}
	s.told = s.now()
	return s.fail(s.commit(ctx, pos))
}

// resolvedLine says that every change up to pos stands above.
func (s *Sink) resolvedLine(pos feed.Position) {
	s.buf = fmt.Appendf(s.buf, `{"resolved":"%d","ts_ms":%d}`+"\n", uint64(pos.Ts), pos.Ts.Ms())
	s.bufLines++
	s.told = s.now()
}

// Close implements feed.Sink. What was written and not committed is taken back.
func (s *Sink) Close(ctx context.Context) error {
	if s.ledger == nil {
		return nil
	}
	var err error
	clean := s.broken == nil && len(s.buf) == 0 && (s.data == nil || s.data.kept == s.data.record.Bytes)
	if before, ok := s.ledger.m.position(); clean && ok && before.Less(s.idle) {
		err = s.commit(ctx, s.idle)
	}
	if s.data != nil {
		s.data.close()
	}
	s.ledger.close()
	s.ledger, s.data = nil, nil
	return err
}

func (s *Sink) usable() error {
	if s.ledger == nil {
		return weirerr.New(weirerr.WrongState, "the file sink is not open")
	}
	return s.broken
}

// fail remembers the first error: after it nothing is known of the files until they
// are opened again.
func (s *Sink) fail(err error) error {
	if err != nil && s.broken == nil {
		s.broken = err
	}
	return err
}
