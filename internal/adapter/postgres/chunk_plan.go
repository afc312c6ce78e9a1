package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/row"
)

// Plan implements capture.Snapshotter. Bounds are found by walking the key's
// index; a single integer key that is dense enough is divided without that.
func (s *Source) Plan(ctx context.Context, table row.TableID, after row.Tuple, rows int, emit func(hi row.Tuple) error) error {
	var k *tableKey
	var dense []row.Tuple
	err := s.readers.do(ctx, func(conn *pgx.Conn) (err error) {
		if _, _, k, err = s.table(ctx, conn, table); err != nil || len(k.cols) == 0 {
			return err
		}
		dense, err = k.divide(ctx, conn, after, rows)
		return err
	})
	if err != nil {
		return snapshotFailed(err, table, k)
	}
	for _, hi := range dense {
		if err := emit(hi); err != nil {
			return err
		}
	}
	for len(k.cols) > 0 && dense == nil {
		var next row.Tuple
		err := s.readers.do(ctx, func(conn *pgx.Conn) (err error) {
			next, err = k.step(ctx, conn, after, rows)
			return err
		})
		if err != nil {
			return snapshotFailed(err, table, k)
		}
		if next == nil {
			break
		}
		if err := emit(next); err != nil {
			return err
		}
		after = next
	}
	return emit(nil)
}

// step finds the key that is rows rows behind after; nil when there are fewer.
func (k *tableKey) step(ctx context.Context, conn *pgx.Conn, after row.Tuple, rows int) (row.Tuple, error) {
	where, err := k.where(after, nil)
	if err != nil {
		return nil, err
	}
	// The planner may think a scan and a sort of the whole table cheaper, if it
	// knows little of the table; for a walk in pieces it never is.
	sql := fmt.Sprintf(`SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SELECT %s FROM %s%s ORDER BY %s OFFSET %d LIMIT 1`,
		k.list(), k.from, where, k.list(), max(rows-1, 0))
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	last := results[len(results)-1]
	if len(last.Rows) == 0 {
		return nil, nil
	}
	return k.tuple(last.Rows[0]), nil
}

// denseEnough is how many values of an integer key there may be per row for the
// range to be divided evenly. No chunk gets more rows than it has values.
const denseEnough = 2

// divide cuts the range of a dense integer key; nil when it is not one.
func (k *tableKey) divide(ctx context.Context, conn *pgx.Conn, after row.Tuple, rows int) ([]row.Tuple, error) {
	if len(k.cols) != 1 || !isInteger(k.cols[0].oid) || k.rows <= 0 {
		return nil, nil
	}
	where, err := k.where(after, nil)
	if err != nil {
		return nil, err
	}
	var low, high *int64
	err = conn.QueryRow(ctx, fmt.Sprintf(`SELECT min(%[1]s)::int8, max(%[1]s)::int8 FROM %[2]s%[3]s`, k.list(), k.from, where)).Scan(&low, &high)
	if err != nil || low == nil {
		return nil, err
	}
	width := uint64(*high) - uint64(*low)
	if width/denseEnough > uint64(k.rows) {
		return nil, nil
	}
	step := uint64(max(float64(rows)*float64(width+1)/float64(max(k.rows, 1)), float64(rows), 1))
	step = min(step, uint64(rows)*denseEnough)
	out := []row.Tuple{}
	for at := uint64(*low) + step - 1; at-uint64(*low) < width; at += step {
		out = append(out, k.tuple([][]byte{strconv.AppendInt(nil, int64(at), 10)}))
	}
	return out, nil
}

func isInteger(oid uint32) bool { return oid == 20 || oid == 21 || oid == 23 }
