package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/weirerr"
)

// sqlState is the SQLSTATE of an error that the server sent, else "".
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// wrap gives an error from a connection its code. A context's end stays
// recognisable by errors.Is; an error that has a code already is returned as it is.
func (s side) wrap(err error, format string, args ...any) *weirerr.Error {
	var typed *weirerr.Error
	if errors.As(err, &typed) {
		known := *typed
		return &known
	}
	code, hint := s.classify(err)
	e := weirerr.New(code, format, args...).Wrap(redacted(err))
	if hint != "" {
		return e.Hint("%s", hint)
	}
	return e
}

func (s side) config(format string, args ...any) *weirerr.Error {
	if s == target {
		return weirerr.New(weirerr.TargetConfig, format, args...)
	}
	return weirerr.New(weirerr.UpstreamConfig, format, args...)
}

// classify finds the code and the way out by SQLSTATE.
func (s side) classify(err error) (weirerr.Code, string) {
	unreachable, config, rights := weirerr.UpstreamUnreachable, weirerr.UpstreamConfig, weirerr.UpstreamRights
	if s == target {
		unreachable, config, rights = weirerr.TargetUnreachable, weirerr.TargetConfig, weirerr.TargetRights
	}
	if distrusted(err) {
		return config, "let sslrootcert name the authority that signed the server's certificate, and the host be one that the certificate is for"
	}
	state := sqlState(err)
	if state == "" {
		return unreachable, "" // the network, TLS or a closed connection
	}
	switch state {
	case "42501": // insufficient_privilege
		return rights, "grant the role what is missing; weir check --print-sql prints it"
	case "28P01", "28000": // wrong password, or pg_hba.conf
		return rights, "check user, password and pg_hba.conf"
	case "3D000": // database does not exist
		return config, "create the database or correct its name"
	case "53300", "53400": // connections, replication slots or walsenders exhausted
		return unreachable, "raise max_connections, max_wal_senders or max_replication_slots, or end idle sessions"
	case "55006": // object in use
		return unreachable, ""
	case "08P01", "42704":
		if s == upstream {
			return config, "connect to the server itself, not through a connection pooler"
		}
	}
	switch state[:2] {
	case "08", "57", "53", "58", "40", "25": // connection, intervention, resources, system, rollback, state
		return unreachable, ""
	case "XX":
		return unreachable, ""
	case "0A":
		return config, ""
	}
	if s == upstream {
		return config, ""
	}
	return weirerr.Unknown, ""
}

// distrusted tells that the server's certificate is not to be trusted.
func distrusted(err error) bool {
	var failed *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &failed) || errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid)
}

// redacted drops the connection string that pgx puts into connect errors: it
// holds user and host, which are not secret, but may hold what a user pasted.
func redacted(err error) error {
	var c *pgconn.ConnectError
	if errors.As(err, &c) && c.Unwrap() != nil {
		return c.Unwrap()
	}
	return err
}

// ended tells whether ctx, and not the connection, is why a call failed.
func ended(ctx context.Context) bool { return ctx.Err() != nil }
