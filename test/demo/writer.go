package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// writer commits shop transactions at a steady rate until it is stopped.
type writer struct {
	commits, rows atomic.Int64
	cancel        context.CancelFunc
	wait          sync.WaitGroup
	err           error // of the first client that failed; read after stop
	once          sync.Once
}

// startWriter opens the shop with a few clients, which share the rate.
func startWriter(url string, rate int) *writer {
	const clients = 2
	ctx, cancel := context.WithCancel(context.Background())
	w := &writer{cancel: cancel}
	for range clients {
		w.wait.Go(func() {
			if err := w.client(ctx, url, time.Second*clients/time.Duration(max(1, rate))); err != nil && ctx.Err() == nil {
				w.once.Do(func() { w.err = err })
			}
		})
	}
	return w
}

// stop ends the writer between two transactions.
func (w *writer) stop() error {
	w.cancel()
	w.wait.Wait()
	return w.err
}

func (w *writer) client(ctx context.Context, url string, every time.Duration) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		// Not cut short by the end of ctx: a transaction is finished once begun.
		rows, err := transaction(context.WithoutCancel(ctx), conn)
		if err != nil {
			return fmt.Errorf("shop writer: %w", err)
		}
		w.commits.Add(1)
		w.rows.Add(rows)
	}
}

// transaction does one of the things that happen in a shop, over several tables.
func transaction(ctx context.Context, conn *pgx.Conn) (rows int64, err error) {
	kind := sell
	switch n := rand.IntN(100); {
	case n < 20:
		kind = ship
	case n < 30:
		kind = cancel
	case n < 35:
		kind = register
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, step := range kind() {
			tag, err := tx.Exec(ctx, step.sql, step.args...)
			if err != nil {
				return err
			}
			rows += tag.RowsAffected()
		}
		return nil
	})
	return rows, err
}

type step struct {
	sql  string
	args []any
}

// sell places an order of one to five lines and takes them from stock. Products
// are taken in order of their id, so that two sales never wait for each other
// in a circle; and not FOR UPDATE, which would wait for the lines' foreign keys.
func sell() []step {
	first, lines := rand.IntN(490)+1, rand.IntN(5)+1
	return []step{
		{`INSERT INTO orders (customer, note) VALUES ($1, CASE WHEN $2 THEN repeat('gift ', 40) END)`,
			[]any{rand.IntN(5000) + 1, rand.IntN(4) == 0}},
		{`INSERT INTO order_items (order_id, line, product, quantity, price)
			SELECT currval('orders_id_seq'), p.id - $1 + 1, p.id, $3, p.price FROM products p WHERE p.id >= $1 AND p.id < $1 + $2 ORDER BY p.id`,
			[]any{first, lines, rand.IntN(9) + 1}},
		{`UPDATE products p SET stock = stock - 1 FROM (SELECT id FROM products WHERE id >= $1 AND id < $1 + $2 ORDER BY id FOR NO KEY UPDATE) l WHERE p.id = l.id`,
			[]any{first, lines}},
		{`UPDATE orders SET total = (SELECT sum(amount) FROM order_items WHERE order_id = orders.id) WHERE id = currval('orders_id_seq')`, nil},
	}
}

// ship moves a recent order on.
func ship() []step {
	return []step{{`UPDATE orders SET status = CASE status WHEN 'new' THEN 'paid'::order_status ELSE 'shipped' END
		WHERE id = (SELECT max(id) FROM orders) - $1`, []any{rand.IntN(500)}}}
}

// cancel deletes an old order with its lines.
func cancel() []step {
	return []step{{`DELETE FROM orders WHERE id = (SELECT id FROM orders WHERE id >= $1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)`,
		[]any{rand.IntN(20000)}}}
}

// register adds a customer and moves another.
func register() []step {
	return []step{
		{`INSERT INTO customers (email, name) VALUES ('n' || nextval('customers_id_seq') || '@example.org', 'New')`, nil},
		{`UPDATE customers SET address = jsonb_build_object('city', 'Moved', 'at', clock_timestamp()) WHERE id = $1`, []any{rand.IntN(5000) + 1}},
	}
}
