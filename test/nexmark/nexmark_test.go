package nexmark_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/nexmark"
	"github.com/weirstream/weir/test/rig"
	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

var (
	srv     *pgtest.Server
	weirBin string // the weir under test, built once
)

func TestMain(m *testing.M) { pgtest.Main(rig.Built(m, &weirBin), &srv) }

// rows is how many rows queries find in the sample, counted by hand.
var rows = map[int]int{
	0: 29, 1: 29, 22: 29,
	2:  8,  // five bids on 1107 = 9 * 123, three on 1230 = 10 * 123
	3:  2,  // Ana's lamp and Bo's chair
	4:  3,  // categories 10, 11, 12
	8:  3,  // Ana, Bo and Cy
	9:  4,  // the ring's bids come too late, the globe has none
	15: 2,  // two days
	20: 10, // five bids on the lamp, two on the chair, three on the ring
}

// crowd adds three thousand bids, of which many share price, time or both.
const crowd = `
	INSERT INTO auction SELECT 2000 + n, 'item', 'thing', 1, 2, timestamp '2015-07-15' + n * interval '0.7 seconds',
		timestamp '2015-07-15 00:00:30' + n * interval '1 second', 1000 + n % 6, 10 + n % 5, '' FROM generate_series(1, 60) AS n;
	INSERT INTO person SELECT 1003 + n, 'p' || n, 'e', 'c', 'Boise', 'ID', timestamp '2015-07-15' + n * interval '9 seconds', ''
		FROM generate_series(1, 9) AS n;
	INSERT INTO bid SELECT 2000 + n * n % 71, 1000 + n % 7, 10 ^ (n * 7919 % 7) * (1 + n % 3), 'channel-' || n % 5, 'a/b/c/d' || n % 2,
		timestamp '2015-07-15' + (n * 31 % 997) / 10 * interval '1 second', repeat('c', n % 4) FROM generate_series(1, 3000) AS n`

// Both forms of each query find the same in the sample and in a crowd, under the
// same names and types. PostgreSQL runs the form for weir too: its windows are written out first.
func TestBothFormsFindTheSame(t *testing.T) {
	t.Parallel()
	rows := rows
	conn, err := play.Dial(t.Context(), srv.CreateDB(t, "nexmark"), "postgresql")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	exec := func(sql string) play.Result {
		r, err := conn.Exec(t.Context(), sql)
		if err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		return r
	}
	exec(nexmark.Schema)
	exec(nexmark.Sample)
	compare := func() {
		for _, n := range nexmark.Queries() {
			batch, stream := exec(nexmark.Batch(n)), exec(windows(nexmark.Stream(n)))
			if !slices.Equal(batch.Columns, stream.Columns) {
				t.Errorf("q%d: columns %v, then %v", n, batch.Columns, stream.Columns)
			}
			if want := batch.Rows.Lines(script.RowSort, 0); !stream.Rows.Matches(want, script.RowSort) {
				t.Errorf("q%d:\n%q\n%q", n, want, stream.Rows.Lines(script.RowSort, 0))
			}
			if len(batch.Rows) == 0 || rows[n] != 0 && len(batch.Rows) != rows[n] {
				t.Errorf("q%d finds %d rows, want %d", n, len(batch.Rows), rows[n])
			}
		}
	}
	compare()
	exec(crowd)
	rows = nil
	compare()
}

var (
	tumble = regexp.MustCompile(`TUMBLE\((\w+), (\w+), INTERVAL '(\w+ seconds)'\)`)
	hop    = regexp.MustCompile(`HOP\((\w+), (\w+), INTERVAL '2 seconds', INTERVAL '10 seconds'\)`)
)

// windows writes TUMBLE and HOP out for PostgreSQL.
func windows(sql string) string {
	const bin = "date_bin('%s', $2, timestamp '1970-01-01')"
	sql = tumble.ReplaceAllString(sql, "(SELECT *, "+fmt.Sprintf(bin, "$3")+" AS window_start, "+
		fmt.Sprintf(bin, "$3")+" + interval '$3' AS window_end FROM $1) AS w")
	return hop.ReplaceAllString(sql, "(SELECT $1.*, s AS window_start FROM $1, generate_series("+fmt.Sprintf(bin, "2 seconds")+
		" - interval '8 seconds', $2, interval '2 seconds') AS s) AS w")
}
