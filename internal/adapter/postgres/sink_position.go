package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// What a target holds of ours: one row a lane, changed in the transaction that
// holds the lane's data, and, while a chunk reconciles, the keys it has brought.
const (
	positionsDDL = `CREATE TABLE weir.positions (
  cluster text, changefeed text, incarnation bigint, lane int,
  term bigint NOT NULL, ts bigint, "offset" bigint, chunk jsonb,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (cluster, changefeed, incarnation, lane)) WITH (fillfactor = 50)`
	seenDDL = `CREATE TABLE weir.seen (
  cluster text NOT NULL, changefeed text NOT NULL, incarnation bigint NOT NULL, lane int NOT NULL, key text[] NOT NULL)`
)

// ensureSchema creates what is missing of schema weir. Sinks of several feeds may
// do so at once: whoever comes second finds it made.
func ensureSchema(ctx context.Context, conn *pgx.Conn) error {
	for attempt := 0; ; attempt++ {
		err := createSchema(ctx, conn)
		if err == nil {
			return nil
		}
		if attempt < 5 && createdMeanwhile(err) {
			continue
		}
		return target.wrap(err, "cannot create schema weir, which keeps the feed's position").
			Hint("let the role create schemas, or have it made once: CREATE SCHEMA weir AUTHORIZATION the_role")
	}
}

func createSchema(ctx context.Context, conn *pgx.Conn) error {
	for _, o := range []struct{ have, ddl string }{
		{`to_regnamespace('weir') IS NOT NULL`, `CREATE SCHEMA weir`},
		{`to_regclass('weir.positions') IS NOT NULL`, positionsDDL},
		{`to_regclass('weir.seen') IS NOT NULL`, seenDDL},
	} {
		var have bool
		if err := conn.QueryRow(ctx, `SELECT `+o.have).Scan(&have); err != nil {
			return err
		}
		if have {
			continue
		}
		if _, err := conn.Exec(ctx, o.ddl); err != nil {
			return err
		}
	}
	return nil
}

// createdMeanwhile tells whether a CREATE failed since another session was first.
func createdMeanwhile(err error) bool {
	switch sqlState(err) {
	case "42P06", "42P07", "42710": // schema, table, object
		return true
	case "23505":
		var pg *pgconn.PgError
		return errors.As(err, &pg) && pg.SchemaName == "pg_catalog"
	}
	return false
}

// claim makes the lane's owner known to the target, which fences owners of lower
// terms, and reads where the lane stands.
func (a *applier) claim(ctx context.Context) error {
	l := a.lane
	var at, offset *int64
	var chunkText []byte
	err := a.conn.QueryRow(ctx, `INSERT INTO weir.positions AS p (cluster, changefeed, incarnation, lane, term) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (cluster, changefeed, incarnation, lane) DO UPDATE SET term = EXCLUDED.term WHERE p.term <= EXCLUDED.term
RETURNING ts, "offset", chunk::text`, l.Cluster, l.Changefeed, int64(l.Incarnation), int32(l.Lane), int64(l.Term)).Scan(&at, &offset, &chunkText)
	if errors.Is(err, pgx.ErrNoRows) {
		return a.fenced()
	}
	if err != nil {
		return target.wrap(err, "cannot claim the lane at the target").With("changefeed", l.Changefeed)
	}
	if at != nil && offset != nil {
		a.pos, a.placed = feed.Position{Ts: ts.Ts(*at), Offset: uint64(*offset)}, true
	}
	if chunkText != nil {
		a.chunk = &chunk{}
		if err := json.Unmarshal(chunkText, a.chunk); err != nil {
			return target.config("the target's record of a chunk is malformed").With("changefeed", l.Changefeed).Wrap(err).
				Hint("restore table weir.positions, or resync")
		}
	}
	return nil
}

func (a *applier) fenced() error {
	return weirerr.New(weirerr.TargetFenced, "a newer owner delivers this lane, or it stands elsewhere than this one left it").
		With("changefeed", a.lane.Changefeed).With("lane", a.lane.Lane).With("term", a.lane.Term).
		Hint("only one weir may run with this data directory; nothing is lost, the newer owner goes on")
}

// laneSQL is the lane's key as literals, in the order of both tables.
func (a *applier) laneSQL() string {
	l := a.lane
	return fmt.Sprintf("%s, %s, %d::int8, %d::int4", quoteLiteral(l.Cluster), quoteLiteral(l.Changefeed), int64(l.Incarnation), l.Lane)
}

// advance is the statement that moves the lane's position from where this owner
// left it to pos. It fails with division_by_zero when another owner has claimed
// or moved it: so a COMMIT behind it in the same round trip has no effect.
func (a *applier) advance() string {
	return `WITH moved AS (UPDATE weir.positions SET ts = $1::text::int8, "offset" = $2::text::int8, chunk = $3::text::jsonb, updated_at = now()
WHERE (cluster, changefeed, incarnation, lane) = (` + a.laneSQL() + `) AND term = ` + strconv.FormatInt(int64(a.lane.Term), 10) + `
AND ts IS NOT DISTINCT FROM $4::text::int8 AND "offset" IS NOT DISTINCT FROM $5::text::int8 RETURNING 1)
SELECT 1 / count(*) FROM moved`
}

// positionParams are the parameters of advance.
func (a *applier) positionParams(pos feed.Position) ([][]byte, error) {
	number := func(v uint64) []byte { return strconv.AppendInt(nil, int64(v), 10) }
	p := [][]byte{number(uint64(pos.Ts)), number(pos.Offset), nil, nil, nil}
	if a.chunk != nil {
		text, err := json.Marshal(a.chunk)
		if err != nil {
			return nil, fmt.Errorf("postgres: encode a chunk: %w", err)
		}
		p[2] = text
	}
	if a.placed {
		p[3], p[4] = number(uint64(a.pos.Ts)), number(a.pos.Offset)
	}
	return p, nil
}
