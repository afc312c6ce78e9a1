package consistency

import (
	"fmt"
	"maps"
	"slices"
)

const (
	accounts = 10
	opening  = 1000
	// idSpace is the room of one writer's ids in the ledger.
	idSpace = 1_000_000_000
)

const tables = `
CREATE TABLE accounts (id int PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE ledger (id bigint PRIMARY KEY, writer int NOT NULL, from_account int NOT NULL, to_account int NOT NULL, amount bigint NOT NULL);`

// seed has every account on both sides, so that total is 0 from the beginning.
const seed = `
INSERT INTO accounts SELECT i, 1000 FROM generate_series(0, 9) i;
INSERT INTO ledger SELECT i + 1, 0, i, (i + 1) % 10, 1 FROM generate_series(0, 9) i;`

const views = `
CREATE MATERIALIZED VIEW credits AS SELECT to_account AS account, sum(amount) AS amount FROM ledger GROUP BY to_account;
CREATE MATERIALIZED VIEW debits AS SELECT from_account AS account, sum(amount) AS amount FROM ledger GROUP BY from_account;
CREATE MATERIALIZED VIEW balance AS SELECT c.account, c.amount - d.amount AS amount FROM credits c JOIN debits d ON c.account = d.account;
CREATE MATERIALIZED VIEW total AS SELECT sum(amount) AS amount FROM balance;
CREATE MATERIALIZED VIEW pairs AS SELECT t.id, o.id AS other FROM ledger t LEFT JOIN ledger o ON t.id = o.id;
CREATE MATERIALIZED VIEW unmatched AS SELECT id FROM pairs WHERE other IS NULL;
CREATE MATERIALIZED VIEW audit AS SELECT a.id, a.balance FROM accounts a LEFT JOIN credits c ON c.account = a.id LEFT JOIN debits d ON d.account = a.id
	WHERE a.balance <> 1000 + coalesce(c.amount, 0) - coalesce(d.amount, 0);
CREATE MATERIALIZED VIEW written AS SELECT writer, count(*) AS n, max(id) % 1000000000 AS last FROM ledger GROUP BY writer;
CREATE MATERIALIZED VIEW books AS ` + everything + `;`

// everything is all of it as rows (kind, key, value), read from views as far as there are any.
const everything = `
SELECT 'account' AS kind, id::bigint AS key, balance AS value FROM accounts
UNION ALL SELECT 'credit', account, amount::bigint FROM credits
UNION ALL SELECT 'debit', account, amount::bigint FROM debits
UNION ALL SELECT 'balance', account, amount::bigint FROM balance
UNION ALL SELECT 'total', 0, amount::bigint FROM total
UNION ALL SELECT 'unmatched', id, 1 FROM unmatched
UNION ALL SELECT 'audit', id, balance FROM audit
UNION ALL SELECT 'pairs', count(*), count(other) FROM pairs
UNION ALL SELECT 'ledger', count(*), sum(amount)::bigint FROM ledger
UNION ALL SELECT 'written', writer, n FROM written
UNION ALL SELECT 'last', writer, last FROM written`

// anew computes from the tables what views say in everything.
const anew = `
SELECT 'anew credit', to_account::bigint, sum(amount)::bigint FROM ledger GROUP BY to_account
UNION ALL SELECT 'anew debit', from_account, sum(amount)::bigint FROM ledger GROUP BY from_account
UNION ALL SELECT 'anew written', writer, count(*) FROM ledger GROUP BY writer
UNION ALL SELECT 'books ' || kind, key, value FROM books`

// books is everything at one epoch: by kind and key.
type books map[string]map[int64]int64

// add notes a row; one of the same kind and key is a fault.
func (b books) add(kind string, key, value int64) error {
	if b[kind] == nil {
		b[kind] = map[int64]int64{}
	}
	if old, twice := b[kind][key]; twice {
		return fmt.Errorf("%s %d is there twice: %d and %d", kind, key, old, value)
	}
	b[kind][key] = value
	return nil
}

func sum(m map[int64]int64) (total int64) {
	for _, v := range m {
		total += v
	}
	return total
}

// check judges the invariants, and says what is broken.
func (b books) check() (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if n, m := len(b["account"]), sum(b["account"]); n != accounts || m != accounts*opening {
		fault("%d accounts hold %d", n, m)
	}
	for id, balance := range b["account"] {
		if want := opening + b["credit"][id] - b["debit"][id]; balance != want {
			fault("account %d holds %d, its transfers say %d", id, balance, want)
		}
		if got := b["balance"][id]; got != b["credit"][id]-b["debit"][id] {
			fault("the balance of %d is %d, credits %d less debits %d", id, got, b["credit"][id], b["debit"][id])
		}
	}
	if len(b["balance"]) != accounts || len(b["total"]) != 1 || b["total"][0] != 0 {
		fault("%d balances, total %v", len(b["balance"]), b["total"])
	}
	for n, amount := range b["ledger"] {
		c, d := sum(b["credit"]), sum(b["debit"])
		if c != amount || d != amount {
			fault("credits %d, debits %d, ledger %d", c, d, amount)
		}
		if w := sum(b["written"]); b["pairs"][n] != n || w != n {
			fault("the ledger has %d rows, pairs %v, %d by writers", n, b["pairs"], w)
		}
	}
	if len(b["ledger"]) != 1 || len(b["pairs"]) != 1 || len(b["unmatched"]) != 0 || len(b["audit"]) != 0 {
		fault("ledger %v, pairs %v, unmatched %v, audit %v", b["ledger"], b["pairs"], b["unmatched"], b["audit"])
	}
	if !maps.Equal(b["written"], b["last"]) {
		fault("of writers there are %v rows, up to %v: no prefix", b["written"], b["last"])
	}
	return append(faults, b.compare()...)
}

// compare finds views that differ from what was computed anew, or from the view books.
func (b books) compare() (faults []string) {
	for _, kind := range slices.Sorted(maps.Keys(b)) {
		for _, prefix := range []string{"anew ", "books "} {
			if again, there := b[prefix+kind]; there && !maps.Equal(again, b[kind]) {
				faults = append(faults, fmt.Sprintf("%s%s is %v, %s is %v", prefix, kind, again, kind, b[kind]))
			}
		}
	}
	return faults
}
