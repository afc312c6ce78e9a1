package fourways

import (
	"errors"
	"fmt"

	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

// selects is way 1.
func (w *way) selects() error {
	for i := range w.steps {
		st := &w.steps[i]
		if st.kind != query {
			if err := w.statement(st); err != nil {
				return err
			}
			continue
		}
		if err := w.settle(); err != nil {
			return err
		}
		want, asked := w.ask(&w.oracle, st.oracle)
		got, answered := w.ask(&w.peer, st.peer)
		if asked && answered {
			w.rep.Compared++
			if reason := sameColumns(want.Columns, got.Columns); reason != "" && st.oracle == st.peer {
				w.fault(st.peer, reason)
			}
			if reason := sameRows(want.Rows, got.Rows, st.peer.Query.Order); reason != "" {
				w.fault(st.peer, reason)
			}
		}
		if err := w.lost(st.either()); err != nil {
			return err
		}
	}
	return nil
}

// ask runs a query and checks it against the script; false without rows.
func (w *way) ask(s *side, r *script.Record) (result play.Result, ok bool) {
	if r == nil {
		return result, false
	}
	result, err := s.exec(w.ctx, r.SQL())
	if reason := play.CheckShape(r.Query, result, err); reason != "" {
		w.fault(r, s.Label+": "+reason)
	}
	if err != nil {
		return result, false
	}
	if r.Query.Want != nil && !result.Rows.Matches(r.Query.Want, r.Query.Order) {
		w.fault(r, s.Label+" does not give what the script expects")
	}
	return result, true
}

// statement executes a step that is no query on both servers.
func (w *way) statement(st *step) error {
	w.dirty = true
	for _, at := range []struct {
		side *side
		r    *script.Record
	}{{&w.oracle, st.oracle}, {&w.peer, st.peer}} {
		if at.r == nil {
			continue
		}
		result, err := at.side.exec(w.ctx, at.r.SQL())
		if reason := play.CheckStatement(at.r.Statement, result, err); reason != "" {
			if at.side == &w.oracle {
				return fmt.Errorf("%w", play.Fault{Record: at.r, Reason: reason})
			}
			w.fault(at.r, reason)
		}
	}
	return w.lost(st.either())
}

func (st *step) either() *script.Record {
	if st.oracle != nil {
		return st.oracle
	}
	return st.peer
}

// views is way 2, or way 3 unless before, and then way 4.
func (w *way) views(before bool) error {
	if before {
		if err := w.define(); err != nil {
			return err
		}
	}
	for i := range w.steps {
		st := &w.steps[i]
		switch {
		case st.kind == definition && before:
			continue
		case st.kind != query:
			if err := w.statement(st); err != nil {
				return err
			}
			continue
		case st.view != "" && !before:
			w.makeView(st)
		}
		if err := errors.Join(w.compare(st, "where the query stands"), w.lost(st.either())); err != nil {
			return err
		}
	}
	return w.churn()
}

// define executes all definitions and makes a view of each query, before any
// change.
func (w *way) define() error {
	for i := range w.steps {
		st := &w.steps[i]
		switch st.kind {
		case definition, session:
			if err := w.statement(st); err != nil {
				return err
			}
		case query:
			w.makeView(st)
			if err := w.lost(st.either()); err != nil {
				return err
			}
		case change:
		}
	}
	return nil
}

func (w *way) makeView(st *step) {
	if st.view == "" {
		return
	}
	if _, err := w.peer.exec(w.ctx, createView(st.view, st.peer.Query)); err != nil {
		w.fault(st.peer, "as a view: "+err.Error())
		return
	}
	w.made[st.view], w.dirty = true, true
}

// compare compares a query's view with the oracle's answer. A query that fails on
// the oracle at this moment says nothing about the view.
func (w *way) compare(st *step, when string) error {
	if !w.made[st.view] {
		return nil
	}
	if err := w.settle(); err != nil {
		return err
	}
	want, err := w.oracle.exec(w.ctx, st.oracle.SQL())
	if err != nil {
		return w.lost(st.oracle)
	}
	got, err := w.peer.exec(w.ctx, "SELECT * FROM "+st.view)
	w.rep.Compared++
	if err != nil {
		w.fault(st.peer, when+": "+err.Error())
		return w.lost(st.peer)
	}
	if reason := sameRows(want.Rows, got.Rows, script.RowSort); reason != "" {
		w.fault(st.peer, when+": "+reason)
	}
	return nil
}

// compareAll compares every view, each under the settings of its place.
func (w *way) compareAll(when string) error {
	for i := range w.steps {
		st := &w.steps[i]
		var err error
		switch st.kind {
		case session:
			err = w.statement(st)
		case query:
			err = w.compare(st, when)
		case definition, change:
		}
		if err != nil {
			return err
		}
	}
	return nil
}
