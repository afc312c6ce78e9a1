package sourcetest

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
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
)

// Upstream is a database with its capture, over a real log. Commits change its
// tables at once; they reach the log by pump, so that a chunk may see
// transactions that the stream has yet to deliver.
type Upstream struct {
	t       testing.TB
	backend *local.Log
	Log     wal.Channel
	Writer  wal.Writer

	Mu        sync.Mutex
	rng       *rand.Rand
	Relations map[row.TableID]*Table
	shapes    map[shapeKey]*row.Schema
	Xid       uint64
	queue     []wal.Entry
	passed    uint64              // xid that the stream has passed
	large     map[uint64][][]byte // parts, by xid, of queued large transactions
	Last      ts.Ts
	jobs      map[string]*snapshotJob
	hold      bool // no chunks for now
	fetches   int
	reads     uint64
	PerPart   int // changes in a part of a large transaction
	results   map[uint64]outcome
	settle    chan struct{} // closed and replaced when an outcome is known
}

// Table is a table of it.
type Table struct {
	Shape  *row.Schema
	Rows   map[string]string // encoded key to tuple; keyless: running number to tuple
	seq    int
	shaped uint64 // xid of the last change of shape
}

type shapeKey struct {
	table   row.TableID
	version uint32
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

// New makes one, with an empty channel.
func New(t testing.TB, seed uint64) *Upstream {
	log, err := local.Open(t.TempDir(), local.Options{Options: wal.Options{SegmentBytes: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	u := &Upstream{
		t: t, backend: log, rng: rand.New(rand.NewPCG(seed, 7)), Relations: map[row.TableID]*Table{},
		shapes: map[shapeKey]*row.Schema{}, Xid: 100, large: map[uint64][][]byte{}, jobs: map[string]*snapshotJob{},
		results: map[uint64]outcome{}, settle: make(chan struct{}), PerPart: 3,
	}
	u.Log, u.Writer = u.channel("shop")
	u.Promise()
	return u
}

func (u *Upstream) channel(name string) (wal.Channel, wal.Writer) {
	ch, err := u.backend.Channel(name)
	if err != nil {
		u.t.Fatal(err)
	}
	w, err := ch.Lead(context.Background())
	if err != nil {
		u.t.Fatal(err)
	}
	return ch, w
}

// Create makes a table of columns id (the key, unless keyless), a and b.
func (u *Upstream) Create(id row.TableID, name string, keyed bool) {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	s := &row.Schema{Table: id, Version: 1, Namespace: "public", Name: name, Identity: row.IdentityDefault}
	for i, c := range []string{"id", "a", "b"} {
		s.Columns = append(s.Columns, row.Column{ID: int32(i + 1), Name: c, Type: datum.OIDText, Typmod: -1, TypeName: "text", Key: keyed && i == 0})
	}
	u.Relations[id] = &Table{Shape: s, Rows: map[string]string{}}
	u.shapes[shapeKey{id, 1}] = s
}

// Tuple makes a row image of text columns: "~" is Unchanged, "" NULL.
func Tuple(values ...string) row.Tuple {
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

// Values reads what Tuple made.
func Values(t row.Tuple) []string {
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

// Txn is one upstream transaction being built.
type Txn struct {
	u       *Upstream
	changes [][]byte
}

func (x *Txn) add(c row.Change) { x.changes = append(x.changes, row.AppendChange(nil, &c)) }

// Insert adds a row.
func (x *Txn) Insert(id row.TableID, v ...string) {
	t := x.u.Relations[id]
	t.seq++
	key := v[0]
	if len(t.Shape.KeyColumns()) == 0 {
		key = strconv.Itoa(t.seq)
	}
	t.Rows[key] = string(Tuple(v...))
	x.add(row.Change{Op: row.Insert, Table: id, Version: t.Shape.Version, New: Tuple(v...)})
}

// Update writes v over the row with key old; "~" keeps a column and sends it as
// Unchanged.
func (x *Txn) Update(id row.TableID, old string, v ...string) {
	t := x.u.Relations[id]
	was := Values(row.Tuple(t.Rows[old]))
	delete(t.Rows, old)
	full := slices.Clone(v)
	for i := range full {
		if full[i] == "~" && i < len(was) {
			full[i] = was[i]
		}
	}
	t.Rows[v[0]] = string(Tuple(full...))
	c := row.Change{Op: row.Update, Table: id, Version: t.Shape.Version, New: Tuple(v...)}
	if old != v[0] {
		key := make([]string, len(v))
		key[0] = old
		c.OldKind, c.Old = row.OldKey, Tuple(key...)
	}
	x.add(c)
}

// Delete takes a row away, by its key.
func (x *Txn) Delete(id row.TableID, key string) {
	t := x.u.Relations[id]
	delete(t.Rows, key)
	old := make([]string, len(t.Shape.Columns))
	old[0] = key
	x.add(row.Change{Op: row.Delete, Table: id, Version: t.Shape.Version, OldKind: row.OldKey, Old: Tuple(old...)})
}

// Truncate empties a table.
func (x *Txn) Truncate(id row.TableID) {
	clear(x.u.Relations[id].Rows)
	x.add(row.Change{Op: row.Truncate, Table: id, Version: x.u.Relations[id].Shape.Version})
}

// Widen adds a column.
func (x *Txn) Widen(id row.TableID) {
	t := x.u.Relations[id]
	s := *t.Shape
	s.Version++
	name := fmt.Sprintf("c%d", s.Version)
	s.Columns = append(slices.Clone(s.Columns), row.Column{ID: int32(len(s.Columns) + 1), Name: name, Type: datum.OIDText, Typmod: -1, TypeName: "text"})
	t.Shape, t.shaped = &s, x.u.Xid
	x.u.shapes[shapeKey{id, s.Version}] = &s
	for k, r := range t.Rows {
		t.Rows[k] = string(Tuple(append(Values(row.Tuple(r)), "")...))
	}
	text, _ := json.Marshal(&s)
	x.add(row.Change{Op: row.SchemaChange, Table: id, Version: s.Version, Schema: text})
}

// Commit runs do as one transaction; its changes wait for pump.
func (u *Upstream) Commit(large bool, do func(x *Txn)) {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	u.Xid++
	x := &Txn{u: u}
	do(x)
	e := wal.Entry{Kind: wal.KindTxn, Xid: u.Xid, CommitUs: time.Now().UnixMicro(), Position: Position(u.Xid)}
	if large {
		u.large[u.Xid] = x.changes
	} else {
		e.Changes = slices.Concat(x.changes...)
	}
	u.queue = append(u.queue, e)
}

// Position is where the transaction ends.
func Position(xid uint64) []byte { return binary.BigEndian.AppendUint64(nil, xid) }

// Pump moves n queued transactions (-1: all) into the log.
func (u *Upstream) Pump(n int) {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	for len(u.queue) > 0 && n != 0 {
		n--
		e := u.queue[0]
		u.queue = u.queue[1:]
		if parts, ok := u.large[e.Xid]; ok {
			delete(u.large, e.Xid)
			e.Large = u.parts(u.Writer, parts)
		}
		u.append(u.Writer, &e)
		u.passed = e.Xid
	}
}

func (u *Upstream) parts(w wal.Writer, parts [][]byte) *wal.LargeRef {
	lw, err := w.Large()
	if err != nil {
		u.t.Fatal(err)
	}
	for p := range slices.Chunk(parts, u.PerPart) {
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

func (u *Upstream) append(w wal.Writer, e *wal.Entry) ts.Ts {
	at, err := w.Append(e)
	if err == nil {
		err = w.WaitDurable(context.Background(), at)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	if w == u.Writer {
		u.Last = at
	}
	return at
}

// Promise moves resolved, as an idle capture does.
func (u *Upstream) Promise() ts.Ts {
	at, err := u.Writer.Promise(0)
	if err != nil {
		u.t.Fatal(err)
	}
	return at
}

// Settled pumps everything and returns a Ts that covers it.
func (u *Upstream) Settled() ts.Ts {
	u.Pump(-1)
	return u.Promise()
}

// Place reads one chunk of any snapshot that is asked for; false when none is.
func (u *Upstream) Place() bool {
	u.Mu.Lock()
	defer u.Mu.Unlock()
	if u.hold {
		return false
	}
	for _, consumer := range slices.Sorted(maps.Keys(u.jobs)) {
		j := u.jobs[consumer]
		for _, id := range slices.Sorted(maps.Keys(j.wanted)) {
			if u.Relations[id].shaped <= u.passed { // as the capture does
				u.chunk(consumer, j, id)
				return true
			}
		}
	}
	return false
}

// chunkRows is how many rows a chunk has.
const chunkRows = 7

func (u *Upstream) chunk(consumer string, j *snapshotJob, id row.TableID) {
	t, n := u.Relations[id], j.done[id]
	m := backfill.Marker{
		Consumer: consumer, Table: id, Attempt: j.wanted[id].Attempt, Chunk: n, Version: t.Shape.Version,
		Visible: backfill.Visibility{Xmin: u.Xid + 1, Xmax: u.Xid + 1}, End: Position(u.Xid),
	}
	if len(t.Shape.KeyColumns()) > 0 {
		if n > 0 {
			m.Lo = bound(n - 1)
		}
		if n < 5 {
			m.Hi = bound(n)
		}
	}
	u.reads++
	m.Read = u.reads
	u.append(u.Writer, &wal.Entry{Kind: wal.KindMarker, Changes: m.Encode()})
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
func (t *Table) read(id row.TableID, m *backfill.Marker) (parts [][]byte) {
	keyless := len(t.Shape.KeyColumns()) == 0
	for _, key := range slices.Sorted(maps.Keys(t.Rows)) {
		if k := keyBound(key); keyless || (m.Lo == nil || k > string(m.Lo)) && (m.Hi == nil || k <= string(m.Hi)) {
			parts = append(parts, row.AppendChange(nil, &row.Change{
				Op: row.Read, Table: id, Version: t.Shape.Version, New: row.Tuple(t.Rows[key]),
			}))
		}
	}
	return parts
}

// bound cuts keys k000…k999 into six ranges.
func bound(n int) row.Tuple      { return Tuple(fmt.Sprintf("k%03d", (n+1)*20)) }
func keyBound(key string) string { return string(Tuple(key)) }

// KeyName is key n, as chunks are cut.
func KeyName(n int) string { return fmt.Sprintf("k%03d", n) }
