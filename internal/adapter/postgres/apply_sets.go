package postgres

import (
	"context"
)

// setWriter collects the statements of one piece and sends them in as few round
// trips as it takes: in none when it writes to a pipe.
type setWriter struct {
	a     *applier
	p     *piece
	pipe  *pipe // nil: wait for answers
	batch *batch
	// checks are updates that must have found all their rows.
	checks []check
}

type check struct {
	at   int // index in batch
	w    *tableWork
	mask []byte
	rows []ref
}

func (s *setWriter) open() *batch {
	if s.batch == nil {
		s.batch = s.a.batch()
	}
	return s.batch
}

// write adds a statement for rows.
func (s *setWriter) write(ctx context.Context, w *tableWork, v verb, mask []byte, rows []ref) error {
	st := w.b.statement(v, mask)
	if st == nil || len(rows) == 0 {
		return nil
	}
	s.a.arrays.begin(st, len(w.b.cols))
	for _, r := range rows {
		if len(st.olds) > 0 {
			s.a.arrays.key(s.p.bytes(r.key))
		}
		if len(st.news) > 0 {
			s.a.arrays.image(s.p.tuple(r.image))
		}
	}
	if s.pipe != nil {
		s.a.prepareAhead(st)
		s.pipe.exec(st.name, s.a.arrays.finish(st), binaryFormat)
		return nil
	}
	return s.open().add(ctx, st)
}

// deletes removes rows by key.
func (s *setWriter) deletes(ctx context.Context, w *tableWork) error {
	return s.write(ctx, w, deleteRows, nil, w.out.deletes)
}

// upserts changes and adds rows.
func (s *setWriter) upserts(ctx context.Context, w *tableWork) error {
	for _, part := range []struct {
		verb, ahead verb
		groups      []group
	}{{updateRows, updateAll, w.out.updates}, {moveRows, moveAll, w.out.moves}} {
		if s.pipe != nil { // nobody is there to count: the server does
			part.verb = part.ahead
		}
		for _, g := range part.groups {
			before := s.count()
			if err := s.write(ctx, w, part.verb, g.mask, g.rows); err != nil {
				return err
			}
			if s.count() > before {
				s.checks = append(s.checks, check{s.count() - 1, w, g.mask, g.rows})
			}
		}
	}
	if err := s.inserts(ctx, w, w.out.inserts); err != nil {
		return err
	}
	return s.inTurn(ctx, w)
}

func (s *setWriter) count() int {
	if s.batch == nil {
		return 0
	}
	return s.batch.n
}

// inserts adds rows: many by COPY, few with the other statements.
func (s *setWriter) inserts(ctx context.Context, w *tableWork, rows []ref) error {
	if len(rows) < copyFrom {
		return s.write(ctx, w, insertRows, nil, rows)
	}
	if s.pipe != nil {
		s.pipe.copyIn(w.b.copyText(), newCopyReader(s.p, w.b, rows))
		return nil
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	return s.a.copyIn(ctx, w.b.copyText(), newCopyReader(s.p, w.b, rows))
}

// inTurn applies the changes of a keyless table in their order, runs of inserts
// together.
func (s *setWriter) inTurn(ctx context.Context, w *tableWork) error {
	var run []ref
	for i := range w.inTurn {
		o := &w.inTurn[i]
		if isInsert(o) {
			run = append(run, ref{image: o.new})
			continue
		}
		if err := s.inserts(ctx, w, run); err != nil {
			return err
		}
		run = run[:0]
		if err := s.one(ctx, w.b, o); err != nil {
			return err
		}
	}
	return s.inserts(ctx, w, run)
}

// one changes one row of a keyless table.
func (s *setWriter) one(ctx context.Context, b *binding, o *op) error {
	st, err := s.a.one(b, s.p, o)
	if err != nil {
		return err
	}
	return s.open().add(ctx, st)
}

// flush sends what is collected, and brings rows that updates have not found: the
// target did not have them, because the feed began without a snapshot.
func (s *setWriter) flush(ctx context.Context) error {
	if s.batch == nil {
		return nil
	}
	b, checks := s.batch, s.checks
	s.batch, s.checks = nil, nil
	if err := b.run(ctx); err != nil {
		return err
	}
	for _, c := range checks {
		if b.affected[c.at] >= int64(len(c.rows)) {
			continue
		}
		if len(c.mask) > 0 {
			return errInTurn // which names the row
		}
		if err := s.write(ctx, c.w, insertMissing, nil, c.rows); err != nil {
			return err
		}
	}
	if s.batch != nil {
		return s.flush(ctx)
	}
	return nil
}
