package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/weirstream/weir/internal/feed"
)

// state is what an applier believes of its transaction. Sent ahead, it says how
// things will be; after a failure it goes back to how they were.
type state struct {
	inTx   bool
	saved  bool // a savepoint stands before the current piece
	chunk  *chunk
	pos    feed.Position
	placed bool // the target has pos
}

// commit is a commit to make, and whom to tell.
type commit struct {
	pos  feed.Position
	done func(error)
}

// careful is how many pieces are applied one answer at a time after the target
// has refused one; each further refusal doubles it, up to mostCareful.
const careful, mostCareful = 8, 1024

// mayGoAhead tells whether a piece can be sent without a question to the target.
func (a *applier) mayGoAhead(p *piece) bool {
	if a.careful > 0 {
		a.careful--
		return false
	}
	if a.cfg.Merge == MergeNone || len(a.truncate.tables) > 0 || !a.replica && len(p.tables) > 1 && a.refs == nil {
		return false
	}
	for _, t := range p.tables {
		if a.bound[t.shape] == nil || t.shape.keyless() && t.others > 0 {
			return false
		}
	}
	if p.chunk == nil {
		return a.chunkEndsAlone()
	}
	return a.chunk != nil && a.chunk.is(p.chunk) && a.chunk.Mode == chunkCopy
}

// chunkEndsAlone tells whether the open chunk, if any, leaves nothing to do at its end.
func (a *applier) chunkEndsAlone() bool { return a.chunk == nil || !a.chunk.Reconcile }

// pieceAhead sends a piece. It is false when its changes cannot be netted.
func (a *applier) pieceAhead(ctx context.Context, p *piece) (sent bool, err error) {
	works, netting := []*tableWork(nil), true
	if p.chunk == nil {
		if works, netting = a.netPiece(p); !netting {
			return false, nil
		}
	}
	f := &flight{before: a.state, piece: p}
	if p.chunk == nil {
		a.chunk = nil
	}
	a.beginPiece()
	a.preAhead()
	if p.chunk != nil {
		b := a.bound[p.chunk.shape]
		a.pipe.copyIn(b.copyText(), newCopyReader(p, b, p.images()))
		return true, a.pipe.send(f)
	}
	if err := a.applyWorks(ctx, &setWriter{a: a, p: p, pipe: a.pipe}, works); err != nil {
		a.pipe.breakOff(err)
	}
	return true, a.pipe.send(f)
}

// beginAhead begins a chunk, if it needs no look at the target: a table without a
// key takes any rows, and one that this session has found empty holds only what
// the session has brought. If that is wrong the rows are replayed.
func (a *applier) beginAhead(c *chunkRef) bool {
	b := a.bound[c.shape]
	if a.careful > 0 || a.cfg.Reconcile || b == nil || len(a.truncate.tables) > 0 || !a.chunkEndsAlone() {
		return false
	}
	if !c.shape.keyless() && !a.vacant[c.shape.id] {
		return false
	}
	a.chunk = newChunk(c, b)
	return true
}

// mayCommitAhead tells whether a commit can be sent without a question.
func (a *applier) mayCommitAhead() bool { return len(a.truncate.tables) == 0 && a.chunkEndsAlone() }

// commitAhead sends a commit. It is false when nothing has been sent.
func (a *applier) commitAhead(c commit) (sent bool, err error) {
	f := &flight{before: a.state, commit: true, then: c}
	if c.pos.Offset == 0 {
		a.chunk = nil
	}
	params, err := a.positionParams(c.pos)
	if err != nil {
		return false, err
	}
	a.begin()
	f.cas = len(a.pre)
	a.preAhead()
	if a.cas == nil {
		a.cas = &stmt{sql: a.advance()}
	}
	a.prepareAhead(a.cas)
	a.pipe.exec(a.cas.name, params, nil)
	a.pipe.plain(`COMMIT`)
	a.committed(c.pos)
	return true, a.pipe.send(f)
}

// committed notes that the transaction is over, or will be.
func (a *applier) committed(pos feed.Position) {
	a.inTx, a.saved = false, false
	clear(a.created)
	a.pos, a.placed, a.written = pos, true, time.Now()
}

// preAhead sends what waits in pre.
func (a *applier) preAhead() {
	for _, sql := range a.pre {
		a.pipe.plain(sql)
	}
	a.pre = a.pre[:0]
}

// prepareAhead gives the statement a name in this session.
func (a *applier) prepareAhead(s *stmt) {
	if s.name != "" {
		return
	}
	name, ok := a.stmts[s.sql]
	if !ok {
		name = "weir" + strconv.Itoa(len(a.stmts))
		a.pipe.parse(name, s.sql)
		a.stmts[s.sql] = name
	}
	s.name = name
}

// retreat goes back to before a flight that has failed, if the plain way may
// bring it through; else it is the error.
func (a *applier) retreat(ctx context.Context, f *flight) error {
	if f.lost && a.pipe.fate != nil {
		f.err = a.pipe.fate
	}
	switch {
	case f.commit && !f.lost && f.answered == f.cas && sqlState(f.err) == "22012": // see advance
		return a.fenced()
	case f.commit:
		return a.commitError(f.err)
	case f.lost, !refused(f.err) && sqlState(f.err) != "0A000":
		return a.failure(f.err)
	}
	a.log.Debug("piece is applied again, one answer at a time", "changes", len(f.piece.ops), "why", f.err)
	a.state, a.pre = f.before, a.pre[:0]
	a.lapses = min(a.lapses+1, 7)
	a.careful = min(careful<<(a.lapses-1), mostCareful)
	clear(a.vacant)
	back := `ROLLBACK`
	if a.inTx {
		back, a.saved = `ROLLBACK TO SAVEPOINT weir`, true
	}
	if _, err := a.conn.Exec(ctx, back); err != nil {
		return a.failed(err, "cannot roll back")
	}
	// Which of the statements named on the way exist is not known.
	a.forgetStatements()
	_, err := a.conn.Exec(ctx, `DEALLOCATE ALL`)
	return a.failed(err, "cannot forget statements")
}

// forgetStatements drops the names of prepared statements.
func (a *applier) forgetStatements() {
	clear(a.stmts)
	a.cas = nil
	for _, b := range a.bound {
		for _, s := range b.stmts {
			if s != nil {
				s.name = ""
			}
		}
	}
}
