package feed

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
)

// upstream is a database with its capture, over a real log. Commits change its
// tables at once; they reach the log by pump, so that a chunk may see
// transactions that the stream has yet to deliver.
type upstream struct {
	t   testing.TB
	log *local.Log
	ch  wal.Channel
	w   wal.Writer

	mu      sync.Mutex
	rng     *rand.Rand
	tables  map[row.TableID]*table
	shapes  map[shapeKey]*row.Schema
	xid     uint64
	queue   []wal.Entry
	passed  uint64              // xid that the stream has passed
	large   map[uint64][][]byte // parts, by xid, of queued large transactions
	last    ts.Ts
	jobs    map[string]*snapshotJob
	hold    bool // no chunks for now
	fetches int
	reads   uint64
	perPart int // changes in a part of a large transaction
	results map[uint64]outcome
	settle  chan struct{} // closed and replaced when an outcome is known
}

type table struct {
	schema *row.Schema
	rows   map[string]string // encoded key to tuple; keyless: running number to tuple
	seq    int
	shaped uint64 // xid of the last change of shape
}

type outcome struct {
	side ts.Ts
	ok   bool
}

type snapshotJob struct {
	side   wal.Channel
	w      wal.Writer
	wanted map[row.TableID]backfill.Request
	done   map[row.TableID]int // chunks placed, of the attempt
}

func newUpstream(t testing.TB, seed uint64) *upstream {
	log, err := local.Open(t.TempDir(), local.Options{Options: wal.Options{SegmentBytes: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	u := &upstream{
		t: t, log: log, rng: rand.New(rand.NewPCG(seed, 7)), tables: map[row.TableID]*table{},
		shapes: map[shapeKey]*row.Schema{}, xid: 100, large: map[uint64][][]byte{}, jobs: map[string]*snapshotJob{},
		results: map[uint64]outcome{}, settle: make(chan struct{}), perPart: 3,
	}
	u.ch, u.w = u.channel("shop")
	u.promise()
	return u
}

func (u *upstream) channel(name string) (wal.Channel, wal.Writer) {
	ch, err := u.log.Channel(name)
	if err != nil {
		u.t.Fatal(err)
	}
	w, err := ch.Lead(context.Background())
	if err != nil {
		u.t.Fatal(err)
	}
	return ch, w
}

// create makes a table of columns id (the key, unless keyless), a and b.
func (u *upstream) create(id row.TableID, name string, keyed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := &row.Schema{Table: id, Version: 1, Namespace: "public", Name: name, Identity: row.IdentityDefault}
	for i, c := range []string{"id", "a", "b"} {
		s.Columns = append(s.Columns, row.Column{ID: int32(i + 1), Name: c, TypeName: "text", Key: keyed && i == 0})
	}
	u.tables[id] = &table{schema: s, rows: map[string]string{}}
	u.shapes[shapeKey{id, 1}] = s
}

func tuple(values ...string) row.Tuple {
	t := row.AppendTupleHeader(nil, len(values))
	for _, v := range values {
		switch v {
		case "~":
			t = row.AppendUnchanged(t)
		case "":
			t = row.AppendNull(t)
		default:
			t = row.AppendValue(t, []byte(v))
		}
	}
	return t
}

func values(t row.Tuple) []string {
	var out []string
	for it := t.Iter(); it.Next(); {
		switch it.State {
		case row.Unchanged:
			out = append(out, "~")
		case row.Null:
			out = append(out, "")
		default:
			out = append(out, string(it.Value))
		}
	}
	return out
}

// txn is one upstream transaction being built.
type txn struct {
	u       *upstream
	changes [][]byte
}

func (x *txn) add(c row.Change) { x.changes = append(x.changes, row.AppendChange(nil, &c)) }

func (x *txn) insert(id row.TableID, v ...string) {
	t := x.u.tables[id]
	t.seq++
	key := v[0]
	if len(t.schema.KeyColumns()) == 0 {
		key = strconv.Itoa(t.seq)
	}
	t.rows[key] = string(tuple(v...))
	x.add(row.Change{Op: row.Insert, Table: id, Version: t.schema.Version, New: tuple(v...)})
}

// update writes v over the row with key old; "~" keeps a column and sends it as
// Unchanged.
func (x *txn) update(id row.TableID, old string, v ...string) {
	t := x.u.tables[id]
	was := values(row.Tuple(t.rows[old]))
	delete(t.rows, old)
	full := slices.Clone(v)
	for i := range full {
		if full[i] == "~" && i < len(was) {
			full[i] = was[i]
		}
	}
	t.rows[v[0]] = string(tuple(full...))
	c := row.Change{Op: row.Update, Table: id, Version: t.schema.Version, New: tuple(v...)}
	if old != v[0] {
		key := make([]string, len(v))
		key[0] = old
		c.OldKind, c.Old = row.OldKey, tuple(key...)
	}
	x.add(c)
}

func (x *txn) delete(id row.TableID, key string) {
	t := x.u.tables[id]
	delete(t.rows, key)
	old := make([]string, len(t.schema.Columns))
	old[0] = key
	x.add(row.Change{Op: row.Delete, Table: id, Version: t.schema.Version, OldKind: row.OldKey, Old: tuple(old...)})
}

func (x *txn) truncate(id row.TableID) {
	clear(x.u.tables[id].rows)
	x.add(row.Change{Op: row.Truncate, Table: id, Version: x.u.tables[id].schema.Version})
}

// widen adds a column.
func (x *txn) widen(id row.TableID) {
	t := x.u.tables[id]
	s := *t.schema
	s.Version++
	name := fmt.Sprintf("c%d", s.Version)
	s.Columns = append(slices.Clone(s.Columns), row.Column{ID: int32(len(s.Columns) + 1), Name: name, TypeName: "text"})
	t.schema, t.shaped = &s, x.u.xid
	x.u.shapes[shapeKey{id, s.Version}] = &s
	for k, r := range t.rows {
		t.rows[k] = string(tuple(append(values(row.Tuple(r)), "")...))
	}
	text, _ := json.Marshal(&s)
	x.add(row.Change{Op: row.SchemaChange, Table: id, Version: s.Version, Schema: text})
}

// commit runs do as one transaction; its changes wait for pump.
func (u *upstream) commit(large bool, do func(x *txn)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.xid++
	x := &txn{u: u}
	do(x)
	e := wal.Entry{Kind: wal.KindTxn, Xid: u.xid, CommitUs: time.Now().UnixMicro(), Position: position(u.xid)}
	if large {
		u.large[u.xid] = x.changes
	} else {
		e.Changes = slices.Concat(x.changes...)
	}
	u.queue = append(u.queue, e)
}

func position(xid uint64) []byte { return binary.BigEndian.AppendUint64(nil, xid) }

// pump moves n queued transactions (-1: all) into the log.
func (u *upstream) pump(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for len(u.queue) > 0 && n != 0 {
		n--
		e := u.queue[0]
		u.queue = u.queue[1:]
		if parts, ok := u.large[e.Xid]; ok {
			delete(u.large, e.Xid)
			e.Large = u.parts(u.w, parts)
		}
		u.append(u.w, &e)
		u.passed = e.Xid
	}
}

func (u *upstream) parts(w wal.Writer, parts [][]byte) *wal.LargeRef {
	lw, err := w.Large()
	if err != nil {
		u.t.Fatal(err)
	}
	for p := range slices.Chunk(parts, u.perPart) {
		if err := lw.Part(1, slices.Concat(p...)); err != nil {
			u.t.Fatal(err)
		}
	}
	ref, err := lw.Seal(nil)
	if err != nil {
		u.t.Fatal(err)
	}
	return ref
}

func (u *upstream) append(w wal.Writer, e *wal.Entry) ts.Ts {
	at, err := w.Append(e)
	if err == nil {
		err = w.WaitDurable(context.Background(), at)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	if w == u.w {
		u.last = at
	}
	return at
}

// promise moves resolved, as an idle capture does.
func (u *upstream) promise() ts.Ts {
	at, err := u.w.Promise(0)
	if err != nil {
		u.t.Fatal(err)
	}
	return at
}

// settled pumps everything and returns a Ts that covers it.
func (u *upstream) settled() ts.Ts {
	u.pump(-1)
	return u.promise()
}

// place reads one chunk of any snapshot that is asked for; false when none is.
func (u *upstream) place() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.hold {
		return false
	}
	for _, consumer := range slices.Sorted(maps.Keys(u.jobs)) {
		j := u.jobs[consumer]
		for _, id := range slices.Sorted(maps.Keys(j.wanted)) {
			if u.tables[id].shaped <= u.passed { // as the capture does
				u.chunk(consumer, j, id)
				return true
			}
		}
	}
	return false
}

// chunkRows is how many rows a chunk has.
const chunkRows = 7

func (u *upstream) chunk(consumer string, j *snapshotJob, id row.TableID) {
	t, n := u.tables[id], j.done[id]
	m := backfill.Marker{
		Consumer: consumer, Table: id, Attempt: j.wanted[id].Attempt, Chunk: n, Version: t.schema.Version,
		Visible: backfill.Visibility{Xmin: u.xid + 1, Xmax: u.xid + 1}, End: position(u.xid),
	}
	if len(t.schema.KeyColumns()) > 0 {
		if n > 0 {
			m.Lo = bound(n - 1)
		}
		if n < 5 {
			m.Hi = bound(n)
		}
	}
	u.reads++
	m.Read = u.reads
	u.append(u.w, &wal.Entry{Kind: wal.KindMarker, Changes: m.Encode()})
	result := outcome{ok: u.rng.IntN(6) > 0}
	if result.ok {
		result.side = u.append(j.w, &wal.Entry{Kind: wal.KindTxn, Large: u.parts(j.w, t.read(id, &m))})
		if j.done[id]++; m.Hi == nil {
			delete(j.wanted, id)
		}
	}
	u.results[m.Read] = result
	close(u.settle)
	u.settle = make(chan struct{})
}

// read gives the rows of a chunk, a part each.
func (t *table) read(id row.TableID, m *backfill.Marker) (parts [][]byte) {
	keyless := len(t.schema.KeyColumns()) == 0
	for _, key := range slices.Sorted(maps.Keys(t.rows)) {
		if k := keyBound(key); keyless || (m.Lo == nil || k > string(m.Lo)) && (m.Hi == nil || k <= string(m.Hi)) {
			parts = append(parts, row.AppendChange(nil, &row.Change{
				Op: row.Read, Table: id, Version: t.schema.Version, New: row.Tuple(t.rows[key]),
			}))
		}
	}
	return parts
}

// Outcome waits until the reading has ended.
func (u *upstream) Outcome(ctx context.Context, _ string, read uint64) (ts.Ts, bool, error) {
	for {
		u.mu.Lock()
		result, known := u.results[read]
		settle := u.settle
		u.mu.Unlock()
		if known {
			return result.side, result.ok, nil
		}
		select {
		case <-settle:
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
}

// bound cuts keys k000…k999 into six ranges.
func bound(n int) row.Tuple              { return tuple(fmt.Sprintf("k%03d", (n+1)*20)) }
func keyBound(key string) string         { return string(tuple(key)) }
func keyName(n int) string               { return fmt.Sprintf("k%03d", n) }
func (u *upstream) Channel() wal.Channel { return u.ch }

func (u *upstream) Side(consumer string) (wal.Channel, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.job(consumer).side, nil
}

func (u *upstream) job(consumer string) *snapshotJob {
	j := u.jobs[consumer]
	if j == nil {
		j = &snapshotJob{wanted: map[row.TableID]backfill.Request{}, done: map[row.TableID]int{}}
		j.side, j.w = u.channel("side-" + fmt.Sprintf("%x", consumer))
		u.jobs[consumer] = j
	}
	return j
}

func (u *upstream) Schema(id row.TableID, version uint32) (*row.Schema, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if s := u.shapes[shapeKey{id, version}]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("no version %d of table %d", version, id)
}

func (u *upstream) Tables() []*row.Schema {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []*row.Schema
	for _, id := range slices.Sorted(maps.Keys(u.tables)) {
		all = append(all, u.tables[id].schema)
	}
	return all
}

func (u *upstream) Backfill(_ context.Context, consumer string, requests []backfill.Request) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	j := u.job(consumer)
	for _, r := range requests {
		if was, ok := j.wanted[r.Table]; ok && was.Attempt == r.Attempt {
			continue
		}
		j.wanted[r.Table] = r
		j.done[r.Table] = 0 // chunks placed already are placed again, and dropped by the consumer
	}
	return nil
}

func (u *upstream) CancelBackfill(consumer string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.jobs, consumer)
	return nil
}

func (u *upstream) Progress(consumer string) []backfill.Progress {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []backfill.Progress
	if j := u.jobs[consumer]; j != nil {
		for _, id := range slices.Sorted(maps.Keys(j.wanted)) {
			all = append(all, backfill.Progress{
				Table: id, Name: u.tables[id].schema.FullName(), RowsDone: int64(j.done[id] * chunkRows), RowsTotal: 100,
			})
		}
	}
	return all
}

func (u *upstream) Locate(_ context.Context, _ row.TableID, bounds, keys []row.Tuple) ([]int, error) {
	out := make([]int, len(keys))
	for i, k := range keys {
		for _, b := range bounds {
			if string(b) < string(k) {
				out[i]++
			}
		}
	}
	return out, nil
}

func (u *upstream) Fetch(_ context.Context, shape *row.Schema, key row.Tuple) (row.Tuple, bool, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.fetches++
	t, ok := u.tables[shape.Table].rows[values(key)[0]]
	if !ok {
		return nil, false, nil
	}
	return tuple(values(row.Tuple(t))[:len(shape.Columns)]...), true, nil
}

func (u *upstream) State() (string, time.Time) { return "", time.Time{} }
