package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
)

// batch is statements for one round trip. The first that fails ends it.
type batch struct {
	a        *applier
	pg       pgconn.Batch
	n        int // statements so far
	affected []int64
	failedAt int // index of the statement that failed
}

// batch begins with what waits in pre.
func (a *applier) batch() *batch {
	b := &batch{a: a, failedAt: -1}
	for _, p := range a.pre {
		b.plain(p)
	}
	a.pre = a.pre[:0]
	return b
}

// plain adds a statement without parameters.
func (b *batch) plain(sql string) {
	b.pg.ExecParams(sql, nil, nil, nil, nil)
	b.n++
}

// text adds a statement with parameters in text.
func (b *batch) text(sql string, params [][]byte) {
	b.pg.ExecParams(sql, params, nil, nil, nil)
	b.n++
}

var binaryFormat = []int16{1}

// add adds a prepared statement whose parameters are a.arrays.
func (b *batch) add(ctx context.Context, s *stmt) error {
	if err := b.a.prepare(ctx, s); err != nil {
		return err
	}
	b.pg.ExecPrepared(s.name, b.a.arrays.finish(s), binaryFormat, nil)
	b.n++
	return nil
}

// run sends the batch and reads how many rows each statement affected.
func (b *batch) run(ctx context.Context) error {
	if b.n == 0 {
		return nil
	}
	results := b.a.conn.PgConn().ExecBatch(ctx, &b.pg)
	for results.NextResult() {
		tag, err := results.ResultReader().Close()
		if err != nil {
			break
		}
		b.affected = append(b.affected, tag.RowsAffected())
	}
	b.failedAt = len(b.affected)
	return results.Close()
}
