package pgcatalog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/pgtest"
)

// otherwise are functions whose types are another's here: an expression's tree is its text, an address too.
var otherwise = map[string]bool{
	"pg_get_expr": true, "inet_server_addr": true, "inet_client_addr": true, "pg_last_wal_replay_lsn": true, "pg_get_function_sqlbody": true,
	"pg_terminate_backend": true,                                                                                                                                  // whose last argument has a default there
	"regtype":              true, "regnamespace": true, "regrole": true, "regproc": true, "regprocedure": true, "regoper": true, "regoperator": true, "oid": true, // casts that the server has by other ways
}

// Names, columns and functions are the server's.
func TestTheServerHasTheSame(t *testing.T) {
	srv := pgtest.Start(t)
	conn := srv.Conn(t, "postgres")
	reg, err := expr.Builtins().With(pgcatalog.Functions()...)
	check(t, err)
	base := map[string]bool{}
	for _, f := range expr.Builtins().Functions() {
		base[f.Signature()] = true
	}
	theirs := map[string]bool{}
	for _, s := range column(t, conn, `SELECT proname || '(' || oidvectortypes(proargtypes) || ') ' || format_type(prorettype, NULL) FROM pg_proc`) {
		theirs[s] = true
	}
	for _, f := range reg.Functions() {
		if s := f.Signature(); !base[s] && !theirs[s] && !otherwise[f.Name] && !(f.Name == "regclass" && !strings.Contains(s, "text")) {
			t.Errorf("the server has no %s", s)
		}
	}
	have := map[string]bool{}
	for _, s := range column(t, conn, `SELECT relnamespace::regnamespace || '.' || relname || '.' || attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid`) {
		have[s] = true
	}
	for _, r := range pgcatalog.New().Relations() {
		if r.Kind != catalog.KindSystem {
			t.Errorf("%s is a %s", r.Name, r.Kind)
		}
		for _, c := range r.Columns {
			if name := fmt.Sprintf("%s.%s.%s", r.Schema, r.Name, c.Name); !have[name] {
				t.Errorf("the server has no %s", name)
			}
		}
	}
}

func column(t *testing.T, conn *pgx.Conn, query string) []string {
	t.Helper()
	rows, err := conn.Query(context.Background(), query)
	check(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	return list
}

// Values that do not depend on what is in the catalog are the server's.
func TestValuesAreTheServers(t *testing.T) {
	srv := pgtest.Start(t)
	conn := srv.Conn(t, "postgres")
	w := newWorld(t)
	var list []string
	for _, n := range []string{"0", "1", "10239", "10240", "10751", "20480", "-10240", "1048576", "10485247", "10485248", "10485760", "10736344064",
		"10737418240", "9223372036854775807", "-9223372036854775807", "123456789012"} {
		list = append(list, "pg_size_pretty("+n+"::int8)")
	}
	for _, n := range []string{"0", "-1.50", "10239.75", "10240", "10240.9", "-10751", "-10241", "10485247.99", "123456789012345678901234567890", "NaN"} {
		list = append(list, "pg_size_pretty('"+n+"'::numeric)")
	}
	list = append(list, "pg_size_pretty(-10751::int8)", "pg_size_pretty(-10241::int8)")
	for _, typ := range []string{"16, -1", "1700, 655366", "1043, 14", "1042, 14", "1042, -1", "1007, NULL", "1114, 3", "1186, 2147418115", "0, -1", "25, NULL",
		"18, NULL", "22, -1", "2205, NULL", "1015, 24"} {
		list = append(list, "format_type("+typ+")")
	}
	list = append(list, "pg_encoding_to_char(6)", "pg_char_to_encoding('UTF8')", "'int8'::regtype", "'_text'::regtype", "'double precision'::regtype::oid",
		"to_regtype('character varying')", "to_regtype('INT4')", "'pg_catalog.int4'::regtype", "'text[]'::regtype", "0::regclass", "0::regtype")
	for _, x := range list {
		var want *string
		check(t, conn.QueryRow(context.Background(), "SELECT ("+x+")::text").Scan(&want))
		if want == nil {
			want = new(string)
		}
		if got, err := w.run("SELECT (" + x + ")::text"); err != nil || got != *want {
			t.Errorf("%s is %q, %v; the server's %q", x, got, err, *want)
		}
	}
}
