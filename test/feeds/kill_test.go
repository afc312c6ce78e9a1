package feeds

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const journals = `
CREATE TABLE journal (writer int, n bigint, account int NOT NULL, amount bigint NOT NULL, PRIMARY KEY (writer, n));
CREATE MATERIALIZED VIEW balances AS SELECT account, sum(amount) AS balance, count(*) AS n FROM journal GROUP BY account;
CREATE MATERIALIZED VIEW recent AS SELECT writer, max(n) AS n, sum(amount) AS total FROM journal GROUP BY writer;`

// counts has the target count how often each row of the journal arrives.
const counts = `
CREATE TABLE public.arrivals (writer int, n bigint, times int, PRIMARY KEY (writer, n));
CREATE FUNCTION public.arrived() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO public.arrivals AS a VALUES (NEW.writer, NEW.n, 1) ON CONFLICT (writer, n) DO UPDATE SET times = a.times + 1;
	RETURN NULL;
END $$;
CREATE TRIGGER arrived AFTER INSERT OR UPDATE ON public.journal FOR EACH ROW EXECUTE FUNCTION public.arrived();
ALTER TABLE public.journal ENABLE ALWAYS TRIGGER arrived;`

// scribe writes its part of the journal, whatever happens to weir.
type scribe struct {
	url     string
	id      int
	n       int64 // the last row that may be there
	written atomic.Int64
}

func (s *scribe) run(ctx context.Context) {
	for ctx.Err() == nil {
		s.session(ctx)
		time.Sleep(20 * time.Millisecond) // weir is down: what else is there to wait for
	}
}

// session writes until the connection breaks. After that it asks what is there: the outcome of
// the last statement is not known.
func (s *scribe) session(ctx context.Context) {
	dial, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(dial, s.url)
	if err != nil {
		return
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // weir may be gone
	if err := conn.QueryRow(ctx, fmt.Sprintf("SELECT coalesce(max(n), 0) FROM journal WHERE writer = %d", s.id)).Scan(&s.n); err != nil {
		return
	}
	for ctx.Err() == nil {
		rows := 1 + rand.Int64N(20)
		_, err := conn.Exec(context.WithoutCancel(ctx), fmt.Sprintf(
			"INSERT INTO journal SELECT %d, %d + g, (g * 7) %% 13, g FROM generate_series(1, %d) AS s(g)", s.id, s.n, rows))
		if err != nil {
			return
		}
		s.n += rows
		s.written.Store(s.n)
	}
}

// TestEachChangeOnceUnderKills: writers go on while weir is killed with -9; at the end the target
// is what SELECT shows, and each row of the journal has arrived once.
func TestEachChangeOnceUnderKills(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "kills")
	h.exec(journals)
	h.exec("INSERT INTO journal SELECT 9, g, g % 13, 1 FROM generate_series(1, 1000) AS s(g)")
	h.exec(fmt.Sprintf("CREATE CHANGEFEED kills FOR journal, balances, recent INTO '%s'", h.to))
	check(t, h.Wait(t.Context(), "kills", limit)) // the tables are there
	check(t, sql(t.Context(), h.to, counts))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	scribes := []*scribe{{url: h.url(), id: 1}, {url: h.url(), id: 2}}
	for _, s := range scribes {
		running.Go(func() { s.run(ctx) })
	}
	for range pick(5, 30) {
		time.Sleep(time.Duration(100+rand.IntN(pick(900, 2500))) * time.Millisecond) // any moment will do
		check(t, h.Kill())
		check(t, h.Start(t.Context()))
	}
	stop()
	running.Wait()
	h.same("kills",
		"SELECT writer, n, account, amount FROM journal WHERE writer < 9 ORDER BY writer, n",
		"SELECT writer, n, total FROM recent WHERE writer < 9 ORDER BY writer",
		"SELECT account, balance, n FROM balances ORDER BY account")
	for _, wrong := range h.rows(h.to, `SELECT j.writer, j.n, coalesce(a.times, 0) FROM journal j LEFT JOIN arrivals a USING (writer, n)
		WHERE j.writer < 9 AND a.times IS DISTINCT FROM 1 LIMIT 10`) {
		t.Errorf("writer, row, arrivals: %s", wrong)
	}
	for _, s := range scribes {
		if s.written.Load() == 0 {
			t.Errorf("writer %d has written nothing", s.id)
		}
		t.Logf("writer %d has written %d rows", s.id, s.written.Load())
	}
}
