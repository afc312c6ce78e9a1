package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest"
)

// The bank: two tables of accounts whose balances sum up to a constant, a
// journal with one row a transfer, and a version that counts a row's updates.
const (
	accounts    = 100
	openBalance = 1000
	totalMoney  = 2 * accounts * openBalance
)

var moneyTables = []string{"public.acct_a", "public.acct_b", "public.journal"}

const moneySchema = `
CREATE TABLE acct_a (id int PRIMARY KEY, balance bigint NOT NULL, version bigint NOT NULL);
CREATE TABLE acct_b (id int PRIMARY KEY, balance bigint NOT NULL, version bigint NOT NULL);
CREATE TABLE journal (id bigint PRIMARY KEY, from_a int NOT NULL, to_b int NOT NULL, amount bigint NOT NULL,
	memo text, at timestamptz NOT NULL DEFAULT now());
CREATE SEQUENCE journal_ids;`

// moneyAudit is installed at the target: what its triggers see is evidence from
// inside the target's own transactions.
const moneyAudit = `
CREATE TABLE audit_journal (seq bigint GENERATED ALWAYS AS IDENTITY, op text, id bigint);
CREATE TABLE audit_totals (xid xid8 PRIMARY KEY, total bigint, at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE FUNCTION audit_journal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
	INSERT INTO audit_journal (op, id) VALUES (TG_OP, coalesce(NEW.id, OLD.id));
	RETURN NULL;
END $$;
CREATE FUNCTION audit_totals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM audit_totals WHERE xid = pg_current_xact_id()) THEN
		INSERT INTO audit_totals (xid, total) SELECT pg_current_xact_id(),
			(SELECT coalesce(sum(balance), 0) FROM acct_a) + (SELECT coalesce(sum(balance), 0) FROM acct_b);
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON journal FOR EACH ROW EXECUTE FUNCTION audit_journal();
CREATE CONSTRAINT TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON acct_a DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION audit_totals();
CREATE CONSTRAINT TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON acct_b DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION audit_totals();
ALTER TABLE journal ENABLE ALWAYS TRIGGER audit;
ALTER TABLE acct_a ENABLE ALWAYS TRIGGER audit;
ALTER TABLE acct_b ENABLE ALWAYS TRIGGER audit;`

func openBank(t *testing.T, srv *pgtest.Server, db string) {
	t.Helper()
	srv.Exec(t, db, moneySchema+fmt.Sprintf(`
		INSERT INTO acct_a SELECT i, %d, 0 FROM generate_series(1, %d) i;
		INSERT INTO acct_b SELECT i, %d, 0 FROM generate_series(1, %d) i;`, openBalance, accounts, openBalance, accounts))
}

// transfers moves money until it is stopped, whatever becomes of the server.
type transfers struct {
	committed atomic.Int64
	cancel    context.CancelFunc
	wait      sync.WaitGroup
}

func startTransfers(url string, clients int, every time.Duration) *transfers {
	ctx, cancel := context.WithCancel(context.Background())
	w := &transfers{cancel: cancel}
	for range clients {
		w.wait.Go(func() {
			for ctx.Err() == nil {
				w.session(ctx, url, every) // ends with its server; the next one comes
				select {
				case <-ctx.Done():
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	return w
}

func (w *transfers) stop() {
	w.cancel()
	w.wait.Wait()
}

func (w *transfers) session(ctx context.Context, url string, every time.Duration) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if transfer(context.WithoutCancel(ctx), conn) != nil {
			return
		}
		w.committed.Add(1)
	}
}

// transfer moves money between one row of each table. One in twenty is rolled
// back, one in ten does part of its work in a sub-transaction that is.
func transfer(ctx context.Context, conn *pgx.Conn) error {
	a, b, amount := rand.IntN(accounts)+1, rand.IntN(accounts)+1, rand.IntN(20)-10
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue("UPDATE acct_a SET balance = balance - $2, version = version + 1 WHERE id = $1", a, amount)
	if rand.IntN(10) == 0 {
		batch.Queue("SAVEPOINT s")
		batch.Queue("UPDATE acct_b SET balance = balance + 7777, version = version + 100 WHERE id = $1", b)
		batch.Queue("ROLLBACK TO s")
	}
	batch.Queue("UPDATE acct_b SET balance = balance + $2, version = version + 1 WHERE id = $1", b, amount)
	batch.Queue("INSERT INTO journal (id, from_a, to_b, amount, memo) VALUES (nextval('journal_ids'), $1, $2, $3, 'transfer')", a, b, amount)
	if rand.IntN(20) == 0 {
		batch.Queue("ROLLBACK")
	} else {
		batch.Queue("COMMIT")
	}
	return conn.SendBatch(ctx, batch).Close()
}

// auditFaults judges what the target's triggers saw. since is when the target
// was known to be consistent.
func auditFaults(t *testing.T, target *pgx.Conn, since time.Time) (faults []string) {
	t.Helper()
	ctx := context.Background()
	var rows, seen, others, twice int64
	err := target.QueryRow(ctx, `SELECT (SELECT count(*) FROM journal),
		(SELECT count(DISTINCT id) FROM audit_journal WHERE op = 'INSERT'),
		(SELECT count(*) FROM audit_journal WHERE op <> 'INSERT'),
		(SELECT count(*) FROM (SELECT FROM audit_journal GROUP BY id HAVING count(*) > 1) d)`).Scan(&rows, &seen, &others, &twice)
	if err != nil {
		t.Fatal(err)
	}
	if rows == 0 || rows != seen || others != 0 || twice != 0 {
		faults = append(faults, fmt.Sprintf("G2: the journal has %d rows; its trigger saw %d inserted, %d more than once, and %d updates or deletes", rows, seen, twice, others))
	}
	var transactions, wrong int64
	var example *string
	err = target.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE total <> $2),
		min(format('%s at %s', total, at)) FILTER (WHERE total <> $2) FROM audit_totals WHERE at > $1`, since, totalMoney).
		Scan(&transactions, &wrong, &example)
	if err != nil {
		t.Fatal(err)
	}
	if wrong != 0 {
		faults = append(faults, fmt.Sprintf("G3: %d of %d target transactions end with another total than %d, such as %s", wrong, transactions, totalMoney, *example))
	}
	if transactions == 0 {
		faults = append(faults, "no target transaction after consistent_from: the test shows nothing")
	}
	t.Logf("the target's triggers saw %d journal rows and %d transactions after consistent_from", seen, transactions)
	return faults
}
