package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/weirerr"
)

// ExactSnapshot opens a snapshot that sees the transactions whose position is at
// or below position, and no others. It creates a temporary replication slot,
// since only there the server exports a snapshot together with its position, and
// waits, as any new slot does, for the transactions that run to end.
func (s *Source) ExactSnapshot(ctx context.Context) (snapshot *Snapshot, position []byte, err error) {
	cfg, err := s.replicationConfig()
	if err != nil {
		return nil, nil, err
	}
	sender, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, nil, s.cannotReplicate(err)
	}
	defer func() { _ = sender.Close(context.WithoutCancel(ctx)) }() // the slot goes with it
	at, name, err := s.exportSnapshot(ctx, sender)
	if err != nil {
		return nil, nil, err
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, sql := range []string{
		"SET work_mem = '64MB'",
		"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		"SET TRANSACTION SNAPSHOT " + quoteLiteral(name),
		"SELECT 1", // the snapshot is held from the first query on
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			quietly(conn)
			return nil, nil, upstream.wrap(err, "cannot take over an exported snapshot")
		}
	}
	return &Snapshot{conn: conn, side: upstream}, at.Position(), nil
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
