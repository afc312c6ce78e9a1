package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/weirerr"
)

// slotState is what the server knows of our slot.
type slotState struct {
	Exists    bool
	Plugin    string
	Database  string
	Active    bool
	ActivePID int32
	Lost      bool // invalidated: it can never be read again
	Confirmed LSN  // the restart point where nothing was confirmed yet
}

const slotQuery = `SELECT COALESCE(plugin::text, ''), COALESCE(database::text, ''), active, COALESCE(active_pid, 0),
  COALESCE(wal_status, '') = 'lost' OR (COALESCE(to_jsonb(s)->>'conflicting', 'false'))::bool OR to_jsonb(s)->>'invalidation_reason' IS NOT NULL,
  COALESCE(confirmed_flush_lsn, restart_lsn, '0/0')::text
  FROM pg_replication_slots s WHERE slot_name = $1`

func (s *Source) slotState(ctx context.Context) (st slotState, err error) {
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		var confirmed string
		st = slotState{}
		err := conn.QueryRow(ctx, slotQuery, s.cfg.Slot).Scan(&st.Plugin, &st.Database, &st.Active, &st.ActivePID, &st.Lost, &confirmed)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		st.Exists = true
		st.Confirmed, err = ParseLSN(confirmed)
		return err
	})
	if err != nil {
		return st, upstream.wrap(err, "cannot look at the replication slot").With("slot", s.cfg.Slot)
	}
	return st, nil
}

// check compares the slot with the position to resume from, 0 when there is none.
// The server would move a start below the confirmed position forward without a
// word: that would skip changes.
func (st *slotState) check(slot, database string, resume LSN) error {
	fail := func(code weirerr.Code, format string, args ...any) *weirerr.Error {
		return weirerr.New(code, format, args...).With("slot", slot)
	}
	const resync = "run weir source resync: it makes a new slot, reads the tables again and reconciles the targets"
	switch {
	case !st.Exists && resume == 0:
		return nil
	case !st.Exists:
		return fail(weirerr.SlotMissing, "the replication slot is gone, and with it the changes since %s", resume).Hint(resync)
	case st.Plugin != "pgoutput" || st.Database != database:
		return fail(weirerr.UpstreamIdentity, "a slot of this name serves database %q with plugin %q", st.Database, st.Plugin).
			Hint("drop it, or create the source under another name")
	case st.Lost:
		return fail(weirerr.SlotInvalidated, "the server invalidated the replication slot: it needed more WAL than max_slot_wal_keep_size allows, or conflicted with a standby's recovery").
			Hint("raise max_slot_wal_keep_size, then " + resync)
	case resume != 0 && st.Confirmed > resume:
		return fail(weirerr.SlotAhead, "the slot begins at %s, above our position %s: it was made anew, or another reader used it, and changes between are lost", st.Confirmed, resume).
			With("confirmed", st.Confirmed).With("position", resume).Hint(resync)
	}
	return nil
}

// Prepare implements capture.Upstream.
func (s *Source) Prepare(ctx context.Context, resume []byte) (start []byte, created bool, err error) {
	at, err := LSNOf(resume)
	if err != nil {
		return nil, false, err
	}
	database, err := s.preflight(ctx, at)
	if err != nil {
		return nil, false, err
	}
	st, err := s.slotState(ctx)
	if err != nil {
		return nil, false, err
	}
	if err := st.check(s.cfg.Slot, database, at); err != nil {
		return nil, false, err
	}
	// Publications first: the slot reads the catalog as it is when it begins.
	if _, err := s.Tables(ctx); err != nil {
		return nil, false, err
	}
	if err := s.ensureTrigger(ctx); err != nil {
		return nil, false, err
	}
	if !st.Exists {
		lsn, err := s.createSlot(ctx)
		if err != nil {
			return nil, false, err
		}
		s.wholeSinceSlot()
		if err := s.tellAll(ctx); err != nil {
			return nil, false, err
		}
		return lsn.Position(), true, nil
	}
	if at == 0 {
		at = st.Confirmed
	}
	return at.Position(), false, nil
}

// preflight finds what makes streaming impossible before anything is changed.
func (s *Source) preflight(ctx context.Context, at LSN) (database string, err error) {
	var walLevel, end, encoding string
	var standby bool
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT current_setting('wal_level'), pg_is_in_recovery(), current_database()::text,
			current_setting('server_encoding'), CASE WHEN pg_is_in_recovery() THEN '0/0' ELSE pg_current_wal_insert_lsn()::text END`).
			Scan(&walLevel, &standby, &database, &encoding, &end)
	})
	switch {
	case err != nil:
		return "", upstream.wrap(err, "cannot look at the server")
	case standby:
		return "", weirerr.New(weirerr.UpstreamConfig, "the server is a standby").With("url", s.maskedURL()).Hint("connect to the primary")
	case walLevel != "logical":
		return "", weirerr.New(weirerr.UpstreamConfig, "wal_level is %s", walLevel).
			Hint("ALTER SYSTEM SET wal_level = logical, then restart the server")
	case encoding == "SQL_ASCII":
		s.log.Warn("the database's encoding is SQL_ASCII: text that is not UTF-8 is delivered as it is")
	}
	now, err := ParseLSN(end)
	if err == nil && at > now {
		err = weirerr.New(weirerr.UpstreamIdentity, "the server's WAL ends at %s, below our position %s: it was restored from a backup, or is another server", now, at).
			Hint("point the source at the right server, or run weir source resync")
	}
	return database, err
}

// createSlot waits for the transactions that run: the slot begins when all of them ended.
func (s *Source) createSlot(ctx context.Context) (lsn LSN, err error) {
	wait := time.AfterFunc(5*time.Second, func() {
		s.log.Warn("creating the replication slot waits until transactions that run now have ended",
			"slot", s.cfg.Slot, "hint", "SELECT pid, xact_start, query FROM pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY xact_start")
	})
	defer wait.Stop()
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		sql := `SELECT lsn::text FROM pg_create_logical_replication_slot($1, 'pgoutput')`
		if serverVersion(conn.PgConn()) >= 170000 {
			sql = `SELECT lsn::text FROM pg_create_logical_replication_slot($1, 'pgoutput', false, false, true)` // failover
		}
		var text string
		if err := conn.QueryRow(ctx, sql, s.cfg.Slot).Scan(&text); err != nil {
			return err
		}
		lsn, err = ParseLSN(text)
		return err
	})
	switch sqlState(err) {
	case "":
	case "42501":
		return 0, weirerr.New(weirerr.UpstreamRights, "the role may not create replication slots").Wrap(redacted(err)).
			Hint("ALTER ROLE … REPLICATION")
	case "53400":
		return 0, weirerr.New(weirerr.UpstreamConfig, "all replication slots are in use").Wrap(redacted(err)).
			Hint("raise max_replication_slots and restart the server, or drop a slot that nobody reads: SELECT * FROM pg_replication_slots WHERE NOT active")
	}
	if err != nil {
		return 0, upstream.wrap(err, "cannot create the replication slot").With("slot", s.cfg.Slot)
	}
	s.log.Info("created the replication slot", "slot", s.cfg.Slot, "lsn", lsn.String())
	return lsn, nil
}

// Identity implements capture.Upstream.
func (s *Source) Identity(ctx context.Context) (id capture.Identity, err error) {
	cfg, err := s.replicationConfig()
	if err != nil {
		return id, err
	}
	conn, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return id, s.cannotReplicate(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if serverVersion(conn) < minVersion {
		return id, upstream.config("the server is PostgreSQL %s, 14 or newer is needed", conn.ParameterStatus("server_version")).Hint("upgrade the server")
	}
	results, err := conn.Exec(ctx, "IDENTIFY_SYSTEM").ReadAll()
	if err != nil {
		return id, s.cannotReplicate(err)
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) < 4 {
		return id, weirerr.New(weirerr.UpstreamProtocol, "cannot read the answer to IDENTIFY_SYSTEM")
	}
	r := results[0].Rows[0]
	timeline := 0
	for _, c := range r[1] {
		timeline = timeline*10 + int(c-'0')
	}
	return capture.Identity{System: string(r[0]), Timeline: int32(timeline), Database: string(r[3]),
		Version: conn.ParameterStatus("server_version")}, nil
}

func (s *Source) replicationConfig() (*pgconn.Config, error) {
	cfg, err := parseURL(s.cfg.URL, s.cfg.Slot)
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["replication"] = "database"
	return &cfg.Config, nil
}

// cannotReplicate explains why a replication connection was refused.
func (s *Source) cannotReplicate(err error) error {
	switch sqlState(err) {
	case "42501":
		return weirerr.New(weirerr.UpstreamRights, "the role may not replicate").With("url", s.maskedURL()).Wrap(redacted(err)).
			Hint("ALTER ROLE … REPLICATION")
	case "53300", "53400":
		return weirerr.New(weirerr.UpstreamConfig, "all of max_wal_senders are in use").With("url", s.maskedURL()).Wrap(redacted(err)).
			Hint("raise max_wal_senders and restart the server, or end a replication that is not needed")
	}
	return upstream.wrap(err, "cannot open a replication connection").With("url", s.maskedURL())
}
