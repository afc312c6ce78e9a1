package debezium

import (
	"errors"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Encoder appends the events of one source. It remembers how each table's newest
// schema is written. Used by one goroutine.
type Encoder struct {
	opt        Options
	sourceHead []byte
	sourceDB   []byte
	plans      map[row.TableID]*plan
	last       *plan
	w          writer
}

// New makes an encoder; TargetConfig when an option is unknown.
func New(opt Options) (*Encoder, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Encoder{opt: opt, plans: map[row.TableID]*plan{}}
	head := quote([]byte(`{"version":`), opt.Source.Version)
	head = append(head, `,"connector":"postgresql","name":`...)
	e.sourceHead = quote(head, opt.Source.Name)
	e.sourceDB = quote([]byte(`,"db":`), opt.Source.DB)
	return e, nil
}

// plan is a schema made ready for writing.
type plan struct {
	schema      *row.Schema
	columns     []column
	keyed       bool
	sourceTable []byte // ,"schema":…,"table":…
	valueHead   []byte // {"schema":…,"payload": or nothing
	keyHead     []byte
}

type column struct {
	encoding
	label []byte // "name":
	key   bool
}

// planFor finds or makes the plan of a schema. Versions of a table follow one
// another, so only the newest is kept.
func (e *Encoder) planFor(s *row.Schema) *plan {
	if e.last != nil && e.last.schema == s {
		return e.last
	}
	p := e.plans[s.Table]
	if p == nil || p.schema != s && p.schema.Version != s.Version {
		p = e.newPlan(s)
		e.plans[s.Table] = p
	}
	e.last = p
	return p
}

func (e *Encoder) newPlan(s *row.Schema) *plan {
	p := &plan{schema: s}
	r := resolver{opt: e.opt, types: s.Types}
	for i := range s.Columns {
		c := &s.Columns[i]
		label := append(quote(nil, c.Name), ':')
		p.columns = append(p.columns, column{encoding: r.column(c), label: label, key: c.Key})
		p.keyed = p.keyed || c.Key
	}
	p.sourceTable = quote([]byte(`,"schema":`), s.Namespace)
	p.sourceTable = quote(append(p.sourceTable, `,"table":`...), s.Name)
	if e.opt.Schemas {
		p.valueHead = e.valueSchema(p)
		p.keyHead = e.keySchema(p)
	}
	return p
}

// AppendValue appends the event's value. ev is one of Events(c, s). With an error
// dst comes back as it was.
func (e *Encoder) AppendValue(dst []byte, ev Event, c *row.Change, s *row.Schema, in *Info) ([]byte, error) {
	p, start := e.planFor(s), len(dst)
	dst = append(dst, p.valueHead...)
	dst = append(dst, `{"before":`...)
	var err error
	hasOld := ev == Delete || ev == Update && c.OldKind == row.OldFull
	if dst, err = e.image(dst, p, c.Old, nil, row.OldNone, hasOld); err != nil {
		return dst[:start], err
	}
	dst = append(dst, `,"after":`...)
	hasNew := ev == Create || ev == Update || ev == SnapshotRead
	if dst, err = e.image(dst, p, c.New, c.Old, c.OldKind, hasNew); err != nil {
		return dst[:start], err
	}
	dst = append(dst, `,"source":`...)
	dst = e.appendSource(dst, p, in)
	dst = append(dst, `,"transaction":null,"op":"`...)
	dst = append(dst, byte(ev), '"')
	dst = appendInt(dst, `,"ts_ms":`, in.NowNs/1_000_000)
	dst = appendInt(dst, `,"ts_us":`, in.NowNs/1000)
	dst = appendInt(dst, `,"ts_ns":`, in.NowNs)
	dst = append(dst, '}')
	if p.valueHead != nil {
		dst = append(dst, '}')
	}
	return dst, nil
}

// AppendKey appends the event's key: an object of the key columns, null for a
// table without a key and for a truncate.
func (e *Encoder) AppendKey(dst []byte, ev Event, c *row.Change, s *row.Schema) ([]byte, error) {
	p, start := e.planFor(s), len(dst)
	if !p.keyed || ev == Truncate {
		return append(dst, "null"...), nil
	}
	dst = append(dst, p.keyHead...)
	image, old, oldKind := c.New, c.Old, c.OldKind
	if ev == Delete {
		image, old, oldKind = c.Old, nil, row.OldNone
	}
	dst, err := e.row(dst, p, image, old, oldKind, true)
	if err != nil {
		return dst[:start], err
	}
	if p.keyHead != nil {
		dst = append(dst, '}')
	}
	return dst, nil
}

func (e *Encoder) image(dst []byte, p *plan, t, old row.Tuple, kind row.OldImage, there bool) ([]byte, error) {
	if !there {
		return append(dst, "null"...), nil
	}
	return e.row(dst, p, t, old, kind, false)
}

var errColumns = errors.New("the row has other columns than its schema")

// row appends an image as an object. A column that t leaves unchanged is taken from
// the old image where that has it.
func (e *Encoder) row(dst []byte, p *plan, t, old row.Tuple, kind row.OldImage, keyOnly bool) ([]byte, error) {
	it, was := t.Iter(), old.Iter()
	dst = append(dst, '{')
	n, written := 0, 0
	for ; it.Next(); n++ {
		if n == len(p.columns) {
			return dst, p.refuse("", errColumns)
		}
		c := &p.columns[n]
		state, v := it.State, it.Value
		if kind != row.OldNone && was.Next() && state == row.Unchanged && (kind == row.OldFull || c.key) {
			state, v = was.State, was.Value
		}
		if keyOnly && !c.key {
			continue
		}
		if written++; written > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, c.label...)
		switch state {
		case row.Null:
			dst = append(dst, "null"...)
		case row.Unchanged:
			dst = unavailable(dst, &c.encoding)
		default:
			var err error
			if dst, err = e.w.value(dst, &c.encoding, v); err != nil {
				return dst, p.refuse(p.schema.Columns[n].Name, err)
			}
		}
	}
	if it.Err() != nil || n != len(p.columns) {
		return dst, p.refuse("", errColumns)
	}
	return append(dst, '}'), nil
}

// refuse names the table, and the column, of a row that cannot be written.
func (p *plan) refuse(column string, cause error) error {
	return weirerr.New(weirerr.BadRow, "a row cannot be written as Debezium JSON").
		With("table", p.schema.FullName()).With("column", column).Wrap(cause).
		Hint("correct the value upstream, or leave the table out of the changefeed")
}
