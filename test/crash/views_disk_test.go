package crash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

// watchedViews are views over a table of the source, and questions that both sides answer.
const watchedViews = `
CREATE MATERIALIZED VIEW by_kind AS SELECT kind, count(*) AS n, sum(v) AS total, max(filler) AS top FROM bulk GROUP BY kind;
CREATE MATERIALIZED VIEW pairs AS SELECT a.id, b.id AS other, a.filler FROM bulk a JOIN bulk b ON b.id = a.v;
CREATE MATERIALIZED VIEW best AS SELECT id, v, filler FROM bulk ORDER BY v DESC, id LIMIT 50;`

// viewAnswers are lines of a view, and PostgreSQL's for the same over the table.
var viewAnswers = map[string]string{
	"SELECT kind || ' ' || n || ' ' || total || ' ' || top AS x FROM by_kind": "SELECT kind || ' ' || count(*) || ' ' || sum(v) || ' ' || max(filler) AS x FROM bulk GROUP BY kind",
	"SELECT id || ' ' || other || ' ' || filler AS x FROM pairs":              "SELECT a.id || ' ' || b.id || ' ' || a.filler AS x FROM bulk a JOIN bulk b ON b.id = a.v",
	"SELECT id || ' ' || v || ' ' || filler AS x FROM best":                   "(SELECT id || ' ' || v || ' ' || filler AS x FROM bulk ORDER BY v DESC, id LIMIT 50)",
}

// digest is what an answer holds, as a bag of lines.
const digest = `SELECT count(*) || ' ' || coalesce(md5(string_agg(x, ';' ORDER BY x COLLATE "C")), '') FROM (%s) AS q`

// TestG1G6DiskFullUnderViews fills the disk under the data directory while views follow a source, until weir says
// so or has ended with that for its reason, and gives the room back: it goes on by itself, after a restart where it has
// ended, and the views are PostgreSQL's answer.
func TestG1G6DiskFullUnderViews(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "640m")
	src := pgtest.Start(t)
	url := src.CreateDB(t, "bank")
	src.Exec(t, "bank", "CREATE TABLE bulk (id int PRIMARY KEY, kind int NOT NULL, v int NOT NULL, filler text NOT NULL)")
	weir, err := rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(disk, "data"), Config: "[log]\nsegment_bytes = \"1MiB\"\nreserve_free_bytes = 0\n"})
	fine(t, err)
	t.Cleanup(func() {
		if err := weir.Kill(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", weir.Log())
		}
	})
	fine(t, weir.Start(t.Context()))
	here := "postgres://root@" + weir.SQLAddr() + "/dev?sslmode=disable"
	fine(t, statements(t.Context(), here, fmt.Sprintf("CREATE SOURCE bank WITH (connector = 'postgres-cdc', url = '%s')", url)))
	fine(t, statements(t.Context(), here, "CREATE TABLE bulk FROM bank TABLE 'public.bulk';"+watchedViews))

	rows := 0
	write := func() {
		src.Exec(t, "bank", fmt.Sprintf(`INSERT INTO bulk SELECT n, n %% 17, n * 7 %% 5000, repeat(md5(n::text), 10) FROM generate_series(%d, %d) n`, rows+1, rows+2000))
		src.Exec(t, "bank", fmt.Sprintf("UPDATE bulk SET v = v + 1 WHERE id %% 13 = %d; DELETE FROM bulk WHERE id %% 31 = %d", rows%13, rows%31))
		rows += 2000
	}
	write()
	ballast := filepath.Join(disk, "ballast")
	ended := starve(t, weir, func() {
		write()
		fill(t, ballast)
	})
	fine(t, os.Remove(ballast))
	if ended {
		fine(t, weir.Kill())
		fine(t, weir.Start(t.Context()))
	}
	write()
	answers(t, here, src.URL("bank"))
	fine(t, weir.Stop())
	fine(t, weir.Start(t.Context()))
	write()
	answers(t, here, src.URL("bank"))
}

// starve writes to a full disk until weir has told that views and log have no room, and some more; true: it has ended.
func starve(t *testing.T, weir *rig.Weir, write func()) (ended bool) {
	t.Helper()
	said := map[string]bool{"capture interrupted": false, "a database recovers": false}
	deadline := time.Now().Add(time.Minute)
	for more := pick(5, 100); more > 0 && !ended; {
		if time.Now().After(deadline) {
			t.Fatalf("G6: the disk is full for a minute and weir does not say LogFull: %v", said)
		}
		write()
		select {
		case <-weir.Ended():
			ended = true
		case <-time.After(200 * time.Millisecond):
		}
		text, err := os.ReadFile(weir.LogPath())
		fine(t, err)
		for line := range strings.Lines(string(text)) {
			full := strings.Contains(line, "[WEIR:LogFull]")
			for what := range said {
				said[what] = said[what] || full && strings.Contains(line, what)
			}
			pebbles := strings.Contains(line, "background error") || strings.Contains(line, "consequence=exit") // words of its own
			if !full && !pebbles && strings.Contains(line, "no space left") {
				t.Fatalf("G6: an error of a full disk is not LogFull: %s", line)
			}
		}
		if said["capture interrupted"] && said["a database recovers"] {
			more--
			deadline = deadline.Add(time.Second)
		}
	}
	return ended
}

// answers waits until the views are what PostgreSQL answers.
func answers(t *testing.T, here, there string) {
	t.Helper()
	for mine, theirs := range viewAnswers {
		var got, want string
		var err error
		for deadline := time.Now().Add(settle); ; pause(100 * time.Millisecond) {
			want, err = value(t.Context(), there, fmt.Sprintf(digest, theirs))
			fine(t, err)
			if got, err = value(t.Context(), here, fmt.Sprintf(digest, mine)); err == nil && got == want {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("G1: %s: %s, %v; PostgreSQL's answer is %s", mine, got, err, want)
			}
		}
		t.Logf("%s: %s", mine, got)
	}
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// statements runs some at an address, on a connection of their own.
func statements(ctx context.Context, url, text string) error {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has said all that matters
	_, err = conn.Exec(ctx, text, pgx.QueryExecModeSimpleProtocol)
	return err
}

// value asks for one text.
func value(ctx context.Context, url, query string) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has said all that matters
	err = conn.QueryRow(ctx, query, pgx.QueryExecModeSimpleProtocol).Scan(&text)
	return text, err
}
