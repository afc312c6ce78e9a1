package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// copyFrom is how many rows are worth a COPY, which takes a round trip of its own.
const copyFrom = 64

// tableWork is what a piece does to one table.
type tableWork struct {
	b      *binding
	shape  *shape
	net    netter
	out    netted
	inTurn []op // changes of a keyless table that are not all inserts
	rank   int  // parents before children
	parent bool // others refer to it
}

// apply applies a piece: set by set if it can, change by change if it must.
func (a *applier) apply(ctx context.Context, p *piece) error {
	if err := a.settle(ctx); err != nil {
		return err
	}
	if err := a.enterChunk(ctx, p.chunk); err != nil {
		return err
	}
	for _, t := range p.tables {
		if _, err := a.bind(ctx, t.shape); err != nil {
			return err
		}
	}
	err := a.applySets(ctx, p)
	if err == nil {
		return nil
	}
	if !errors.Is(err, errInTurn) && !refused(err) {
		return a.failure(err)
	}
	a.replays++
	a.log.Debug("batch is replayed change by change", "changes", len(p.ops), "why", err)
	if err := a.undoPiece(ctx); err != nil {
		return err
	}
	return a.applyInTurn(ctx, p, true)
}

// errInTurn says that a piece's changes must be applied one by one.
var errInTurn = errors.New("postgres: apply in turn")

// applySets applies a piece in as few statements as it takes.
func (a *applier) applySets(ctx context.Context, p *piece) error {
	if p.chunk != nil {
		a.beginPiece()
		return a.applyChunk(ctx, p)
	}
	if a.cfg.Merge == MergeNone {
		a.beginPiece()
		return a.applyInTurn(ctx, p, false)
	}
	works, netting := a.netPiece(p)
	a.beginPiece()
	if !netting {
		return errInTurn
	}
	s := &setWriter{a: a, p: p}
	if err := a.applyWorks(ctx, s, works); err != nil {
		return err
	}
	return s.flush(ctx)
}

// applyWorks writes what the tables' changes come down to: children go first,
// parents come first.
func (a *applier) applyWorks(ctx context.Context, s *setWriter, works []*tableWork) error {
	if err := a.rank(ctx, works); err != nil {
		return err
	}
	for _, w := range slices.Backward(works) {
		if !w.parent {
			if err := s.deletes(ctx, w); err != nil {
				return err
			}
		}
	}
	for _, w := range works {
		if err := s.upserts(ctx, w); err != nil {
			return err
		}
	}
	for _, w := range slices.Backward(works) {
		if w.parent {
			if err := s.deletes(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// netPiece nets each table's changes. It is false when one cannot be netted.
func (a *applier) netPiece(p *piece) ([]*tableWork, bool) {
	for len(a.works) < len(p.tables) {
		a.works = append(a.works, &tableWork{})
	}
	works := slices.Clone(a.works[:len(p.tables)])
	for i, t := range p.tables {
		w := works[i]
		w.b, w.shape, w.rank, w.parent = a.bound[t.shape], t.shape, 0, false
		w.out.reset()
		w.inTurn = w.inTurn[:0]
		if t.others > 0 && !t.shape.keyless() {
			w.net.reset(p, t.shape.keyCols, t.inserts+t.others)
		}
	}
	for i := range p.ops {
		o := &p.ops[i]
		t, w := p.tables[o.table], works[o.table]
		switch {
		case t.others == 0:
			w.out.inserts = append(w.out.inserts, ref{image: o.new})
		case t.shape.keyless():
			w.inTurn = append(w.inTurn, *o)
		case !w.net.apply(o):
			return works, false
		}
	}
	for i, t := range p.tables {
		if t.others > 0 && !t.shape.keyless() && !works[i].net.collect(&works[i].out) {
			return works, false
		}
	}
	return works, true
}

// rank orders tables so that foreign keys hold, where the target checks them.
func (a *applier) rank(ctx context.Context, works []*tableWork) error {
	if a.replica || len(works) < 2 {
		return nil
	}
	if a.refs == nil {
		refs, err := foreignKeys(ctx, a.conn)
		if err != nil {
			return err
		}
		a.refs = refs
	}
	byOID := map[uint32]*tableWork{}
	for _, w := range works {
		byOID[w.b.table.oid] = w
	}
	// A table ranks above all it refers to; a cycle ends after as many rounds as tables.
	for range works {
		for _, w := range works {
			for _, oid := range a.refs[w.b.table.oid] {
				if parent := byOID[oid]; parent != nil {
					parent.parent = true
					w.rank = max(w.rank, parent.rank+1)
				}
			}
		}
	}
	slices.SortStableFunc(works, func(x, y *tableWork) int { return cmp.Compare(x.rank, y.rank) })
	return nil
}

// bind connects a shape with its table at the target, which may have to be made.
func (a *applier) bind(ctx context.Context, s *shape) (*binding, error) {
	if b := a.bound[s]; b != nil {
		return b, nil
	}
	latest := a.newest[s.id]
	if latest == nil || latest.Version < s.Version {
		a.newest[s.id], latest = s, s
	}
	t, err := a.ensureTable(ctx, latest)
	if err != nil {
		return nil, err
	}
	b, err := bind(s, latest, t, a.cfg.SchemaPolicy == PolicyIgnore)
	if err != nil {
		return nil, err
	}
	a.bound[s] = b
	return b, nil
}

// failure is the error of a piece that is not about a row.
func (a *applier) failure(err error) error {
	switch sqlState(err) {
	case "42P01", "42703", "3F000": // table, column, schema gone
		return a.refusal(weirerr.TargetMissing, "the target lacks a table or column", err)
	case "25006": // read only
		return target.wrap(err, "the target is read only")
	}
	return a.failed(err, "cannot write to the target")
}

// isInsert tells a change that brings a row.
func isInsert(o *op) bool { return o.kind == row.Insert || o.kind == row.Read }
