package postgres

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/weirerr"
)

// minVersion is the oldest server we speak to: 14.0, the first whose pgoutput
// streams transactions in progress.
const minVersion = 140000

// side tells which end of a pipeline a connection belongs to: it decides the
// codes of its errors.
type side int

const (
	upstream side = iota
	target
)

// pinned are the session settings under which every value has one text form.
// A connection of either side sets them at its start, a walsender too, so that a
// value read by a query, by COPY and by the stream has the same bytes.
func pinned() map[string]string {
	return map[string]string{
		"client_encoding":                     "UTF8",
		"DateStyle":                           "ISO, YMD",
		"IntervalStyle":                       "postgres",
		"TimeZone":                            "UTC",
		"extra_float_digits":                  "1",
		"bytea_output":                        "hex",
		"xmlbinary":                           "base64",
		"xmloption":                           "content",
		"lc_monetary":                         "C",
		"lc_numeric":                          "C",
		"lc_time":                             "C",
		"standard_conforming_strings":         "on",
		"array_nulls":                         "on",
		"search_path":                         "pg_catalog",
		"row_security":                        "off", // an error instead of rows that are silently left out
		"statement_timeout":                   "0",
		"lock_timeout":                        "0",
		"idle_in_transaction_session_timeout": "0",
	}
}

// parseURL resolves a connection string (a postgres:// URL or keyword/value
// pairs, given as it is, as env:NAME or as file:PATH) and pins the session
// settings. app becomes application_name. sslmode and certificates are honoured.
func parseURL(raw, app string) (*pgx.ConnConfig, error) {
	plain, err := secret.OS().Resolve(raw)
	if err != nil {
		return nil, err
	}
	cfg, err := pgx.ParseConfig(plain)
	if err != nil {
		return nil, weirerr.New(weirerr.InvalidArgument, "malformed connection string").With("url", secret.Mask(raw)).
			Hint("write it as postgres://user:password@host:5432/database?sslmode=verify-full")
	}
	maps.Copy(cfg.RuntimeParams, pinned())
	cfg.RuntimeParams["application_name"] = app
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 15 * time.Second
	}
	// Plans for catalogs of changing shape and one-off statements: nothing to cache.
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	cfg.OnNotice = func(*pgconn.PgConn, *pgconn.Notice) {}
	return cfg, nil
}

// connect opens a session with pinned settings. A server older than 14 is a
// typed error.
func connect(ctx context.Context, raw, app string, s side) (*pgx.Conn, error) {
	cfg, err := parseURL(raw, app)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, s.wrap(err, "cannot connect").With("url", secret.Mask(raw))
	}
	if v := serverVersion(conn.PgConn()); v < minVersion {
		_ = conn.Close(ctx)
		return nil, s.config("the server is PostgreSQL %s, 14 or newer is needed", conn.PgConn().ParameterStatus("server_version")).
			With("url", secret.Mask(raw)).Hint("upgrade the server")
	}
	return conn, nil
}

// serverVersion is PostgreSQL's version number, 150018 for 15.18; 0 when it cannot be read.
func serverVersion(c *pgconn.PgConn) int { return versionNumber(c.ParameterStatus("server_version")) }

// versionNumber reads "15.18", "17beta1" or "14".
func versionNumber(text string) int {
	digits := func(s string) (int, string) {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		v, err := strconv.Atoi(s[:n])
		if err != nil {
			return 0, s[n:]
		}
		return v, s[n:]
	}
	major, rest := digits(text)
	minor := 0
	if strings.HasPrefix(rest, ".") {
		minor, _ = digits(rest[1:])
	}
	return major*10000 + minor
}

// quietly closes a connection that is no longer needed, without waiting long.
func quietly(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}
