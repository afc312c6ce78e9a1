package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// recorder is a capture.Handler in memory: it registers shapes as the real
// registry does, puts transactions together and has everything durable at once,
// unless hold is set.
type recorder struct {
	t  testing.TB
	mu sync.Mutex

	shapes  map[row.TableID][]*row.Schema
	last    map[row.TableID]uint32
	open    map[uint64][]recordedPiece
	txns    []recordedTxn
	durable []byte
	hold    bool
	asked   int // calls of TablesChanged
	calls   int // of Changes
	largest int // of the pieces, in bytes
	beats   int // of Alive
}

type recordedPiece struct {
	sub uint64
	b   []byte
}

type recordedTxn struct {
	xid      uint64
	position []byte
	changes  []byte
	pieces   int
}

func newRecorder(t testing.TB) *recorder {
	return &recorder{t: t, shapes: map[row.TableID][]*row.Schema{}, last: map[row.TableID]uint32{}, open: map[uint64][]recordedPiece{}}
}

func (r *recorder) Changes(txn, sub uint64, changes []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	r.largest = max(r.largest, len(changes))
	r.open[txn] = append(r.open[txn], recordedPiece{sub, bytes.Clone(changes)})
	return nil
}

func (r *recorder) Abort(txn, sub uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if txn == sub {
		delete(r.open, txn)
		return nil
	}
	var kept []recordedPiece
	for _, p := range r.open[txn] {
		if p.sub != sub {
			kept = append(kept, p)
		}
	}
	r.open[txn] = kept
	return nil
}

func (r *recorder) Commit(txn uint64, position []byte, commitUs int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := recordedTxn{xid: txn, position: bytes.Clone(position), pieces: len(r.open[txn])}
	for _, p := range r.open[txn] {
		t.changes = append(t.changes, p.b...)
	}
	delete(r.open, txn)
	if n := len(r.txns); n > 0 && bytes.Compare(r.txns[n-1].position, position) >= 0 {
		r.t.Errorf("position %x after %x", position, r.txns[n-1].position)
	}
	r.txns = append(r.txns, t)
	r.reach(position)
	return nil
}

func (r *recorder) reach(position []byte) {
	if !r.hold && bytes.Compare(position, r.durable) > 0 {
		r.durable = bytes.Clone(position)
	}
}

func (r *recorder) Alive(position []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beats++
	r.reach(position)
	return nil
}

func (r *recorder) Durable() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.durable)
}

func (r *recorder) Register(shape *row.Schema) (version uint32, current bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	bare := *shape
	bare.Version = 0
	want := printShape(shape)
	for _, s := range r.shapes[shape.Table] {
		if printShape(s) == want {
			version = s.Version
		}
	}
	if version == 0 {
		bare.Version = uint32(len(r.shapes[shape.Table])) + 1
		r.shapes[shape.Table] = append(r.shapes[shape.Table], &bare)
		version = bare.Version
	}
	current = r.last[shape.Table] == version
	r.last[shape.Table] = version
	return version, current, nil
}

func (r *recorder) Shape(table row.TableID) *row.Schema {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.shapes[table]; len(s) > 0 {
		return s[len(s)-1]
	}
	return nil
}

func (r *recorder) TablesChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
}

// printShape is all that makes a version: not what older rows hold in a column.
func printShape(s *row.Schema) string {
	b := *s
	b.Version, b.Columns = 0, slices.Clone(s.Columns)
	for i := range b.Columns {
		b.Columns[i].Missing = nil
	}
	text, _ := json.Marshal(&b)
	return string(text)
}

// reached tells whether the stream is at or past position.
func (r *recorder) reached(position []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Compare(r.durable, position) >= 0
}

// lines prints every change of the transactions from the from-th on, one a line.
func (r *recorder) lines(from int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, t := range r.txns[from:] {
		out = append(out, r.print(t.changes)...)
	}
	return out
}

// print is for a caller that holds mu.
func (r *recorder) print(changes []byte) []string {
	var out []string
	it := row.Changes(changes)
	for it.Next() {
		c := &it.Change
		name := fmt.Sprint(c.Table)
		if versions := r.shapes[c.Table]; int(c.Version) <= len(versions) && c.Version > 0 {
			name = versions[c.Version-1].Name
		}
		s := fmt.Sprintf("%c %s", c.Op, name)
		switch c.Op {
		case row.SchemaChange:
			var schema row.Schema
			if err := json.Unmarshal(c.Schema, &schema); err != nil {
				r.t.Error(err)
			}
			s += " " + printSchema(&schema)
		case row.Truncate:
			s += fmt.Sprintf(" flags %d", c.Flags)
		}
		if c.OldKind != row.OldNone {
			s += fmt.Sprintf(" %c%s", c.OldKind, printTuple(c.Old))
		}
		if c.New != nil {
			s += " " + printTuple(c.New)
		}
		out = append(out, s)
	}
	if it.Err() != nil {
		r.t.Errorf("changes do not decode: %v", it.Err())
	}
	return out
}

// printSchema prints columns as id:name type, with * for the key and ! for NOT NULL.
func printSchema(s *row.Schema) string {
	if s.Dropped {
		return "dropped"
	}
	var cols []string
	for _, c := range s.Columns {
		text := fmt.Sprintf("%d:%s %s", c.ID, c.Name, c.TypeName)
		if c.Key {
			text += "*"
		}
		if c.NotNull {
			text += "!"
		}
		cols = append(cols, text)
	}
	for _, g := range s.Generated {
		cols = append(cols, "generated "+g.Name)
	}
	return string(s.Identity) + "(" + strings.Join(cols, ", ") + ")"
}

func printTuple(t row.Tuple) string {
	var vals []string
	for it := t.Iter(); it.Next(); {
		switch it.State {
		case row.Null:
			vals = append(vals, "~")
		case row.Unchanged:
			vals = append(vals, "=")
		default:
			v := string(it.Value)
			if len(v) > 60 {
				v = fmt.Sprintf("%s…%d", v[:8], len(v))
			}
			vals = append(vals, v)
		}
	}
	return "(" + strings.Join(vals, ",") + ")"
}

// captured is a source that streams into a recorder.
type captured struct {
	*Source
	t    testing.TB
	rec  *recorder
	done chan error
	stop context.CancelFunc
	// restarts is how often the stream may fail and be started again.
	restarts int
	from     []byte
}

func testConfig(t testing.TB, url, tables string) Config {
	t.Helper()
	f, err := filter.ParseList(tables)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Name: strings.ToLower(t.Name()), URL: url, Tables: f}
}

func newSource(t testing.TB, cfg Config) *Source {
	t.Helper()
	s, err := New(cfg, slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Drop(context.Background()); err != nil {
			t.Logf("drop: %v", err)
		}
		_ = s.Close()
	})
	return s
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", bytes.TrimSpace(p))
	return len(p), nil
}

// capture prepares a source and streams it until the test ends.
func startCapture(t testing.TB, cfg Config) *captured {
	t.Helper()
	c := &captured{Source: newSource(t, cfg), t: t, rec: newRecorder(t)}
	start, created, err := c.Prepare(t.Context(), nil)
	if err != nil || !created {
		t.Fatalf("prepare: created %v, %v", created, err)
	}
	c.from = start
	c.start(start)
	return c
}

func (c *captured) start(from []byte) {
	ctx, cancel := context.WithCancel(context.Background())
	c.stop, c.done = cancel, make(chan error, 1)
	done := c.done
	go func() { done <- c.Stream(ctx, from, c.rec) }()
	c.t.Cleanup(func() { cancel() })
}

// restart streams on from what is durable, as after a lost connection.
func (c *captured) restart() {
	c.rec.mu.Lock()
	clear(c.rec.open)
	clear(c.rec.last) // what unfinished transactions registered does not count
	for _, txn := range c.rec.txns {
		for it := row.Changes(txn.changes); it.Next(); {
			if it.Change.Op == row.SchemaChange {
				c.rec.last[it.Change.Table] = it.Change.Version
			}
		}
	}
	from := c.rec.durable
	if from == nil {
		from = c.from
	}
	c.rec.mu.Unlock()
	c.start(from)
}

// end stops the stream and waits for it.
func (c *captured) end() error {
	c.stop()
	return <-c.done
}

// sync waits until the stream has delivered all that is committed now.
func (c *captured) sync() {
	c.t.Helper()
	now, err := c.Now(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	var failed error
	await(c.t, "the stream to reach the present", func() bool {
		select {
		case failed = <-c.done:
			if c.restarts--; c.restarts < 0 || weirerr.FlagsOf(failed).FailFast {
				return true
			}
			c.t.Logf("start again after %v", failed)
			failed = nil
			c.restart()
			return false
		default:
			return c.rec.reached(now)
		}
	})
	if failed != nil {
		c.t.Fatalf("the stream ended: %v", failed)
	}
}

// since runs f and returns what the stream delivered meanwhile, a change a line.
func (c *captured) since(f func()) []string {
	c.t.Helper()
	c.sync()
	c.rec.mu.Lock()
	from := len(c.rec.txns)
	c.rec.mu.Unlock()
	f()
	c.sync()
	return c.rec.lines(from)
}

// following is since, after a line with the shape that the table has before.
func (c *captured) following(table string, f func()) []string {
	c.t.Helper()
	c.sync()
	var lines []string
	for _, versions := range c.rec.shapes {
		if s := versions[len(versions)-1]; s.Name == table {
			lines = append(lines, "S "+table+" "+printSchema(s))
		}
	}
	return append(lines, c.since(f)...)
}

// expectLines compares with what one expects, a change a line.
func expectLines(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
