package postgres

import (
	"context"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// turnBatch is how many changes go in one round trip when they go one by one.
const turnBatch = 256

// turnWriter applies a piece's changes in their order. With upsert set it brings
// every row to its new state whatever the target has: an insert that meets a row
// updates it, an update that finds none inserts.
type turnWriter struct {
	a      *applier
	p      *piece
	upsert bool
	batch  *batch
	of     []int // op of each statement of batch
	must   []int // statements that must affect a row
}

func (a *applier) applyInTurn(ctx context.Context, p *piece, upsert bool) error {
	t := &turnWriter{a: a, p: p, upsert: upsert}
	for from := 0; from < len(p.ops); from += turnBatch {
		if err := t.some(ctx, from, min(from+turnBatch, len(p.ops))); err != nil {
			return err
		}
	}
	if p.chunk != nil {
		return a.rememberChunk(ctx, p)
	}
	return nil
}

// some applies p.ops[from:to] in one round trip.
func (t *turnWriter) some(ctx context.Context, from, to int) error {
	t.batch, t.of, t.must = t.a.batch(), t.of[:0], t.must[:0]
	for range t.batch.n {
		t.of = append(t.of, -1)
	}
	for i := from; i < to; i++ {
		if err := t.change(ctx, i); err != nil {
			return err
		}
	}
	err := t.batch.run(ctx)
	if err != nil {
		if at := t.batch.failedAt; refused(err) && t.upsert && at < len(t.of) && t.of[at] >= 0 {
			return t.a.badRow(ctx, t.p, &t.p.ops[t.of[at]], err)
		}
		return t.a.orRefused(err, t.upsert)
	}
	for _, at := range t.must {
		if t.batch.affected[at] == 0 {
			if !t.upsert {
				return errInTurn
			}
			return t.a.missingRow(t.p, &t.p.ops[t.of[at]])
		}
	}
	return nil
}

// orRefused leaves an error that a replay may resolve as it is.
func (a *applier) orRefused(err error, final bool) error {
	if refused(err) && !final {
		return err
	}
	return a.failure(err)
}

// change adds the statements of one change.
func (t *turnWriter) change(ctx context.Context, i int) error {
	o := &t.p.ops[i]
	s := t.p.tables[o.table].shape
	b := t.a.bound[s]
	if s.keyless() {
		if isInsert(o) {
			return t.add(ctx, i, b, insertRows, nil, ref{image: o.new})
		}
		st, err := t.a.one(b, t.p, o)
		if err != nil {
			return err
		}
		t.of = append(t.of, i)
		return t.batch.add(ctx, st)
	}
	if o.kind == row.Delete {
		key, ok := t.p.keyOf(s.keyCols, o.old, span{})
		if !ok {
			return t.a.noKey(t.p, o)
		}
		return t.add(ctx, i, b, deleteRows, nil, ref{key: key})
	}
	key, ok := t.p.keyOf(s.keyCols, o.new, o.old)
	if !ok {
		return t.a.noKey(t.p, o)
	}
	if isInsert(o) {
		if !t.upsert {
			return t.add(ctx, i, b, insertRows, nil, ref{image: o.new})
		}
		return t.put(ctx, i, b, ref{image: o.new, key: key})
	}
	before := key
	if o.oldKind != row.OldNone {
		if before, ok = t.p.keyOf(s.keyCols, o.old, span{}); !ok {
			return t.a.noKey(t.p, o)
		}
	}
	return t.update(ctx, i, b, before, key)
}

func (t *turnWriter) update(ctx context.Context, i int, b *binding, before, key span) error {
	o := &t.p.ops[i]
	mask := t.p.mask(o.new, nil)
	moved := string(t.p.bytes(before)) != string(t.p.bytes(key))
	verb := updateRows
	if moved {
		verb = moveRows
	}
	if !t.upsert || len(mask) > 0 {
		if err := t.add(ctx, i, b, verb, mask, ref{image: o.new, key: before}); err != nil {
			return err
		}
		if len(t.of) > 0 && t.of[len(t.of)-1] == i {
			t.must = append(t.must, len(t.of)-1)
		}
		return nil
	}
	if moved {
		if err := t.add(ctx, i, b, moveFree, nil, ref{image: o.new, key: before}); err != nil {
			return err
		}
		if err := t.add(ctx, i, b, deleteRows, nil, ref{key: before}); err != nil {
			return err
		}
	}
	return t.put(ctx, i, b, ref{image: o.new, key: key})
}

// put brings a whole row whether or not the target has it.
func (t *turnWriter) put(ctx context.Context, i int, b *binding, r ref) error {
	if err := t.add(ctx, i, b, updateRows, nil, r); err != nil {
		return err
	}
	return t.add(ctx, i, b, insertMissing, nil, r)
}

func (t *turnWriter) add(ctx context.Context, i int, b *binding, v verb, mask []byte, r ref) error {
	st := b.statement(v, mask)
	if st == nil {
		return nil
	}
	t.a.arrays.begin(st, len(b.cols))
	if len(st.olds) > 0 {
		t.a.arrays.key(t.p.bytes(r.key))
	}
	if len(st.news) > 0 {
		t.a.arrays.image(t.p.tuple(r.image))
	}
	t.of = append(t.of, i)
	return t.batch.add(ctx, st)
}

// one prepares a change of one row of a keyless table, with its parameters in
// a.arrays.
func (a *applier) one(b *binding, p *piece, o *op) (*stmt, error) {
	if o.oldKind != row.OldFull {
		return nil, weirerr.New(weirerr.BadRow, "a table without a key takes updates and deletes only with REPLICA IDENTITY FULL").
			With("table", b.table.namespace+"."+b.table.name).
			Hint("give the table a primary key or REPLICA IDENTITY FULL upstream, and resync")
	}
	v := deleteOne
	if o.kind == row.Update {
		v = updateOne
	}
	st := b.statement(v, nil)
	a.arrays.begin(st, len(b.cols))
	a.arrays.old(st, p.tuple(o.old))
	if o.kind == row.Update {
		image := o.new
		if p.partial(image) {
			image = p.fill(image, o.old)
		}
		a.arrays.image(p.tuple(image))
	}
	return st, nil
}
