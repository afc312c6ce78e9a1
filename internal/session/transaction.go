package session

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// transaction is the one that is open: explicit from BEGIN to its end, else the implicit
// one of the statements up to the next Sync.
type transaction struct {
	explicit, failed bool
	now              datum.Timestamp // when it began; 0: it has not
	txn              *database.Txn   // nil: nothing was written
	locked           map[catalog.ID]bool
	writes           int // changes so far
	points           []savepoint
	saved            *saved // settings to go back to
}

// savepoint is a place to go back to, as long as nothing was written since.
type savepoint struct {
	name   string
	writes int
}

// enter notes when the transaction began.
func (t *transaction) enter(now time.Time) {
	if t.now == 0 {
		t.now = moment(now)
	}
}

// now is the time of the transaction.
func (s *Session) now() datum.Timestamp {
	if s.tx.now != 0 {
		return s.tx.now
	}
	return moment(s.o.o.Now())
}

// allowed refuses everything but the end in a failed transaction.
func (s *Session) allowed(st sql.Statement) error {
	if !s.tx.failed {
		return nil
	}
	switch x := st.(type) {
	case *sql.Commit, *sql.Rollback:
		return nil
	case *sql.Savepoint:
		if x.Action == "rollback" {
			return nil
		}
	}
	return fail(sql.InFailedTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}

// Sync implements pgwire.Session.
func (s *Session) Sync(ctx context.Context) error {
	if s.tx.explicit {
		return nil
	}
	return s.commit(ctx)
}

// Fail implements pgwire.Session.
func (s *Session) Fail() {
	explicit, saved, points := s.tx.explicit, s.tx.saved, s.tx.points
	if !explicit {
		s.rollback()
		return
	}
	s.closePortals(true)
	if s.tx.txn != nil && !s.canGoBack(points) { // it can only end: let others write
		s.tx.txn.Rollback()
		s.tx.txn = nil
	}
	s.tx.failed, s.tx.saved = true, saved
	s.does("")
}

// canGoBack tells whether a savepoint keeps the transaction's writes alive.
func (s *Session) canGoBack(points []savepoint) bool {
	return len(points) > 0 && points[len(points)-1].writes == s.tx.writes
}

// commit ends the transaction and makes its writes durable.
func (s *Session) commit(ctx context.Context) error {
	if err := s.keepHeld(ctx); err != nil {
		s.rollback()
		return err
	}
	s.closePortals(false)
	t := s.tx
	s.tx = transaction{}
	if len(s.settings.local) > 0 {
		s.changeSettings(func() { clear(s.settings.local) })
	}
	if t.txn == nil {
		return nil
	}
	at, err := t.txn.Commit(ctx)
	if err != nil {
		s.restore(t.saved)
		return reason(ctx, err)
	}
	s.wrote = max(s.wrote, at)
	return nil
}

// rollback ends the transaction and undoes it, settings too.
func (s *Session) rollback() {
	s.closePortals(true)
	if s.tx.txn != nil {
		s.tx.txn.Rollback()
	}
	s.restore(s.tx.saved)
	s.tx = transaction{}
}

// restore goes back to the settings of the transaction's beginning.
func (s *Session) restore(to *saved) {
	if to != nil { // nothing has changed without it
		s.changeSettings(func() { s.settings.restore(*to) })
	}
}

// closePortals ends what belongs to the transaction: with undone also cursors WITH HOLD
// that it has made.
func (s *Session) closePortals(undone bool) {
	for name, p := range s.portals {
		if !p.hold || undone && !p.held() {
			s.ClosePortal(name)
		}
	}
}

// writer is the transaction's Txn.
func (s *Session) writer() *database.Txn {
	if s.tx.txn == nil {
		s.tx.txn, s.tx.locked = s.db.Begin(), map[catalog.ID]bool{}
	}
	return s.tx.txn
}

// lock makes the transaction the writer of a table.
func (s *Session) lock(ctx context.Context, rel *catalog.Relation) error {
	if s.settings.value("transaction_read_only") == "on" {
		return fail(readOnlyTransaction, "cannot change table \"%s\" in a read-only transaction", rel.Name)
	}
	if err := s.writer().Lock(ctx, rel); err != nil {
		return err
	}
	s.tx.locked[rel.ID] = true
	return nil
}

func (s *Session) beginBlock(b *sql.Begin) error {
	if b.Isolation != "" {
		if _, err := isolation("transaction_isolation", b.Isolation); err != nil {
			return err
		}
	}
	if s.tx.explicit {
		s.notice("WARNING", fail(activeTransaction, "there is already a transaction in progress"))
	}
	s.tx.explicit = true
	if b.Isolation != "" {
		if err := s.put("transaction_isolation", b.Isolation, true); err != nil {
			return err
		}
	}
	if b.ReadOnly {
		return s.put("transaction_read_only", "on", true)
	}
	return nil
}

func (s *Session) commitTask() *task {
	t := &task{tag: says("COMMIT")}
	t.run = func(ctx context.Context, p *portal) (source, error) {
		switch {
		case s.tx.failed:
			p.tag = "ROLLBACK"
			s.rollback()
			return nil, nil
		case !s.tx.explicit:
			s.notice("WARNING", fail(noActiveTransaction, "there is no transaction in progress"))
		}
		return nil, s.commit(ctx)
	}
	return t
}

func (s *Session) rollbackBlock() {
	if !s.tx.explicit {
		s.notice("WARNING", fail(noActiveTransaction, "there is no transaction in progress"))
	}
	s.rollback()
}

// savepointTask goes back to a savepoint only when there is nothing to undo: a
// transaction's writes are in one piece.
func (s *Session) savepointTask(x *sql.Savepoint) *task {
	tag := map[string]string{"savepoint": "SAVEPOINT", "release": "RELEASE", "rollback": "ROLLBACK"}[x.Action]
	return does(tag, func(context.Context, *portal) error {
		if !s.tx.explicit {
			return fail(noActiveTransaction, "%s can only be used in transaction blocks", map[string]string{
				"savepoint": "SAVEPOINT", "release": "RELEASE SAVEPOINT", "rollback": "ROLLBACK TO SAVEPOINT"}[x.Action])
		}
		if x.Action == "savepoint" {
			s.tx.points = append(s.tx.points, savepoint{x.Name, s.tx.writes})
			return nil
		}
		at := len(s.tx.points) - 1
		for at >= 0 && s.tx.points[at].name != x.Name {
			at--
		}
		switch {
		case at < 0:
			return missing(noSavepoint, "savepoint", x.Name)
		case x.Action == "release":
			s.tx.points = s.tx.points[:at]
		case s.tx.points[at].writes != s.tx.writes:
			return hinted(unsupported("going back to a savepoint over what was written since", -1), "Roll the whole transaction back.")
		default:
			s.tx.points, s.tx.failed = s.tx.points[:at+1], false
		}
		return nil
	})
}

// defines is a task that changes names: what was written before is committed first.
func (s *Session) defines(tag string, act func(ctx context.Context) error) *task {
	return does(tag, func(ctx context.Context, _ *portal) error {
		if err := s.alone(ctx, tag); err != nil {
			return err
		}
		return act(ctx)
	})
}

// alone keeps definitions out of transactions. An implicit one is committed first. In an explicit one that
// has written nothing a definition takes effect at once, with a warning; after writes it is refused.
func (s *Session) alone(ctx context.Context, tag string) error {
	if s.tx.explicit && s.tx.writes > 0 {
		return hinted(fail(activeTransaction, "%s cannot run in a transaction block that has written rows", tag), "Run it before BEGIN or after COMMIT.")
	}
	if s.tx.explicit {
		s.notice("WARNING", fail(activeTransaction, "%s takes effect at once: it is not part of the transaction", tag))
		return nil
	}
	if s.tx.txn == nil {
		return nil
	}
	at, err := s.tx.txn.Commit(ctx)
	s.tx.txn, s.tx.writes = nil, 0
	s.wrote = max(s.wrote, at)
	return err
}
