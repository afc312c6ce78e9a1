package consistency

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
)

// row is one of books, or of a relation with a key and a value.
type row struct {
	kind       string
	key, value int64
}

// relation is what a subscriber has: rows with their weights.
type relation map[row]int64

// apply takes one change.
func (r relation) apply(x row, diff int64) error {
	if r[x] += diff; r[x] == 0 {
		delete(r, x)
	}
	if r[x] < 0 {
		return fmt.Errorf("%v was retracted and is not there", x)
	}
	return nil
}

// put adds the rows to books.
func (r relation) put(b books) (faults []string) {
	for x, n := range r {
		if n != 1 {
			faults = append(faults, fmt.Sprintf("%v is there %d times", x, n))
		}
		if err := b.add(x.kind, x.key, x.value); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// subscribe calls change for every row that comes or goes, then complete for its epoch.
func subscribe(ctx context.Context, conn *pgx.Conn, query string, change func(x row, diff int64), complete func(epoch int64)) error {
	rows, err := conn.Query(ctx, "SUBSCRIBE ("+query+") WITH (PROGRESS)", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var epoch int64
		var progressed bool
		var diff, key, value *int64
		var kind *string
		if err := rows.Scan(&epoch, &progressed, &diff, &kind, &key, &value); err != nil {
			return err
		}
		if progressed {
			complete(epoch)
		} else {
			change(row{*kind, *key, *value}, *diff)
		}
	}
	return rows.Err()
}

// followBooks checks every epoch of the view that has everything.
func followBooks(ctx context.Context, conn *pgx.Conn, v *verdict) error {
	has := relation{}
	var faults []string
	return subscribe(ctx, conn, "SELECT * FROM books", func(x row, diff int64) {
		if err := has.apply(x, diff); err != nil {
			faults = append(faults, err.Error())
		}
	}, func(int64) {
		b := books{}
		faults = append(faults, has.put(b)...)
		v.saw("subscriber of books", append(faults, b.check()...))
		faults = nil
	})
}

// puzzled are the relations that are followed apart, with the queries that give their rows.
var puzzled = []string{"account", "credit", "debit", "balance", "total"}

var pieces = map[string]string{
	"account": "SELECT 'account'::text, id::bigint, balance FROM accounts",
	"credit":  "SELECT 'credit'::text, account::bigint, amount::bigint FROM credits",
	"debit":   "SELECT 'debit'::text, account::bigint, amount::bigint FROM debits",
	"balance": "SELECT 'balance'::text, account::bigint, amount::bigint FROM balance",
	"total":   "SELECT 'total'::text, 0::bigint, amount::bigint FROM total",
}

// puzzle puts together what several subscribers get, by epoch.
type puzzle struct {
	v  *verdict
	mu sync.Mutex
	of map[string]*history
}

// history is a relation over the epochs that were not put together yet.
type history struct {
	now     relation
	changes []changes // ascending
	from    int64     // the epoch of its snapshot
	known   int64     // complete up to this epoch; 0: no snapshot yet
}

// changes are those of one epoch.
type changes struct {
	epoch int64
	rows  []row
	diffs []int64
}

func newPuzzle(v *verdict) *puzzle {
	p := &puzzle{v: v, of: map[string]*history{}}
	for _, r := range puzzled {
		p.of[r] = &history{}
	}
	return p
}

// follow adds one piece. After an end of weir all begin anew, each with its snapshot.
func (p *puzzle) follow(ctx context.Context, conn *pgx.Conn, name string) error {
	h := &history{now: relation{}}
	p.mu.Lock()
	p.of[name] = h
	p.mu.Unlock()
	var at changes
	return subscribe(ctx, conn, pieces[name], func(x row, diff int64) {
		at.rows, at.diffs = append(at.rows, x), append(at.diffs, diff)
	}, func(epoch int64) {
		at.epoch = epoch
		p.mu.Lock()
		defer p.mu.Unlock()
		if h.from == 0 {
			h.from = epoch
		}
		h.changes, h.known = append(h.changes, at), epoch
		at = changes{}
		p.solve()
	})
}

// solve checks all epochs that every piece is complete for.
func (p *puzzle) solve() {
	first, last := int64(0), int64(1)<<62
	var epochs []int64
	for _, h := range p.of {
		if h.known == 0 {
			return
		}
		first, last = max(first, h.from), min(last, h.known)
		for _, c := range h.changes {
			epochs = append(epochs, c.epoch)
		}
	}
	slices.Sort(epochs)
	for _, e := range slices.Compact(epochs) {
		if e > last {
			return
		}
		var faults []string
		for _, h := range p.of {
			faults = append(faults, h.advance(e)...)
		}
		if e >= first {
			p.v.saw("epochs put together", append(faults, p.check()...))
		}
	}
}

// advance applies what came up to an epoch.
func (h *history) advance(e int64) (faults []string) {
	for len(h.changes) > 0 && h.changes[0].epoch <= e {
		c := h.changes[0]
		h.changes = h.changes[1:]
		for i, x := range c.rows {
			if err := h.now.apply(x, c.diffs[i]); err != nil {
				faults = append(faults, err.Error())
			}
		}
	}
	return faults
}

// check judges what these relations say together.
func (p *puzzle) check() (faults []string) {
	b := books{}
	for _, h := range p.of {
		faults = append(faults, h.now.put(b)...)
	}
	for id, balance := range b["account"] {
		c, d := b["credit"][id], b["debit"][id]
		if balance != opening+c-d || b["balance"][id] != c-d {
			faults = append(faults, fmt.Sprintf("account %d: %d, balance %d, credits %d, debits %d", id, balance, b["balance"][id], c, d))
		}
	}
	if len(b["account"]) != accounts || len(b["balance"]) != accounts || len(b["total"]) != 1 || b["total"][0] != 0 {
		faults = append(faults, fmt.Sprintf("%d accounts, %d balances, total %v", len(b["account"]), len(b["balance"]), b["total"]))
	}
	return faults
}
