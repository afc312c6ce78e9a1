package clients

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// testPgx uses each of pgx's ways to send a query, batches, COPY, and many connections at once.
func testPgx(t *testing.T, url string) {
	ctx := t.Context()
	modes := map[string]pgx.QueryExecMode{
		"simple": pgx.QueryExecModeSimpleProtocol, "exec": pgx.QueryExecModeExec, "describe": pgx.QueryExecModeDescribeExec,
		"cached": pgx.QueryExecModeCacheStatement, "described": pgx.QueryExecModeCacheDescribe,
	}
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			cfg, err := pgx.ParseConfig(url)
			check(t, err)
			cfg.DefaultQueryExecMode = mode
			c, err := pgx.ConnectConfig(ctx, cfg)
			check(t, err)
			defer c.Close(ctx)
			ordinary(t, c, "pgx_"+name)
		})
	}
	t.Run("together", func(t *testing.T) {
		done := make(chan error)
		for i := range 16 {
			go func() { done <- echo(ctx, url, i) }()
		}
		for range 16 {
			check(t, <-done)
		}
	})
}

// echo asks for a number on a connection of its own.
func echo(ctx context.Context, url string, n int) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	var got int
	err = c.QueryRow(ctx, `SELECT $1::int`, n).Scan(&got)
	if err == nil && got != n {
		err = fmt.Errorf("got %d, want %d", got, n)
	}
	return err
}

// ordinary is what a program does in a day.
func ordinary(t *testing.T, c *pgx.Conn, table string) {
	ctx := t.Context()
	exec := func(query string, args ...any) {
		t.Helper()
		_, err := c.Exec(ctx, strings.ReplaceAll(query, "TABLE_", table), args...)
		check(t, err)
	}
	exec(`DROP TABLE IF EXISTS TABLE_ CASCADE`)
	exec(`CREATE TABLE TABLE_ (id int PRIMARY KEY, s text, n numeric, at timestamptz, ok bool, ids int[])`)
	exec(`CREATE MATERIALIZED VIEW TABLE__view AS SELECT ok, count(*) AS n, sum(id) AS ids FROM TABLE_ GROUP BY ok`)
	at := time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC)
	exec(`INSERT INTO TABLE_ VALUES ($1, $2, $3, $4, $5, $6)`, 1, "it's", 1.5, at, true, []int32{1, 2})
	batch := &pgx.Batch{}
	for i := range 10 {
		batch.Queue("INSERT INTO "+table+" (id, s, ok) VALUES ($1, $2, $3)", 10+i, fmt.Sprint(i), i%2 == 0)
	}
	check(t, c.SendBatch(ctx, batch).Close())
	n, err := c.CopyFrom(ctx, pgx.Identifier{table}, []string{"id", "s"}, pgx.CopyFromSlice(100, func(i int) ([]any, error) { return []any{1000 + i, "copied"}, nil }))
	if err != nil || n != 100 {
		t.Errorf("copied %d, %v", n, err)
	}
	var s string
	var back time.Time
	var ok bool
	var ids []int32
	check(t, c.QueryRow(ctx, "SELECT s, at, ok, ids FROM "+table+" WHERE id = $1", 1).Scan(&s, &back, &ok, &ids))
	if s != "it's" || !back.Equal(at) || !ok || len(ids) != 2 {
		t.Error(s, back, ok, ids)
	}
	rows, err := c.Query(ctx, "SELECT coalesce(ok::text, 'none'), n, ids::int8 FROM "+table+"_view ORDER BY 1")
	check(t, err)
	got, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
		var ok string
		var n, ids int64
		err := r.Scan(&ok, &n, &ids)
		return fmt.Sprint(ok, " ", n, " ", ids), err
	})
	check(t, err)
	if want := "[false 5 75 none 100 104950 true 6 71]"; fmt.Sprint(got) != want {
		t.Errorf("the view has %v, want %s", got, want)
	}
	check(t, pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE id >= $1", 1000)
		return err
	}))
	exec(`DROP TABLE TABLE_ CASCADE`)
}
