package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/pgtest"
)

// client runs statements and writes down all that comes back.
type client struct {
	conn    *pgconn.PgConn
	notices []string
}

// newClient connects; url lets it choose the server.
func newClient(t *testing.T, url string) *client {
	t.Helper()
	c := &client{}
	cfg, err := pgx.ParseConfig(url)
	check(t, err)
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		c.notices = append(c.notices, describe((*pgconn.PgError)(n)))
	}
	c.conn, err = pgconn.ConnectConfig(waitContext(t), &cfg.Config)
	check(t, err)
	t.Cleanup(func() { _ = c.conn.Close(context.Background()) })
	return c
}

// describe writes an error or notice.
func describe(e *pgconn.PgError) string {
	s := e.Severity
	if s == "ERROR" || s == "WARNING" {
		s += " " + e.Code
	}
	s += ": " + e.Message
	if e.Position > 0 {
		s += fmt.Sprintf(" (at %d)", e.Position)
	}
	for _, part := range []struct{ name, text string }{{"DETAIL", e.Detail}, {"HINT", e.Hint}, {"CONTEXT", e.Where}} {
		if part.text != "" {
			s += "\n  " + part.name + ": " + strings.ReplaceAll(part.text, "\n", "\n    ")
		}
	}
	return s
}

// run sends text as a simple query.
func (c *client) run(text string, sorted bool) string {
	ctx, end := context.WithTimeout(context.Background(), 30*time.Second)
	defer end()
	var out strings.Builder
	say := func(line string) {
		for _, n := range c.notices {
			out.WriteString(n + "\n")
		}
		c.notices = nil
		if line != "" {
			out.WriteString(line + "\n")
		}
	}
	r := c.conn.Exec(ctx, text)
	for r.NextResult() {
		rr := r.ResultReader()
		var names []string
		for _, f := range rr.FieldDescriptions() {
			names = append(names, f.Name)
		}
		rows := c.rows(rr, sorted)
		tag, err := rr.Close()
		say("")
		if err == nil {
			if len(names) > 0 {
				say("[" + strings.Join(names, "|") + "]")
			}
			out.WriteString(rows)
			say(tag.String())
		}
	}
	if err := r.Close(); err != nil {
		var e *pgconn.PgError
		if errors.As(err, &e) {
			say(describe(e))
		} else {
			say(err.Error())
		}
	}
	return out.String()
}

func (c *client) rows(rr *pgconn.ResultReader, sorted bool) string {
	var lines []string
	for rr.NextRow() {
		cells := make([]string, len(rr.Values()))
		for i, v := range rr.Values() {
			if cells[i] = string(v); v == nil {
				cells[i] = "NULL"
			}
		}
		lines = append(lines, strings.Join(cells, "|")+"\n")
	}
	if sorted {
		slices.Sort(lines)
	}
	return strings.Join(lines, "")
}

// play runs a file of scripts:
//
//	sql [on=name]      statements, sent as one simple query of that client; with sorted its
//	                   rows are, with hide a Ts is #
//	copy [on=name]     COPY … FROM STDIN, then its data
//	out  [on=name]     COPY … TO STDOUT
func play(t *testing.T, path string, connect func() *client) {
	clients := map[string]*client{}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		name := "main"
		d.MaybeScanArgs(t, "on", &name)
		c := clients[name]
		if c == nil {
			c = connect()
			clients[name] = c
		}
		ctx, end := context.WithTimeout(context.Background(), 30*time.Second)
		defer end()
		var out strings.Builder
		var tag pgconn.CommandTag
		var err error
		switch d.Cmd {
		case "sql":
			got := c.run(d.Input, d.HasArg("sorted"))
			if d.HasArg("hide") {
				got = times.ReplaceAllString(got, "#")
			}
			return got
		case "copy":
			statement, data, _ := strings.Cut(d.Input, "\n")
			tag, err = c.conn.CopyFrom(ctx, strings.NewReader(data+"\n"), statement)
		case "out":
			tag, err = c.conn.CopyTo(ctx, &out, d.Input)
		default:
			t.Fatalf("no command %s", d.Cmd)
		}
		var e *pgconn.PgError
		if errors.As(err, &e) {
			return describe(e) + "\n"
		}
		check(t, err)
		return out.String() + tag.String() + "\n"
	})
}

// times are Ts as numbers.
var times = regexp.MustCompile(`\d{18}`)

func scripts(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	return files
}

// What a client sees of statements that PostgreSQL has too is what it sees there.
func TestScriptsAsInPostgres(t *testing.T) {
	srv := pgtest.Start(t)
	for _, f := range scripts(t, "testdata/postgres/*.txt") {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Run("postgres", func(t *testing.T) {
				url := srv.CreateDB(t, strings.TrimSuffix(filepath.Base(f), ".txt"))
				play(t, f, func() *client { return newClient(t, url) })
			})
			t.Run("weir", func(t *testing.T) {
				s := open(t)
				play(t, f, func() *client { return newClient(t, s.url()) })
			})
		})
	}
}

// What only Weir has.
func TestScriptsOfOurOwn(t *testing.T) {
	for _, f := range scripts(t, "testdata/own/*.txt") {
		t.Run(filepath.Base(f), func(t *testing.T) {
			s := open(t)
			play(t, f, func() *client { return newClient(t, s.url()) })
		})
	}
}
