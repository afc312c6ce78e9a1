package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// views are the two views over the shop: their queries run on the shop too, at the end.
var views = []struct{ name, query string }{
	{"bestsellers", `SELECT p.title, sum(i.quantity) AS sold, sum(i.quantity * i.price) AS revenue
	FROM order_items i JOIN products p ON p.id = i.product JOIN orders o ON o.id = i.order_id GROUP BY p.title`},
	{"pipeline", `SELECT o.status, count(*) AS orders, sum(o.total) AS total, count(DISTINCT o.customer) AS customers
	FROM orders o GROUP BY o.status`},
}

// viewed are the tables that the views read.
var viewed = []string{"products", "orders", "order_items"}

// connectSQL connects to weir's SQL port.
func (s *stage) connectSQL(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, "postgres://root@"+s.weir.SQLAddr()+"/dev?sslmode=disable")
}

// createSource makes the source of both the views and the changefeeds, by SQL.
func (s *stage) createSource(ctx context.Context) error {
	u, err := url.Parse(s.shop)
	if err != nil {
		return err
	}
	statement := func(password string) string {
		return fmt.Sprintf(`CREATE SOURCE shop WITH (connector = 'postgres-cdc', hostname = '%s', port = '%s', username = '%s', password = '%s',
	database.name = '%s')`, u.Hostname(), u.Port(), u.User.Username(), password, strings.TrimPrefix(u.Path, "/"))
	}
	say("  %s;", statement("…"))
	password, _ := u.User.Password()
	return s.run(ctx, statement(password))
}

// createViews makes tables that follow the shop's, and the views over them.
func (s *stage) createViews(ctx context.Context) error {
	for _, t := range viewed {
		if err := s.typed(ctx, fmt.Sprintf("CREATE TABLE %s (*) FROM shop TABLE 'public.%s'", t, t)); err != nil {
			return err
		}
	}
	for _, v := range views {
		if err := s.typed(ctx, "CREATE MATERIALIZED VIEW "+v.name+" AS "+v.query); err != nil {
			return err
		}
	}
	return nil
}

// typed shows a statement and runs it.
func (s *stage) typed(ctx context.Context, statement string) error {
	say("  %s;", statement)
	return s.run(ctx, statement)
}

func (s *stage) run(ctx context.Context, statement string) error {
	conn, err := s.connectSQL(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("by SQL: %w", err)
	}
	return nil
}

// glance is the views in a few words, all of one epoch, and how old that is.
func glance(ctx context.Context, conn *pgx.Conn) (string, error) {
	const query = `SELECT (SELECT string_agg(status || ' ' || orders, ', ' ORDER BY status) FROM pipeline),
		(SELECT title || ' ' || revenue FROM bestsellers ORDER BY revenue DESC, title LIMIT 1),
		(SELECT max(lag_ms) FROM weir_views)`
	var orders, best string
	var lag int64
	if err := conn.QueryRow(ctx, query).Scan(&orders, &best, &lag); err != nil {
		return "", fmt.Errorf("look at the views: %w", err)
	}
	return fmt.Sprintf("views: %s; best %s; %v old", orders, best, time.Duration(lag)*time.Millisecond), nil
}

// checkViews compares every view with its query on the shop, once it holds all of it.
func (s *stage) checkViews(ctx context.Context) error {
	conn, err := s.connectSQL(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	shop, err := pgx.Connect(ctx, s.shop)
	if err != nil {
		return err
	}
	defer shop.Close(ctx)
	start := time.Now()
	if _, err := conn.Exec(ctx, "SELECT weir_wait('shop')"); err != nil {
		return err
	}
	say("  views hold it after %v", time.Since(start).Round(time.Millisecond))
	for _, v := range views {
		here, err := sortedRows(ctx, conn, "SELECT * FROM "+v.name)
		if err != nil {
			return err
		}
		there, err := sortedRows(ctx, shop, v.query)
		if err != nil {
			return err
		}
		if !slices.Equal(here, there) {
			return fmt.Errorf("the view %s has other rows than its query on the shop:\n%s\nand there:\n%s",
				v.name, strings.Join(here, "\n"), strings.Join(there, "\n"))
		}
		say("  %-12s %d rows, the same as its query on the shop gives", v.name, len(here))
	}
	return nil
}

// sortedRows reads rows as text.
func sortedRows(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	rows, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	lines, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
		var parts []string
		for _, raw := range r.RawValues() {
			parts = append(parts, string(raw))
		}
		return strings.Join(parts, " "), nil
	})
	slices.Sort(lines)
	return lines, err
}
