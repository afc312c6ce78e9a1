package feeds

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/control"
)

// verify runs weir changefeed verify, which exits with an error when sides differ.
func (h *house) verify(feed string) (r control.VerifyReport) {
	h.t.Helper()
	out, err := h.CLI(h.t.Context(), "changefeed", "verify", feed, "-o", "json")
	if e := json.Unmarshal(out, &r); e != nil {
		h.t.Fatalf("changefeed verify %s: %s, %v", feed, out, err)
	}
	if r.Equal != (err == nil) {
		h.t.Errorf("changefeed verify %s says equal: %v, and ends with %v", feed, r.Equal, err)
	}
	return r
}

// found is what a report has against the target.
func found(r control.VerifyReport) string {
	var all []string
	for _, t := range r.Tables {
		for _, d := range t.Differences {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", t.Table, d.Kind, d.Key, strings.Join(d.Columns, " "))))
		}
	}
	return strings.Join(all, "; ")
}

// kinds is a table with a column of every kind that has more than one spelling, and another
// of its name elsewhere.
const kinds = `
CREATE SCHEMA other;
CREATE TABLE other.orders (a text, b int, PRIMARY KEY (a, b));
INSERT INTO other.orders VALUES (E'x\ty\\', 1), ('', 2), ('ä', 3), ('Z', 4), (E'line\nend', 5);
CREATE TABLE kinds (id timestamptz PRIMARY KEY, b bool, f float8, n numeric(8,3), c char(5), j jsonb, i interval, d date, x bytea, a int[]);
INSERT INTO kinds VALUES ('2024-02-29 12:00:00.5+03', true, 0.1, 1.5, 'ab', '{"b": 1, "a": [2]}', '1 day 25:00', '2024-02-29', '\x00ff', '{1,NULL,3}'),
	('1999-12-31 23:59:59+00', NULL, 'NaN', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
FLUSH;`

// TestVerifyNamesTheKeysThatDiffer: of views and tables, equal ones are said to be equal while
// they are written to; a row that is changed, one that is gone and one too many are named.
func TestVerifyNamesTheKeysThatDiffer(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "verify")
	h.exec(relations)
	h.exec(kinds)
	h.exec(fmt.Sprintf("CREATE CHANGEFEED to_pg FOR revenue, orders, amounts, kinds, other.orders INTO '%s'", h.to))
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 2000; ; n++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			text := fmt.Sprintf("INSERT INTO orders VALUES (%d, 'c%d', 5); UPDATE orders SET amount = amount + 1 WHERE id %% 50 = %d", n, n%9, n%50)
			if err := sql(t.Context(), h.url(), text); err != nil {
				ended <- err
				return
			}
		}
	}()
	rows := map[string]int64{}
	for end := time.Now().Add(pick(3*time.Second, time.Minute)); time.Now().Before(end) || len(rows) == 0; {
		r := h.verify("to-pg")
		if !r.Equal || len(r.Tables) != 5 {
			t.Fatalf("%d tables, equal: %v, %s", len(r.Tables), r.Equal, found(r))
		}
		for _, table := range r.Tables {
			if table.SourceRows != table.TargetRows || table.SourceRows < max(1, rows[table.Table]) {
				t.Errorf("%s: %d rows here, %d there, %d before", table.Table, table.SourceRows, table.TargetRows, rows[table.Table])
			}
			rows[table.Table] = table.SourceRows
		}
	}
	close(stop)
	check(t, <-ended)
	if rows["public.orders"] <= 500 {
		t.Errorf("nothing was written meanwhile: orders has %d rows", rows["public.orders"])
	}
	check(t, h.Wait(t.Context(), "to-pg", limit)) // or the delivery mends what is changed there
	check(t, sql(t.Context(), h.to, `UPDATE orders SET amount = -1 WHERE id = 17; DELETE FROM orders WHERE id = 23; INSERT INTO orders VALUES (-7, 'extra');
		DELETE FROM revenue WHERE customer = 'c3'; INSERT INTO amounts VALUES (-5); UPDATE kinds SET i = '2 days 01:00' WHERE b;
		DELETE FROM other.orders WHERE b = 3`))
	got := found(h.verify("to-pg"))
	want := map[string]bool{
		"public.orders extra id=-7": true, "public.orders differs id=17 amount": true, "public.orders missing id=23": true,
		"public.revenue missing customer=c3": true, "public.amounts extra (-5.00)": true,
		"public.kinds differs id=2024-02-29 09:00:00.5+00 i": true, "other.orders missing a=ä, b=3": true,
	}
	for _, d := range strings.Split(got, "; ") {
		if !want[d] {
			t.Errorf("it names %s", d)
		}
		delete(want, d)
	}
	if len(want) > 0 {
		t.Errorf("it does not name %v: %s", want, got)
	}
	check(t, sql(t.Context(), h.to, "ALTER TABLE revenue RENAME TO income"))
	if out, err := h.CLI(t.Context(), "changefeed", "verify", "to-pg"); err == nil || !strings.Contains(err.Error()+string(out), "TargetMissing") {
		t.Errorf("the target lacks a table: %s, %v", out, err)
	}
}
