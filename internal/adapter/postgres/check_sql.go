package postgres

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// PrintSQL writes what a DBA runs, once, in the upstream's database, so that a role
// without any ownership can capture it: role, grants, replica identities,
// publications and the DDL trigger. role is the role to make; empty: the one that
// asks, or weir when that is a superuser. cfg names source,
// tables and connection, whose role need only read the catalog.
func PrintSQL(ctx context.Context, cfg Config, role string) (string, error) {
	s, err := New(cfg, discard())
	if err != nil {
		return "", err
	}
	cfg = s.cfg
	defer func() { _ = s.Close() }()
	var tables []survey
	var database, user string
	var settings []string
	var super, exists bool
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) (err error) {
		if tables, err = s.survey(ctx, conn); err != nil {
			return err
		}
		var level string
		err = conn.QueryRow(ctx, `SELECT current_database()::text, current_setting('wal_level'), current_user::text,
			(SELECT rolsuper FROM pg_roles WHERE rolname = current_user)`).Scan(&database, &level, &user, &super)
		if err != nil {
			return err
		}
		switch {
		case role != "":
		case super:
			role = "weir"
		default:
			role = user
		}
		err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, role).Scan(&exists)
		if level != "logical" {
			settings = append(settings, "ALTER SYSTEM SET wal_level = logical; -- then restart the server")
		}
		return err
	})
	if err != nil {
		return "", upstream.wrap(err, "cannot look at the server")
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("-- For source %s. Run it as a superuser in database %s.", cfg.Name, quoteIdent(database))
	for _, set := range settings {
		line("%s", set)
	}
	if exists {
		line("ALTER ROLE %s LOGIN REPLICATION;", quoteIdent(role))
	} else {
		line("CREATE ROLE %s LOGIN REPLICATION; -- then \\password %[1]s", quoteIdent(role))
	}
	line("GRANT CONNECT ON DATABASE %s TO %s;", quoteIdent(database), quoteIdent(role))
	printGrants(line, tables, role)
	printPublications(line, &cfg, tables)
	line("-- Shapes that change are announced in the stream by this trigger:")
	for _, sql := range triggerSQL(cfg.Slot) {
		line("%s;", sql)
	}
	return b.String(), nil
}

func printGrants(line func(string, ...any), tables []survey, role string) {
	var schemas []string
	for _, t := range tables {
		if !slices.Contains(schemas, t.Namespace) {
			schemas = append(schemas, t.Namespace)
			line("GRANT USAGE ON SCHEMA %s TO %s;", quoteIdent(t.Namespace), quoteIdent(role))
		}
	}
	for _, t := range tables {
		line("GRANT SELECT ON %s TO %s;", quoteTable(t.Namespace, t.Name), quoteIdent(role))
	}
}

func printPublications(line func(string, ...any), cfg *Config, tables []survey) {
	var keyed, keyless []string
	for _, t := range tables {
		name := quoteTable(t.Namespace, t.Name)
		if t.Keyed {
			keyed = append(keyed, "ONLY "+name)
			continue
		}
		keyless = append(keyless, "ONLY "+name)
		line("-- %s has no replica identity: only its inserts and truncates are captured. To have all, add a primary key", name)
		line("-- or run this first, and list the table in the first publication instead of the second:")
		line("-- ALTER TABLE %s REPLICA IDENTITY FULL;", name)
	}
	for _, p := range []struct {
		name, publish string
		tables        []string
	}{{cfg.Slot, publishKeyed, keyed}, {cfg.Slot + "_keyless", publishKeyless, keyless}} {
		members := ""
		if len(p.tables) > 0 {
			members = " FOR TABLE " + strings.Join(p.tables, ", ")
		}
		line("CREATE PUBLICATION %s%s WITH (publish = '%s', publish_via_partition_root = true);", quoteIdent(p.name), members, p.publish)
	}
}
