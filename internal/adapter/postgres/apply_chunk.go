package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// How the rows of a snapshot chunk reach the target.
const (
	chunkCopy  = "copy"  // its key range is empty there, or the table has no key: plain COPY
	chunkMerge = "merge" // rows may be there: update those that differ, insert the others
)

// chunk is a snapshot chunk that has begun and is not complete. It is kept in
// the lane's position row, since it may take several commits.
//
// A merged chunk that reconciles leaves the keys it has brought in weir.seen; when
// it is complete, rows of its range with other keys are deleted.
type chunk struct {
	Table     row.TableID `json:"table"`
	Target    string      `json:"target"` // quoted
	Keys      []string    `json:"keys"`   // quoted target columns
	Casts     []string    `json:"casts"`
	Lo        []string    `json:"lo,omitempty"` // exclusive; empty: open
	Hi        []string    `json:"hi,omitempty"` // inclusive
	Mode      string      `json:"mode"`
	Reconcile bool        `json:"reconcile"`
}

// enterChunk completes the chunk that stands open unless c goes on with it, and
// begins c; nil is no chunk.
func (a *applier) enterChunk(ctx context.Context, c *chunkRef) error {
	if a.chunk != nil && a.chunk.is(c) {
		return nil
	}
	if err := a.completeChunk(ctx); err != nil || c == nil {
		return err
	}
	return a.beginChunk(ctx, c)
}

// enterAnew begins c, also where it goes on with the chunk that stands open.
func (a *applier) enterAnew(ctx context.Context, c *chunkRef) error {
	if err := a.settle(ctx); err != nil {
		return err
	}
	if err := a.completeChunk(ctx); err != nil {
		return err
	}
	return a.beginChunk(ctx, c)
}

func (k *chunk) is(c *chunkRef) bool {
	return c != nil && k.Table == c.shape.id && slices.Equal(k.Lo, boundValues(c.lo)) && slices.Equal(k.Hi, boundValues(c.hi))
}

// beginChunk looks what the target has in the chunk's range.
func (a *applier) beginChunk(ctx context.Context, c *chunkRef) error {
	b, err := a.bind(ctx, c.shape)
	if err != nil {
		return err
	}
	k := newChunk(c, b)
	if c.shape.keyless() {
		if a.cfg.Reconcile {
			if err := a.run(ctx, `DELETE FROM `+k.Target); err != nil {
				return a.failure(err)
			}
		}
		a.chunk = k
		return nil
	}
	var some, any bool
	err = a.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+k.Target+` AS t WHERE `+k.within(`t.`)+`), EXISTS (SELECT FROM `+k.Target+`)`).Scan(&some, &any)
	if err != nil {
		return a.failure(err)
	}
	if some {
		k.Mode, k.Reconcile = chunkMerge, a.cfg.Reconcile
	}
	if !any {
		a.vacant[k.Table] = true
	}
	a.chunk = k
	return nil
}

// newChunk is a chunk whose range is empty at the target.
func newChunk(c *chunkRef, b *binding) *chunk {
	k := &chunk{Table: c.shape.id, Target: b.table.sql(), Lo: boundValues(c.lo), Hi: boundValues(c.hi), Mode: chunkCopy}
	for _, i := range c.shape.keyCols {
		k.Keys, k.Casts = append(k.Keys, b.cols[i].name), append(k.Casts, b.cols[i].cast)
	}
	return k
}

// boundValues are the key values of a chunk's bound.
func boundValues(t row.Tuple) []string {
	var out []string
	for it := t.Iter(); len(t) > 0 && it.Next(); {
		out = append(out, string(it.Value))
	}
	return out
}

// within is the condition that a row with key columns after prefix lies in the
// range; the target compares.
func (k *chunk) within(prefix string) string {
	cols := make([]string, len(k.Keys))
	for i := range k.Keys {
		cols[i] = prefix + k.Keys[i]
	}
	return k.covers(cols)
}

func (k *chunk) covers(cols []string) string {
	left := `ROW(` + strings.Join(cols, ", ") + `)`
	cond := []string{`true`}
	if len(k.Lo) == len(k.Keys) {
		cond = append(cond, left+` > `+k.bound(k.Lo))
	}
	if len(k.Hi) == len(k.Keys) {
		cond = append(cond, left+` <= `+k.bound(k.Hi))
	}
	return strings.Join(cond, ` AND `)
}

func (k *chunk) bound(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = quoteLiteral(v) + `::` + k.Casts[i]
	}
	return `ROW(` + strings.Join(out, ", ") + `)`
}

// applyChunk writes rows of the open chunk.
func (a *applier) applyChunk(ctx context.Context, p *piece) error {
	if p.ops == nil || len(p.tables) == 0 {
		return nil
	}
	b := a.bound[p.chunk.shape]
	rows := p.images()
	for i := range rows {
		if a.chunk.Mode == chunkMerge {
			key, ok := p.keyOf(b.keys, p.ops[i].new, span{})
			if !ok {
				return a.noKey(p, &p.ops[i])
			}
			rows[i].key = key
		}
	}
	if a.chunk.Mode == chunkCopy {
		return a.copyIn(ctx, b.copyText(), newCopyReader(p, b, rows))
	}
	s, w := &setWriter{a: a, p: p}, &tableWork{b: b}
	if err := s.write(ctx, w, updateChanged, nil, rows); err != nil {
		return err
	}
	if err := s.write(ctx, w, insertMissing, nil, rows); err != nil {
		return err
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	return a.rememberChunk(ctx, p)
}

// rememberChunk notes the keys of a piece of a chunk that reconciles.
func (a *applier) rememberChunk(ctx context.Context, p *piece) error {
	if a.chunk == nil || !a.chunk.Reconcile || len(p.ops) == 0 {
		return nil
	}
	b := a.bound[p.chunk.shape]
	st := b.stmts[stmtKey{verb: rememberKeys}]
	if st == nil {
		st = &stmt{olds: b.keys}
		st.sql = `INSERT INTO weir.seen SELECT ` + a.laneSQL() + `, ARRAY[` + b.each(b.keys, ", ", st.oldAlias) + `]` + st.from()
		b.stmts[stmtKey{verb: rememberKeys}] = st
	}
	a.arrays.begin(st, len(b.cols))
	for i := range p.ops {
		key, ok := p.keyOf(b.keys, p.ops[i].new, span{})
		if !ok {
			return a.noKey(p, &p.ops[i])
		}
		a.arrays.key(p.bytes(key))
	}
	batch := a.batch()
	if err := batch.add(ctx, st); err != nil {
		return a.failure(err)
	}
	if err := batch.run(ctx); err != nil {
		return a.failure(err)
	}
	return nil
}

// completeChunk ends the open chunk: of one that reconciles, rows it has not
// brought are deleted.
func (a *applier) completeChunk(ctx context.Context) error {
	k := a.chunk
	if k == nil {
		return nil
	}
	a.chunk = nil
	if !k.Reconcile {
		return nil
	}
	lane := `(v.cluster, v.changefeed, v.incarnation, v.lane) = (` + a.laneSQL() + `)`
	keys, match := make([]string, len(k.Keys)), make([]string, len(k.Keys))
	for i := range k.Keys {
		keys[i] = fmt.Sprintf(`v.key[%d]::%s`, i+1, k.Casts[i])
		match[i] = `t.` + k.Keys[i] + ` = ` + keys[i]
	}
	// Otherwise rows of other chunks lie in the range, and would be lost.
	var outside bool
	if err := a.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM weir.seen v WHERE `+lane+` AND NOT (`+k.covers(keys)+`))`).Scan(&outside); err != nil {
		return a.failure(err)
	}
	if outside {
		return weirerr.New(weirerr.TargetConflict, "the target orders keys otherwise than the source, so a chunk cannot replace its range").
			With("changefeed", a.lane.Changefeed).With("table", k.Target).
			Hint("give the key columns at the target the source's collation, or empty the table and resync")
	}
	for _, sql := range []string{
		`DELETE FROM ` + k.Target + ` AS t WHERE ` + k.within(`t.`) +
			` AND NOT EXISTS (SELECT FROM weir.seen v WHERE ` + lane + ` AND ` + strings.Join(match, ` AND `) + `)`,
		`DELETE FROM weir.seen v WHERE ` + lane,
	} {
		if err := a.run(ctx, sql); err != nil {
			return a.failure(err)
		}
	}
	return nil
}
