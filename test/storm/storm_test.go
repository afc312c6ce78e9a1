package storm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/test/rig"
)

var weirBin string

func TestMain(m *testing.M) { os.Exit(rig.Built(m, &weirBin).Run()) }

const (
	// config keeps a query's memory small, so that one too many would show.
	config = "[sql]\nmemory_bytes = \"64MiB\"\nquery_memory_bytes = \"64MiB\"\n"
	// mostMemory is what weir may keep, in MiB: limits, and what a process has anyway.
	mostMemory = 700
	// answered bounds a statement's answer; the server ends it long before.
	answered = 30 * time.Second
)

// client is a connection that is made anew when the server ends it.
type client struct {
	t    *testing.T
	weir *rig.Weir
	conn *pgconn.PgConn
	by   map[string]int // answers by SQLSTATE; "": a result
}

func (c *client) connect() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), answered)
	defer cancel()
	var err error
	if c.conn, err = pgconn.Connect(ctx, "postgres://root@"+c.weir.SQLAddr()+"/dev?sslmode=disable"); err != nil {
		c.t.Fatalf("the server does not let anybody in: %v\n%s", err, c.weir.Log())
	}
	c.send("SET statement_timeout = '2s'", false)
}

// send gives a statement to the server, and checks the answer.
func (c *client) send(text string, extended bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), answered)
	defer cancel()
	var err error
	if extended {
		err = c.conn.ExecParams(ctx, text, nil, nil, nil, []int16{1}).Read().Err
	} else {
		err = c.conn.Exec(ctx, text).Close()
	}
	var e *pgconn.PgError
	switch {
	case err == nil:
		c.by[""]++
	case errors.As(err, &e):
		c.by[e.Code]++
		if e.Code == "" || strings.HasPrefix(e.Code, "XX") {
			c.t.Errorf("%s: %s (%s; %s)\n%s", e.Code, e.Message, e.Detail, e.Hint, text)
		}
	default:
		c.t.Errorf("no answer (extended: %v): %v\n%s", extended, err, text)
	}
	if c.conn.IsClosed() {
		c.connect()
	}
}

// fresh takes away what mutants have made, and makes the tables of the corpus.
func (c *client) fresh(schema []string) {
	c.t.Helper()
	c.send("ROLLBACK", false)
	c.send("DISCARD ALL", false)
	c.send("SET client_min_messages = 'error'", false)
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	for _, kind := range []string{"materialized view", "view", "table", "source"} {
		rows, err := c.conn.Exec(ctx, "SHOW "+kind+"s").ReadAll()
		if err != nil {
			c.t.Fatal(err)
		}
		for _, r := range rows[0].Rows {
			c.send("DROP "+kind+" IF EXISTS \""+strings.ReplaceAll(string(r[0]), "\"", "\"\"")+"\" CASCADE", false)
		}
	}
	for _, text := range schema {
		c.send(text, false)
	}
	c.send("SET statement_timeout = '2s'", false)
}

// memory is what the server keeps, in MiB.
func memory(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Skipf("memory cannot be read here: %v", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize() >> 20
}

// TestNoStatementCrashesTheServer.
func TestNoStatementCrashesTheServer(t *testing.T) {
	all := corpus(t)
	files, err := filepath.Glob("../oracle/testdata/schema/*.slt")
	if err != nil {
		t.Fatal(err)
	}
	var schema []string
	for _, name := range files {
		schema = append(schema, records(t, name)...)
	}
	weir, err := rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(t.TempDir(), "data"), Config: config})
	if err != nil {
		t.Fatal(err)
	}
	if err := weir.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	count, seed := 400, uint64(1)
	if os.Getenv("WEIR_SOAK") == "1" {
		count = 20000
	}
	if n, err := strconv.ParseUint(os.Getenv("WEIR_SEED"), 10, 64); err == nil {
		seed = n
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	c := &client{t: t, weir: weir, by: map[string]int{}}
	c.connect()
	most := 0
	for i := range count {
		if i%1000 == 0 {
			c.fresh(schema)
		}
		text := mutant(rng, all)
		if endless.MatchString(text) {
			continue
		}
		c.send(text, rng.IntN(2) == 0)
		if i%50 == 0 { // what holds up the next ones
			c.send("ROLLBACK", false)
			c.send("DROP MATERIALIZED VIEW IF EXISTS storm CASCADE", false)
			c.send("SET statement_timeout = '2s'", false)
		}
		if now := memory(t, weir.Pid()); now > most {
			if now > most+100 {
				t.Logf("from %d to %d MiB after\n%s", most, now, text)
			}
			most = now
		}
		if t.Failed() && count == 400 {
			break
		}
	}
	t.Logf("seed %d: %d statements, at most %d MiB; answers by SQLSTATE: %v", seed, count, most, c.by)
	if c.by[""] < count/20 {
		t.Errorf("only %d results: the mutants are too strange", c.by[""])
	}
	if most > mostMemory {
		t.Errorf("the server took %d MiB, more than %d", most, mostMemory)
	}
	if err := weir.Stop(); err != nil {
		t.Errorf("the server did not stop well: %v\n%s", err, weir.Log())
	}
	if log := weir.Log(); strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		t.Errorf("the server's log tells of a panic:\n%s", log)
	}
}
