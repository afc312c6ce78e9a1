package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/weirerr"
)

// ExactSnapshot is a session inside a transaction that sees the transactions
// whose position is at or below Position, and no others.
type ExactSnapshot struct {
	Conn     *pgx.Conn
	Position []byte
}

// ExactSnapshot opens one. It creates a temporary replication slot, since the
// server exports a snapshot together with the position it belongs to only there,
// and waits, as any new slot does, for the transactions that run to end.
func (s *Source) ExactSnapshot(ctx context.Context) (*ExactSnapshot, error) {
	cfg, err := s.replicationConfig()
	if err != nil {
		return nil, err
	}
	sender, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, s.cannotReplicate(err)
	}
	defer func() { _ = sender.Close(context.WithoutCancel(ctx)) }() // the slot goes with it
	position, snapshot, err := s.exportSnapshot(ctx, sender)
	if err != nil {
		return nil, err
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, sql := range []string{
		"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		"SET TRANSACTION SNAPSHOT " + quoteLiteral(snapshot),
		"SELECT 1", // the snapshot is held from the first query on
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			quietly(conn)
			return nil, upstream.wrap(err, "cannot take over an exported snapshot")
		}
	}
	return &ExactSnapshot{conn, position.Position()}, nil
}

func (s *Source) exportSnapshot(ctx context.Context, sender *pgconn.PgConn) (LSN, string, error) {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	name := s.cfg.Slot[:min(len(s.cfg.Slot), 40)] + "_at_" + hex.EncodeToString(random)
	option := "(SNAPSHOT 'export')"
	if serverVersion(sender) < 150000 {
		option = "EXPORT_SNAPSHOT"
	}
	results, err := sender.Exec(ctx, "CREATE_REPLICATION_SLOT "+quoteIdent(name)+" TEMPORARY LOGICAL pgoutput "+option).ReadAll()
	if err != nil {
		return 0, "", s.cannotReplicate(err)
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) < 3 {
		return 0, "", weirerr.New(weirerr.UpstreamProtocol, "cannot read the answer to CREATE_REPLICATION_SLOT")
	}
	r := results[0].Rows[0]
	position, err := ParseLSN(string(r[1]))
	return position, string(r[2]), err
}

// Close ends the transaction and the session.
func (e *ExactSnapshot) Close() { quietly(e.Conn) }
