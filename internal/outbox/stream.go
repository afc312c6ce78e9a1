package outbox

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/zset"
)

// forgetEvery is how often what is durable in the log is removed from the outbox, at most.
const forgetEvery = time.Second

// Stream implements capture.Upstream: every committed epoch with changes is a transaction.
func (u *Upstream) Stream(ctx context.Context, from []byte, h capture.Handler) error {
	at, err := epochAt(from)
	if err != nil {
		return err
	}
	p := &publisher{h: h}
	var forgotten time.Time
	for {
		upTo, err := u.db.Left(at, p.block)
		if err == nil {
			err = p.end()
		}
		if err == nil {
			err = h.Alive(position(upTo))
		}
		if err != nil {
			return err
		}
		if time.Since(forgotten) >= forgetEvery {
			durable, err := epochAt(h.Durable())
			if err != nil {
				return err
			}
			if err := u.db.ForgetLeft(durable); err != nil {
				return err
			}
			forgotten = time.Now()
		}
		if _, err := u.db.Shown(ctx, upTo+1); err != nil {
			return err
		}
		at = upTo
	}
}

// publisher makes transactions of what the outbox has: blocks by epoch, then by relation,
// in each of which rows that have gone come before those that have come.
type publisher struct {
	h     capture.Handler
	epoch ts.Ts // whose transaction is open; 0: none
	rel   *relation
	buf   []byte
}

// relation is one whose changes in one epoch are at hand. Rows that have gone come first.
type relation struct {
	*encoder
	old   map[string]gone
	order []string // their keys
}

// gone is a row that has gone, and may come back as another one.
type gone struct {
	tuple row.Tuple
	n     int64 // how often
}

// pairs is how many rows wait for the one that takes their place. Those beyond it are
// deleted, and what comes in their place is inserted.
const pairs = 1 << 16

// block takes a block of rows.
func (p *publisher) block(epoch ts.Ts, rel *catalog.Relation, c *zset.Chunk) error {
	if p.epoch != epoch {
		if err := p.end(); err != nil {
			return err
		}
		p.epoch = epoch
	}
	if p.rel == nil || p.rel.rel.ID != rel.ID {
		if err := p.endRelation(); err != nil {
			return err
		}
		if err := p.begin(rel); err != nil {
			return err
		}
	}
	for i := range c.N {
		p.row(c, i)
		if err := p.give(false); err != nil {
			return err
		}
	}
	return nil
}

// begin announces the relation's shape, when the stream has not had it.
func (p *publisher) begin(rel *catalog.Relation) error {
	shape := shapeOf(rel)
	version, current, err := p.h.Register(shape)
	if err != nil {
		return err
	}
	if !current {
		shape.Version = version
		text, err := json.Marshal(shape)
		if err != nil {
			return err
		}
		p.buf = row.AppendChange(p.buf, &row.Change{Op: row.SchemaChange, Table: shape.Table, Version: version, Schema: text})
	}
	p.rel = &relation{encoder: newEncoder(rel, version), old: map[string]gone{}}
	return nil
}

// row takes a row. One of a relation without a key only makes up for its like.
func (p *publisher) row(c *zset.Chunk, i int) {
	r := p.rel
	tuple, n := r.row(c, i), c.Weight(i)
	id := string(tuple)
	if r.keyed {
		id = string(r.key(nil, c, i))
	}
	old, waits := r.old[id]
	switch {
	case n < 0 && !waits && len(r.order) == pairs:
		p.buf = r.went(p.buf, tuple, -n)
	case n < 0:
		if !waits {
			r.order = append(r.order, id)
		}
		r.old[id] = gone{slices.Clone(tuple), old.n - n}
	case r.keyed && old.n > 0:
		p.buf = r.became(p.buf, old.tuple, tuple)
		r.old[id] = gone{}
	default:
		same := min(n, old.n)
		if same > 0 {
			r.old[id] = gone{old.tuple, old.n - same}
		}
		p.buf = r.came(p.buf, row.Insert, tuple, n-same)
	}
}

// endRelation deletes what nothing has taken the place of.
func (p *publisher) endRelation() error {
	r := p.rel
	p.rel = nil
	if r == nil {
		return nil
	}
	for _, id := range r.order {
		p.buf = r.went(p.buf, r.old[id].tuple, r.old[id].n)
		if err := p.give(false); err != nil {
			return err
		}
	}
	return nil
}

// pieceBytes is how much is handed to the log at a time.
const pieceBytes = 64 << 10

// give hands changes over when there are enough of them, or all.
func (p *publisher) give(all bool) error {
	if len(p.buf) == 0 || !all && len(p.buf) < pieceBytes {
		return nil
	}
	for piece := range slices.Chunk(p.buf, wal.MaxChanges) {
		if err := p.h.Changes(uint64(p.epoch), uint64(p.epoch), piece); err != nil {
			return err
		}
	}
	p.buf = p.buf[:0]
	return nil
}

// end commits the transaction that is open.
func (p *publisher) end() error {
	if p.epoch == 0 {
		return nil
	}
	err := p.endRelation()
	if err == nil {
		err = p.give(true)
	}
	if err == nil {
		err = p.h.Commit(uint64(p.epoch), position(p.epoch), p.epoch.Time().UnixMicro())
	}
	p.epoch = 0
	return err
}
