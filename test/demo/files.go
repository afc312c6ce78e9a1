package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/test/rig"
)

// checkFiles replays the lines of the orders: each order is created by exactly
// one line, and what is left at the end are the orders of the shop.
func checkFiles(ctx context.Context, dir, shopURL string) (summary string, err error) {
	lines := 0
	created, alive := map[string]int{}, map[string]bool{}
	err = rig.ReadLines(dir, func(l *rig.Line) error {
		lines++
		if l.Source.Table != "orders" {
			return nil
		}
		row, err := l.Row()
		if err != nil {
			return err
		}
		id := fmt.Sprint(row["id"])
		switch l.Op {
		case "c", "r":
			created[id]++
			alive[id] = true
		case "d":
			delete(alive, id)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	for id, n := range created {
		if n != 1 {
			return "", fmt.Errorf("files: order %s is created by %d lines", id, n)
		}
	}
	conn, err := pgx.Connect(ctx, shopURL)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT id::text FROM orders")
	if err != nil {
		return "", err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		if !alive[id] {
			return "", fmt.Errorf("files: no line creates order %s", id)
		}
	}
	if len(alive) != len(ids) {
		return "", fmt.Errorf("files: %d orders are left after all lines, the shop has %d", len(alive), len(ids))
	}
	return fmt.Sprintf("%d lines; each of %d orders is created by exactly one, and the same %d are left", lines, len(created), len(ids)), nil
}
