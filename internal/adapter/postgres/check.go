package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/weirerr"
)

// Severity orders findings.
type Severity string

// Severities: an Error keeps a source from working, a Warning is a danger or a
// loss of function, a Note is worth knowing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is one thing that is not as it should be upstream, and what to do about it.
type Finding struct {
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Remedy   string   `json:"remedy"`
}

// Check looks at an upstream before a source is made of it and lists every fault
// with its remedy. It changes nothing. An error means that it could not look.
func Check(ctx context.Context, url string, tables *filter.Filter) ([]Finding, error) {
	conn, err := connect(ctx, url, "weir check", upstream)
	if err != nil {
		if weirerr.CodeOf(err) == weirerr.UpstreamConfig {
			return []Finding{{Error, err.Error(), "upgrade the server to PostgreSQL 14 or newer"}}, nil
		}
		return nil, err
	}
	defer quietly(conn)
	c := &checker{conn: conn}
	for _, look := range []func(context.Context) error{c.server, c.sessions, c.role,
		func(ctx context.Context) error { return c.tables(ctx, tables) }} {
		if err := look(ctx); err != nil {
			return c.found, upstream.wrap(err, "cannot look at the server")
		}
	}
	c.replication(ctx, url)
	return c.found, nil
}

type checker struct {
	conn  *pgx.Conn
	found []Finding
}

func (c *checker) add(s Severity, remedy, what string, args ...any) {
	c.found = append(c.found, Finding{s, fmt.Sprintf(what, args...), remedy})
}

// server looks at settings.
func (c *checker) server(ctx context.Context) error {
	var walLevel, encoding, keep string
	var standby bool
	var slots, usedSlots, senders, usedSenders, workMem int
	err := c.conn.QueryRow(ctx, `SELECT current_setting('wal_level'), current_setting('server_encoding'), pg_is_in_recovery(),
		current_setting('max_slot_wal_keep_size'), current_setting('max_replication_slots')::int4, (SELECT count(*) FROM pg_replication_slots)::int4,
		current_setting('max_wal_senders')::int4, (SELECT count(*) FROM pg_stat_replication)::int4,
		(SELECT setting::int4 FROM pg_settings WHERE name = 'logical_decoding_work_mem')`).
		Scan(&walLevel, &encoding, &standby, &keep, &slots, &usedSlots, &senders, &usedSenders, &workMem)
	if err != nil {
		return err
	}
	if standby {
		c.add(Error, "connect to the primary", "the server is a standby")
	}
	if walLevel != "logical" {
		c.add(Error, "ALTER SYSTEM SET wal_level = logical; then restart the server", "wal_level is %s", walLevel)
	}
	if encoding != "UTF8" {
		c.add(Warning, "use a database with encoding UTF8; text that has no UTF-8 form stops the stream", "the database's encoding is %s", encoding)
	}
	if usedSlots >= slots {
		c.add(Error, "raise max_replication_slots and restart the server, or drop a slot that nobody reads", "all %d replication slots are in use", slots)
	}
	if usedSenders+1 >= senders {
		c.add(Error, "raise max_wal_senders and restart the server; a source needs one, and one more for a moment", "%d of %d max_wal_senders are in use", usedSenders, senders)
	}
	if keep == "-1" {
		c.add(Note, "set max_slot_wal_keep_size to what the disk can spare: while weir is down the slot keeps WAL, without a limit", "max_slot_wal_keep_size is unlimited")
	}
	if workMem < 16<<10 {
		c.add(Note, "ALTER SYSTEM SET logical_decoding_work_mem = '64MB': below that, transactions of moderate size are streamed in many pieces", "logical_decoding_work_mem is %d kB", workMem)
	}
	return nil
}

// sessions looks at what holds up slots and snapshots.
func (c *checker) sessions(ctx context.Context) error {
	var n int
	var oldest string
	err := c.conn.QueryRow(ctx, `SELECT count(*)::int4, COALESCE(max(now() - xact_start)::text, '') FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < now() - interval '1 minute' AND backend_type = 'client backend'`).Scan(&n, &oldest)
	if err != nil {
		return err
	}
	if n > 0 {
		c.add(Warning, "end them before the source is created: the slot and the initial snapshot wait for the transactions that run; SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start",
			"%d transactions have run for more than a minute, the oldest for %s", n, oldest)
	}
	var prepared int
	if err := c.conn.QueryRow(ctx, `SELECT count(*)::int4 FROM pg_prepared_xacts`).Scan(&prepared); err != nil {
		return err
	}
	if prepared > 0 {
		c.add(Warning, "COMMIT PREPARED or ROLLBACK PREPARED them: the slot waits for them", "%d prepared transactions are left over", prepared)
	}
	return nil
}

// role looks at what the role may do.
func (c *checker) role(ctx context.Context) error {
	var super, replication, create bool
	var role, database string
	err := c.conn.QueryRow(ctx, `SELECT rolsuper, rolreplication, has_database_privilege(current_database(), 'CREATE'), rolname::text, current_database()::text
		FROM pg_roles WHERE rolname = current_user`).Scan(&super, &replication, &create, &role, &database)
	if err != nil {
		return err
	}
	if !super && !replication {
		c.add(Error, fmt.Sprintf("ALTER ROLE %s REPLICATION", quoteIdent(role)), "the role %s may not replicate", role)
	}
	if !super && !create {
		c.add(Warning, fmt.Sprintf("GRANT CREATE ON DATABASE %s TO %s, or have a DBA run what weir check --print-sql prints", quoteIdent(database), quoteIdent(role)),
			"the role %s may not create publications", role)
	}
	if !super {
		c.add(Note, "have a DBA run what weir check --print-sql prints; without the trigger a changed shape is noticed with the next row or survey",
			"the role %s may not create event triggers", role)
	}
	return nil
}

const checkTablesQuery = `
SELECT n.nspname::text, c.relname::text, c.relkind::text, c.relpersistence::text, c.relreplident::text,
  EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate AND i.indisvalid),
  EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident AND i.indisvalid),
  has_table_privilege(c.oid, 'SELECT'), pg_has_role(c.relowner, 'USAGE'), c.relrowsecurity AND row_security_active(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f', 'm') AND NOT c.relispartition AND c.relpersistence <> 't' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1, 2`

// tables looks at each table that the filter selects.
func (c *checker) tables(ctx context.Context, f *filter.Filter) error {
	rows, err := c.conn.Query(ctx, checkTablesQuery)
	if err != nil {
		return err
	}
	defer rows.Close()
	captured := 0
	for rows.Next() {
		var ns, name, kind, persistence, identity string
		var primary, index, canSelect, owns, rls bool
		if err := rows.Scan(&ns, &name, &kind, &persistence, &identity, &primary, &index, &canSelect, &owns, &rls); err != nil {
			return err
		}
		if !f.Match(ns, name) {
			continue
		}
		table := quoteTable(ns, name)
		switch {
		case kind == "f" || kind == "m":
			continue // neither foreign tables nor materialized views can be captured, nor does anybody expect it
		case persistence == "u":
			c.add(Warning, fmt.Sprintf("ALTER TABLE %s SET LOGGED, or leave it out", table), "table %s is unlogged: it has no change stream and is left out", table)
			continue
		}
		captured++
		c.identity(table, identity, primary, index)
		if !canSelect {
			c.add(Error, fmt.Sprintf("GRANT SELECT ON %s TO the role (and USAGE on its schema)", table), "the role may not read table %s: no initial snapshot", table)
		}
		if rls {
			c.add(Error, "ALTER ROLE … BYPASSRLS", "row level security hides rows of table %s from the role", table)
		}
		if !owns {
			c.add(Warning, fmt.Sprintf("have a DBA add it to the publication, see weir check --print-sql, or make the role a member of the owner of %s", table),
				"the role does not own table %s: it cannot publish it", table)
		}
	}
	if captured == 0 {
		c.add(Error, "correct --tables", "the filter %q selects no table", f.String())
	}
	return rows.Err()
}

func (c *checker) identity(table, identity string, primary, index bool) {
	full := fmt.Sprintf("add a primary key, or ALTER TABLE %s REPLICA IDENTITY FULL (or USING INDEX with a unique index)", table)
	switch {
	case identity == "n":
		c.add(Warning, fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY DEFAULT", table), "table %s has REPLICA IDENTITY NOTHING: only inserts and truncates are captured", table)
	case identity == "i" && !index:
		c.add(Warning, full, "the replica identity index of table %s is gone: only inserts and truncates are captured", table)
	case identity == "d" && !primary:
		c.add(Warning, full, "table %s has no primary key: only inserts and truncates are captured", table)
	case identity == "f" && !primary:
		c.add(Note, "add a primary key: without one the initial snapshot of the table is read in one piece, and targets find rows by all their values", "table %s has REPLICA IDENTITY FULL and no primary key", table)
	}
}

// replication tries a replication connection.
func (c *checker) replication(ctx context.Context, url string) {
	for _, f := range c.found {
		if strings.HasPrefix(f.What, "wal_level") || strings.Contains(f.What, "may not replicate") {
			return // it is known to fail
		}
	}
	s, err := New(Config{Name: "check", URL: url}, discard())
	if err == nil {
		defer func() { _ = s.Close() }()
		_, err = s.Identity(ctx)
	}
	if err != nil {
		c.add(Error, "allow the role a replication connection to this database in pg_hba.conf", "no replication connection: %v", err)
	}
}
