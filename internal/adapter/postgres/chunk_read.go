package postgres

import (
	"context"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// ReadChunk implements capture.Snapshotter. Rows go to emit in pieces of about
// 256 KiB of whole changes; a row larger than that comes alone.
func (s *Source) ReadChunk(ctx context.Context, c capture.ChunkSpec, emit func(changes []byte, rows int) error) (read capture.ChunkRead, err error) {
	var k *tableKey
	var refused error // by c.Begin
	err = s.readers.do(ctx, func(conn *pgx.Conn) error {
		opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		return pgx.BeginTxFunc(ctx, conn, opts, func(tx pgx.Tx) (err error) {
			// The snapshot is taken before the position is read.
			var snapshot, end string
			if err := tx.QueryRow(ctx, `SELECT pg_current_snapshot()::text, pg_current_wal_insert_lsn()::text`).Scan(&snapshot, &end); err != nil {
				return err
			}
			if read.Visible, err = parseSnapshot(snapshot); err != nil {
				return err
			}
			lsn, err := ParseLSN(end)
			if err != nil {
				return err
			}
			read.End = lsn.Position()
			f, schema, key, err := s.table(ctx, tx, c.Table)
			if err != nil {
				return err
			}
			k, read.ShapeXid = key, f.ShapeXid
			if read.Version, err = c.Register(schema); err != nil {
				return err
			}
			if c.Begin != nil {
				if refused = c.Begin(&read); refused != nil {
					return refused
				}
			}
			return copyRows(ctx, tx.Conn(), schema, k, c, &read, emit)
		})
	})
	if refused != nil {
		return read, refused
	}
	return read, snapshotFailed(err, c.Table, k)
}

// copyRows reads the rows by COPY, in the shape that the stream would give them.
func copyRows(ctx context.Context, conn *pgx.Conn, schema *row.Schema, k *tableKey, c capture.ChunkSpec, read *capture.ChunkRead, emit func(changes []byte, rows int) error) error {
	where := ""
	if len(k.cols) > 0 {
		var err error
		if where, err = k.where(c.Lo, c.Hi); err != nil {
			return err
		}
	}
	names := make([]string, len(schema.Columns))
	for i := range schema.Columns {
		names[i] = schema.Columns[i].Name
	}
	head := binary.AppendUvarint(binary.AppendUvarint([]byte{byte(row.Read)}, uint64(schema.Table)), uint64(read.Version))
	w := &chunkRows{head: head, columns: len(names), emit: func(changes []byte, rows int) error {
		read.Rows += int64(rows)
		read.Bytes += int64(len(changes))
		return emit(changes, rows)
	}}
	if _, err := conn.PgConn().CopyTo(ctx, w, "COPY (SELECT "+quoteIdents(names)+" FROM "+k.from+where+") TO STDOUT"); err != nil {
		return err
	}
	return w.finish()
}

// parseSnapshot reads xmin:xmax:xip,….
func parseSnapshot(s string) (v backfill.Visibility, err error) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return v, weirerr.New(weirerr.UpstreamProtocol, "cannot read the snapshot %q", s)
	}
	number := func(t string) uint64 {
		n, e := strconv.ParseUint(t, 10, 64)
		if e != nil {
			err = weirerr.New(weirerr.UpstreamProtocol, "cannot read the snapshot %q", s)
		}
		return n
	}
	v.Xmin, v.Xmax = number(parts[0]), number(parts[1])
	if parts[2] != "" {
		for _, x := range strings.Split(parts[2], ",") {
			v.Xip = append(v.Xip, number(x))
		}
	}
	return v, err
}
