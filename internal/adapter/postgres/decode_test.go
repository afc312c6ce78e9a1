package postgres

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// pgout builds pgoutput messages.
type pgout []byte

func (m pgout) u8(v byte) pgout    { return append(m, v) }
func (m pgout) u16(v int) pgout    { return binary.BigEndian.AppendUint16(m, uint16(v)) }
func (m pgout) u32(v uint32) pgout { return binary.BigEndian.AppendUint32(m, v) }
func (m pgout) u64(v uint64) pgout { return binary.BigEndian.AppendUint64(m, v) }
func (m pgout) text(s string) pgout {
	return append(append(m, s...), 0)
}

// tuple appends a row image; "\x00" stands for NULL, "\x01" for unchanged.
func (m pgout) tuple(values ...string) pgout {
	m = m.u16(len(values))
	for _, v := range values {
		switch v {
		case "\x00":
			m = m.u8('n')
		case "\x01":
			m = m.u8('u')
		default:
			m = append(m.u8('t').u32(uint32(len(v))), v...)
		}
	}
	return m
}

func msg(kind byte) pgout { return pgout{kind} }

func msgBegin(xid uint32) pgout { return msg('B').u64(0).u64(0).u32(xid) }
func msgCommit(end uint64) pgout {
	return msg('C').u8(0).u64(end - 8).u64(end).u64(1_000_000)
}

// relationOf describes table t (oid 7) with columns k (key) and v.
func relationOf(prefix pgout, cols ...string) pgout {
	m := prefix.u32(7).text("public").text("t").u8('d').u16(len(cols))
	for i, c := range cols {
		m = m.u8(byte(1 - min(i, 1))).text(c).u32(25).u32(0xffffffff)
	}
	return m
}

// stillShapes completes shapes without a catalog.
type stillShapes struct{ forgotten []row.TableID }

func (s *stillShapes) streamed(rel *relation, prev *row.Schema, xid uint32, committed bool) (*row.Schema, error) {
	schema := buildSchema(rel, nil, prev, xid)
	for i := range schema.Columns {
		schema.Columns[i].ID, schema.Columns[i].TypeName = int32(i+1), "text"
	}
	return schema, nil
}
func (s *stillShapes) announced(f *tableFacts, _ *row.Schema, _ int) (*row.Schema, error) {
	return schemaOf(f), nil
}
func (s *stillShapes) settle(uint32) error  { return nil }
func (s *stillShapes) forget(t row.TableID) { s.forgotten = append(s.forgotten, t) }

func testDecoder(t testing.TB) (*decoder, *recorder) {
	rec := newRecorder(t)
	return newDecoder(rec, &stillShapes{}, func(ns, name string) bool { return name != "secret" }, "slot"), rec
}

// decodeAll decodes messages; the first error fails the test.
func decodeAll(t testing.TB, d *decoder, messages ...pgout) {
	t.Helper()
	for i, m := range messages {
		if err := d.message(m); err != nil {
			t.Fatalf("message %d %q: %v", i, m[:1], err)
		}
	}
}

func TestDecodeTransaction(t *testing.T) {
	d, rec := testDecoder(t)
	decodeAll(t, d, msg('O').u64(1).text("origin"), msgBegin(5), relationOf(msg('R'), "k", "v"), msg('Y').u32(99).text("public").text("mood"),
		msg('I').u32(7).u8('N').tuple("1", "\x00"),
		msg('U').u32(7).u8('N').tuple("1", "\x01"),
		msg('U').u32(7).u8('K').tuple("1", "\x00").u8('N').tuple("2", strings.Repeat("x", 300)),
		msg('U').u32(7).u8('O').tuple("2", "old").u8('N').tuple("2", "\x01"),
		msg('D').u32(7).u8('K').tuple("2", "\x00"),
		msg('T').u32(1).u8(3).u32(7),
		msg('M').u8(1).u64(1).text("app").u32(2).u16(7),
		msgCommit(100))
	expectLines(t, rec.lines(0), "S t default(1:k text*, 2:v text)", "I t (1,~)", "U t (1,=)", "U t K(1,~) (2,xxxxxxxx…300)",
		"U t O(2,old) (2,old)", "D t K(2,~)", "T t flags 3")
	txn := rec.txns[0]
	if txn.xid != 5 || !bytes.Equal(txn.position, LSN(100).Position()) {
		t.Errorf("%+v", txn)
	}
	// A transaction without a change for us moves the position only.
	decodeAll(t, d, msgBegin(6), msg('M').u8(1).u64(1).text(heartbeatPrefix).u32(0), msgCommit(200))
	if len(rec.txns) != 1 || !bytes.Equal(rec.durable, LSN(200).Position()) {
		t.Errorf("%d transactions, durable %x", len(rec.txns), rec.durable)
	}
	// The same shape once more is not announced again, another one is.
	decodeAll(t, d, msgBegin(7), relationOf(msg('R'), "k", "v"), msg('I').u32(7).u8('N').tuple("1", "2"),
		relationOf(msg('R'), "k", "w", "v"), msg('I').u32(7).u8('N').tuple("1", "2", "3"), msgCommit(300))
	expectLines(t, rec.lines(1), "I t (1,2)", "S t default(1:k text*, 2:w text, 3:v text)", "I t (1,2,3)")
}

func TestDecodeLeavesOutTablesTheFilterDoesNotWant(t *testing.T) {
	d, rec := testDecoder(t)
	secret := msg('R').u32(8).text("public").text("secret").u8('d').u16(1).u8(1).text("k").u32(25).u32(0xffffffff)
	decodeAll(t, d, msgBegin(5), secret, msg('I').u32(8).u8('N').tuple("1"), msg('U').u32(8).u8('N').tuple("1"),
		msg('D').u32(8).u8('K').tuple("1"), msg('T').u32(1).u8(0).u32(8), msgCommit(100))
	if len(rec.txns) != 0 || len(rec.shapes) != 0 {
		t.Errorf("%v %v", rec.txns, rec.shapes)
	}
}

func TestDecodeStreamedTransactions(t *testing.T) {
	d, rec := testDecoder(t)
	in := func(kind byte, sub uint32) pgout { return msg(kind).u32(sub) }
	insert := func(sub uint32, v string) pgout { return in('I', sub).u32(7).u8('N').tuple(v, "") }
	start := func(xid uint32, first byte) pgout { return msg('S').u32(xid).u8(first) }
	decodeAll(t, d,
		start(10, 1), relationOf(in('R', 10), "k", "v"), insert(10, "a"), insert(11, "b"), insert(12, "c"), insert(10, "d"), msg('E'),
		start(20, 1), relationOf(in('R', 20), "k", "v"), insert(20, "other"), msg('E'),
		msg('A').u32(10).u32(11),
		msgBegin(30), relationOf(msg('R'), "k", "v"), msg('I').u32(7).u8('N').tuple("e", ""), msgCommit(100),
		start(10, 0), insert(13, "f"), msg('E'),
		msg('A').u32(20).u32(20), msg('A').u32(21).u32(21),
		msg('c').u32(10).u8(0).u64(190).u64(200).u64(0))
	expectLines(t, rec.lines(0),
		"S t default(1:k text*, 2:v text)", "I t (e,)", // it commits first, and does not rely on what 10 announced
		"S t default(1:k text*, 2:v text)", "I t (a,)", "I t (c,)", "I t (d,)", "I t (f,)")
	if !d.idle() || len(rec.open) != 0 {
		t.Errorf("left over: %v %v", d.open, rec.open)
	}
}

// A SchemaChange in a sub-transaction that is rolled back is announced again.
func TestDecodeStreamedAbortForgetsShapes(t *testing.T) {
	d, rec := testDecoder(t)
	in := func(kind byte, sub uint32) pgout { return msg(kind).u32(sub) }
	decodeAll(t, d,
		msg('S').u32(10).u8(1), relationOf(in('R', 11), "k", "v"), in('I', 11).u32(7).u8('N').tuple("a", ""), msg('E'),
		msg('A').u32(10).u32(11),
		msg('S').u32(10).u8(0), in('I', 12).u32(7).u8('N').tuple("b", ""), msg('E'),
		msg('c').u32(10).u8(0).u64(190).u64(200).u64(0))
	expectLines(t, rec.lines(0), "S t default(1:k text*, 2:v text)", "I t (b,)")
	if f := d.shapes.(*stillShapes).forgotten; len(f) != 1 || f[0] != 7 {
		t.Errorf("forgotten: %v", f)
	}
}

func TestDecodeDDLMessages(t *testing.T) {
	d, rec := testDecoder(t)
	ddl := func(slot, tables string) pgout {
		body := fmt.Sprintf(`{"slot":%q,"tag":"ALTER TABLE","tables":[%s]}`, slot, tables)
		return append(msg('M').u8(1).u64(1).text(ddlPrefix).u32(uint32(len(body))), body...)
	}
	table := func(cols string) string {
		return `{"oid":7,"ns":"public","name":"t","kind":"r","persistence":"p","identity":"d","primary":[1],"attrs":[` + cols + `]}`
	}
	const k = `{"num":1,"name":"k","type":25,"typmod":-1,"type_name":"text","not_null":true}`
	const v = `{"num":2,"name":"v","type":25,"typmod":-1,"type_name":"text"}`
	decodeAll(t, d, msgBegin(5), ddl("slot", table(k)), ddl("slot", table(k+","+v)), ddl("another", table(k)),
		ddl("slot", `{"oid":9,"ns":"public","name":"secret","kind":"r","persistence":"p"}`),
		append(msg('M').u8(1).u64(1).text(ddlPrefix).u32(3), "{x}"...), msgCommit(100))
	expectLines(t, rec.lines(0), "S t default(1:k text*!)", "S t default(1:k text*!, 2:v text)")
	decodeAll(t, d, msgBegin(6), ddl("slot", `{"oid":7,"dropped":true},{"oid":8,"dropped":true}`), msgCommit(200))
	expectLines(t, rec.lines(1), "S t dropped")
	if rec.asked == 0 {
		t.Error("Tables was not asked for")
	}
}

func TestDecodeHugeRowsComeInPieces(t *testing.T) {
	d, rec := testDecoder(t)
	huge := strings.Repeat("x", 3*wal.MaxChanges)
	decodeAll(t, d, msgBegin(5), relationOf(msg('R'), "k", "v"), msg('I').u32(7).u8('N').tuple("1", huge), msgCommit(100))
	for _, p := range rec.open[5] {
		t.Error(len(p.b))
	}
	expectLines(t, rec.lines(0), "S t default(1:k text*, 2:v text)", fmt.Sprintf("I t (1,xxxxxxxx…%d)", len(huge)))
	if rec.calls < 3 || rec.largest > wal.MaxChanges {
		t.Errorf("%d calls, the largest of %d bytes", rec.calls, rec.largest)
	}
}

func TestDecodeRowsOfEveryLength(t *testing.T) {
	d, rec := testDecoder(t)
	decodeAll(t, d, msgBegin(5), relationOf(msg('R'), "k", "v"))
	var want []string
	for _, n := range []int{0, 1, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 250, 260, 16370, 16380, 16390, 1 << 21} {
		v := strings.Repeat("x", n)
		decodeAll(t, d, msg('I').u32(7).u8('N').tuple(fmt.Sprint(n), v))
		want = append(want, "I t "+printTuple(row.AppendValue(row.AppendValue(row.AppendTupleHeader(nil, 2), []byte(fmt.Sprint(n))), []byte(v))))
	}
	decodeAll(t, d, msgCommit(100))
	expectLines(t, rec.lines(0)[1:], want...)
}

func TestDecodeRefusesWhatItCannotRead(t *testing.T) {
	for name, messages := range map[string][]pgout{
		"empty":                      {{}},
		"unknown kind":               {{'z'}},
		"two-phase":                  {{'P'}},
		"begin within":               {msgBegin(1), msgBegin(2)},
		"commit outside":             {msgCommit(1)},
		"change outside":             {msg('I').u32(7).u8('N').tuple("1", "2")},
		"unknown relation":           {msgBegin(1), msg('I').u32(8).u8('N').tuple("1", "2")},
		"cut":                        {msgBegin(1), relationOf(msg('R'), "k", "v"), msg('I').u32(7).u8('N').tuple("1", "2")[:12]},
		"other number of columns":    {msgBegin(1), relationOf(msg('R'), "k", "v"), msg('I').u32(7).u8('N').tuple("1")},
		"length beyond the end":      {msgBegin(1), relationOf(msg('R'), "k", "v"), msg('I').u32(7).u8('N').u16(2).u8('t').u32(1 << 31)},
		"binary value":               {msgBegin(1), relationOf(msg('R'), "k", "v"), msg('I').u32(7).u8('N').u16(2).u8('b').u32(0)},
		"delete without an old row":  {msgBegin(1), relationOf(msg('R'), "k", "v"), msg('D').u32(7).u8('N').tuple("1", "2")},
		"truncate of too many":       {msgBegin(1), msg('T').u32(1 << 31).u8(0)},
		"stop outside":               {msg('E')},
		"continued without a start":  {msg('S').u32(1).u8(0)},
		"stream commit of a unknown": {msg('c').u32(1).u8(0).u64(1).u64(1).u64(1)},
		"relation cut":               {msgBegin(1), relationOf(msg('R'), "k", "v")[:20]},
	} {
		d, _ := testDecoder(t)
		var err error
		for _, m := range messages {
			if err = d.message(m); err != nil {
				break
			}
		}
		if weirerr.CodeOf(err) != weirerr.UpstreamProtocol {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecode: whatever the bytes, an error at most, and what is delivered decodes.
func FuzzDecode(f *testing.F) {
	join := func(messages ...pgout) []byte {
		var all []byte
		for _, m := range messages {
			all = append(binary.AppendUvarint(all, uint64(len(m))), m...)
		}
		return all
	}
	in := func(kind byte, sub uint32) pgout { return msg(kind).u32(sub) }
	f.Add(join(msgBegin(5), relationOf(msg('R'), "k", "v"), msg('U').u32(7).u8('O').tuple("1", "\x00").u8('N').tuple("2", "\x01"), msg('T').u32(1).u8(3).u32(7), msgCommit(100)))
	f.Add(join(msg('S').u32(10).u8(1), relationOf(in('R', 10), "k", "v"), in('I', 11).u32(7).u8('N').tuple("a", "b"), msg('E'), msg('A').u32(10).u32(11), msg('c').u32(10).u8(0).u64(1).u64(2).u64(3)))
	f.Fuzz(func(t *testing.T, all []byte) {
		d, rec := testDecoder(t)
		for len(all) > 0 {
			n, w := binary.Uvarint(all)
			if w <= 0 || n > uint64(len(all)-w) {
				break
			}
			if err := d.message(all[w : w+int(n)]); err != nil {
				if weirerr.CodeOf(err) != weirerr.UpstreamProtocol {
					t.Fatal(err)
				}
				return
			}
			all = all[w+int(n):]
		}
		for _, txn := range rec.txns {
			it := row.Changes(txn.changes)
			for it.Next() {
			}
			if it.Err() != nil {
				t.Fatal(it.Err())
			}
		}
	})
}

// FuzzUnescape: COPY's escapes come back, and nothing panics.
func FuzzUnescape(f *testing.F) {
	f.Add([]byte("a\\b\n\t\r\v\f\b"))
	escape := strings.NewReplacer("\\", "\\\\", "\b", "\\b", "\f", "\\f", "\n", "\\n", "\r", "\\r", "\t", "\\t", "\v", "\\v")
	f.Fuzz(func(t *testing.T, value []byte) {
		line := escape.Replace(string(value)) + "\t\\N\n"
		var got string
		r := &chunkRows{head: []byte{byte(row.Read), 7, 1}, columns: 2, emit: func(changes []byte, rows int) error {
			it := row.Changes(changes)
			it.Next()
			cols := it.Change.New.Iter()
			cols.Next()
			got = string(cols.Value)
			if cols.Next(); cols.State != row.Null || it.Next() || it.Err() != nil {
				t.Error("the row is not as it was")
			}
			return nil
		}}
		cut := len(line) / 2
		for _, part := range []string{line[:cut], line[cut:]} {
			if _, err := r.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.finish(); err != nil || got != string(value) {
			t.Errorf("%q became %q, %v", value, got, err)
		}
		unescape(nil, value)
	})
}

type nowhere struct{ recorder }

func (*nowhere) Changes(txn, sub uint64, changes []byte) error { return nil }
func (*nowhere) Commit(uint64, []byte, int64) error            { return nil }

// BenchmarkDecode: one operation is one insert of four columns, about 60 bytes.
func BenchmarkDecode(b *testing.B) {
	h := &nowhere{*newRecorder(b)}
	d := newDecoder(h, &stillShapes{}, func(string, string) bool { return true }, "slot")
	decodeAll(b, d, msgBegin(5), relationOf(msg('R'), "k", "v", "w", "x"))
	insert := msg('I').u32(7).u8('N').tuple("123456", "some text of a row", "2024-02-29 12:34:56.789", "12345.67")
	b.SetBytes(int64(len(insert)))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.message(insert); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCopyRow: one operation is one row of COPY of four columns.
func BenchmarkCopyRow(b *testing.B) {
	r := &chunkRows{head: []byte{byte(row.Read), 7, 1}, columns: 4, emit: func([]byte, int) error { return nil }}
	line := []byte("123456\tsome text of a row\t2024-02-29 12:34:56.789\t12345.67\n")
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Write(line); err != nil {
			b.Fatal(err)
		}
	}
}

func TestDecodingARowDoesNotAllocate(t *testing.T) {
	h := &nowhere{*newRecorder(t)}
	d := newDecoder(h, &stillShapes{}, func(string, string) bool { return true }, "slot")
	decodeAll(t, d, msgBegin(5), relationOf(msg('R'), "k", "v"))
	insert := msg('I').u32(7).u8('N').tuple("123456", strings.Repeat("x", 200))
	update := msg('U').u32(7).u8('K').tuple("123456", "\x00").u8('N').tuple("1", "\x01")
	decodeAll(t, d, insert)
	d.buf = make([]byte, 0, 2*flushAt)
	if n := testing.AllocsPerRun(20000, func() { decodeAll(t, d, insert, update) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
