package postgres

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// applier owns the connection of a lane and everything that is known of the
// target. It is used by one goroutine.
//
//	idle ──apply──► in transaction ──apply──► savepoint, next piece … ──commit──► idle
//
// What needs no look at the target goes ahead into the pipe, and the rest one
// answer at a time, while the pipe is idle. Statements that open a transaction or
// a savepoint wait in pre until the next that is sent takes them along.
type applier struct {
	cfg  SinkConfig
	log  *slog.Logger
	lane feed.Lane
	conn *pgx.Conn
	pipe *pipe

	replica bool // ordinary triggers and foreign keys rest
	state
	written time.Time
	pre     []string
	careful int // pieces still to be applied one answer at a time
	lapses  int // pieces that the target refused when they were sent ahead

	newest   map[row.TableID]*shape
	bound    map[*shape]*binding
	vacant   map[row.TableID]bool // tables that had no row when a snapshot began here
	cas      *stmt                // moves the position
	stmts    map[string]string    // prepared: name by text
	created  map[string]bool      // types made in this transaction
	refs     map[uint32][]uint32  // foreign keys by OID; nil: to look up
	truncate truncation           // collected and not applied
	replays  int                  // pieces that had to be applied in turn
	works    []*tableWork         // reused from piece to piece
	arrays   arrays
}

// open connects and claims the lane.
func (a *applier) open(ctx context.Context) (err error) {
	a.newest, a.bound = map[row.TableID]*shape{}, map[*shape]*binding{}
	a.stmts, a.created, a.vacant = map[string]string{}, map[string]bool{}, map[row.TableID]bool{}
	if a.conn, err = connect(ctx, a.cfg.URL, "weir "+a.lane.Changefeed, target); err != nil {
		return err
	}
	if err := a.setReplica(ctx); err != nil {
		return err
	}
	if err := a.setSession(ctx); err != nil {
		return err
	}
	if err := ensureSchema(ctx, a.conn); err != nil {
		return err
	}
	return a.claim(ctx)
}

// setSession sets what concerns speed and survival, not values.
func (a *applier) setSession(ctx context.Context) error {
	// Any batch of a statement comes as arrays: one plan serves all, by index.
	if _, err := a.conn.Exec(ctx, `SET plan_cache_mode = force_generic_plan`); err != nil {
		return target.wrap(err, "cannot set up the session")
	}
	// The server is to notice soon that we are gone, and free the rows that our
	// transaction holds for the next owner. Not every platform has all of these.
	for _, set := range []string{`tcp_keepalives_idle = 10`, `tcp_keepalives_interval = 5`, `tcp_keepalives_count = 3`,
		`tcp_user_timeout = 30000`, `client_connection_check_interval = 2000`} {
		if _, err := a.conn.Exec(ctx, `SET `+set); err != nil && !refused(err) {
			return target.wrap(err, "cannot set up the session")
		}
	}
	return nil
}

// setReplica lets ordinary triggers rest, where wanted and allowed.
func (a *applier) setReplica(ctx context.Context) error {
	if a.cfg.Triggers == TriggersFire {
		return nil
	}
	_, err := a.conn.Exec(ctx, `SET session_replication_role = replica`)
	if err == nil {
		a.replica = true
		return nil
	}
	if sqlState(err) == "42501" && a.cfg.Triggers == "" {
		return nil
	}
	return target.wrap(err, "cannot set session_replication_role = replica").
		Hint("grant it (PostgreSQL 15: GRANT SET ON PARAMETER session_replication_role TO …), or set triggers = fire")
}

// close gives the connection up; the server rolls back.
func (a *applier) close(ctx context.Context) {
	if a.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = a.conn.Close(ctx)
	a.conn = nil
}

// begin makes sure that a transaction is open.
func (a *applier) begin() {
	if a.inTx {
		return
	}
	a.pre = append(a.pre, `BEGIN ISOLATION LEVEL READ COMMITTED`)
	if !a.replica {
		a.pre = append(a.pre, `SET CONSTRAINTS ALL DEFERRED`)
	}
	a.inTx, a.saved = true, false
}

// beginPiece opens the transaction, or a savepoint in it, to which undoPiece returns.
func (a *applier) beginPiece() {
	if !a.inTx {
		a.begin()
		return
	}
	if a.saved {
		a.pre = append(a.pre, `RELEASE SAVEPOINT weir`)
	}
	a.pre = append(a.pre, `SAVEPOINT weir`)
	a.saved = true
}

// undoPiece forgets what the current piece has done.
func (a *applier) undoPiece(ctx context.Context) error {
	a.pre = a.pre[:0]
	if a.saved {
		_, err := a.conn.Exec(ctx, `ROLLBACK TO SAVEPOINT weir`)
		return a.failed(err, "cannot roll back to a savepoint")
	}
	_, err := a.conn.Exec(ctx, `ROLLBACK`)
	a.inTx = false
	a.begin()
	return a.failed(err, "cannot roll back")
}

// failed wraps an error of the connection; nil stays nil.
func (a *applier) failed(err error, what string) error {
	if err == nil {
		return nil
	}
	return target.wrap(err, "%s", what).With("changefeed", a.lane.Changefeed)
}

// run executes one statement in the transaction.
func (a *applier) run(ctx context.Context, sql string) error {
	a.begin()
	for _, p := range append(a.pre, sql) {
		if _, err := a.conn.Exec(ctx, p); err != nil {
			return err
		}
	}
	a.pre = a.pre[:0]
	return nil
}

// copyIn streams r into COPY; what waits in pre goes with it.
func (a *applier) copyIn(ctx context.Context, sql string, r io.Reader) error {
	sql = strings.Join(append(a.pre, sql), "; ")
	a.pre = a.pre[:0]
	_, err := a.conn.PgConn().CopyFrom(ctx, r, sql)
	return err
}

// prepare gives the statement a name in this session.
func (a *applier) prepare(ctx context.Context, s *stmt) error {
	if s.name != "" {
		return nil
	}
	name, ok := a.stmts[s.sql]
	if !ok {
		name = "weir" + strconv.Itoa(len(a.stmts))
		if _, err := a.conn.PgConn().Prepare(ctx, name, s.sql, nil); err != nil {
			return err
		}
		a.stmts[s.sql] = name
	}
	s.name = name
	return nil
}

// forgetShapes drops all that is known of the target's tables, after DDL.
func (a *applier) forgetShapes(ctx context.Context) error {
	clear(a.bound)
	clear(a.vacant)
	a.forgetStatements()
	a.refs = nil
	if err := a.run(ctx, `DEALLOCATE ALL`); err != nil {
		return a.failed(err, "cannot forget statements")
	}
	return nil
}

// commit makes everything durable together with pos.
func (a *applier) commit(ctx context.Context, pos feed.Position) error {
	if err := a.settle(ctx); err != nil {
		return err
	}
	if pos.Offset == 0 {
		if err := a.completeChunk(ctx); err != nil {
			return err
		}
	}
	params, err := a.positionParams(pos)
	if err != nil {
		return err
	}
	a.begin()
	b := a.batch()
	cas := b.n
	b.text(a.advance(), params)
	b.plain(`COMMIT`)
	if err := b.run(ctx); err != nil {
		if b.failedAt == cas && sqlState(err) == "22012" { // division_by_zero, see advance
			return a.fenced()
		}
		return a.commitError(err)
	}
	a.committed(pos)
	return nil
}

// commitError tells a constraint that was checked at the commit from a commit
// whose outcome is not known.
func (a *applier) commitError(err error) error {
	if refused(err) {
		return a.refusal(weirerr.TargetConflict, "the target refuses the transaction at its commit", err)
	}
	return a.failed(err, "cannot commit; whether it happened shows when the sink is opened again")
}

// resolved writes a position that moved without data, now and then.
func (a *applier) resolved(ctx context.Context, pos feed.Position) error {
	if a.inTx {
		return weirerr.New(weirerr.WrongState, "written and not committed").With("changefeed", a.lane.Changefeed)
	}
	if !a.placed || !a.pos.Less(pos) || time.Since(a.written) < resolvedEvery {
		return nil
	}
	return a.commit(ctx, pos)
}
