package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/control/controltest"
	"github.com/weirstream/weir/internal/httpapi"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// terminal is somebody who types commands at a real HTTP door.
type terminal struct {
	*controltest.World
	t      *testing.T
	dir    string // of files that commands name as DIR/…
	server *httptest.Server
	env    map[string]string
	served []config.Server
	serve  func(ctx context.Context) error

	stdout, stderr bytes.Buffer
}

func newTerminal(t *testing.T, token string) *terminal {
	m := &terminal{World: controltest.New(t), t: t, dir: t.TempDir(), env: map[string]string{}}
	m.server = httptest.NewServer(httpapi.New(httpapi.Options{
		Control: m.Control, Ready: func() error { return nil }, Metrics: prometheus.NewRegistry(),
		Logger: slog.New(slog.DiscardHandler), Level: new(slog.LevelVar), Now: func() time.Time { return m.Clock },
		Node: httpapi.Node{ID: "n1", Cluster: "c1", Address: "127.0.0.1:8300", Version: "v1"}, Token: token,
		Loopback: true, MaxBody: 1 << 20, MaxWaits: 4,
	}))
	t.Cleanup(m.server.Close)
	m.env["WEIR_SERVER"] = m.server.URL
	return m
}

// run types one command line.
func (m *terminal) run(args ...string) int {
	m.stdout.Reset()
	m.stderr.Reset()
	return Run(m.t.Context(), Programs{
		Version: "v1.2.3", Stdout: &m.stdout, Stderr: &m.stderr, Now: func() time.Time { return m.Clock.Add(13 * time.Second) },
		Env: func(n string) (string, bool) { v, ok := m.env[n]; return v, ok },
		Serve: func(ctx context.Context, cfg config.Server, _ string) error {
			m.served = append(m.served, cfg)
			if m.serve != nil {
				return m.serve(ctx)
			}
			return nil
		},
		Check: func(_ context.Context, url string, tables []string) (CheckReport, error) {
			switch {
			case strings.Contains(url, "broken"):
				return CheckReport{Upstream: "database shop", Findings: []Finding{
					{"error", "wal_level is replica", "ALTER SYSTEM SET wal_level = logical;\nthen restart the server"},
					{"note", "table public.log has no key", "it is delivered by appending"}}}, nil
			case strings.Contains(url, "away"):
				return CheckReport{}, weirerr.New(weirerr.UpstreamUnreachable, "cannot connect to %s", url).Hint("is it running?")
			}
			return CheckReport{Upstream: "database shop", OK: true, Findings: []Finding{}}, nil
		},
		CheckSQL: func(_ context.Context, r CheckSQLRequest) (string, error) {
			return "CREATE ROLE " + r.Role + "; -- for " + r.Source + "\n", nil
		},
		VerifyLog: func(_ context.Context, dir string) ([]LogReport, error) {
			return []LogReport{{Channel: "shop", OK: dir != "damaged", FirstTs: 3, LastTs: 9, Entries: 7, Bytes: 4096, Segments: 1,
				Faults: map[bool][]string{true: {"record at 17: crc"}, false: {}}[dir == "damaged"]}}, nil
		},
		BenchNexmark: func(_ context.Context, r NexmarkRun) (NexmarkReport, error) {
			return NexmarkReport{Query: r.Query, Sink: map[bool]string{true: "view", false: "blackhole"}[r.View], Checkpoints: !r.NoCheckpoint,
				Events: r.Events, EventRate: r.Rate, Seconds: 2, EventsPerSecond: float64(r.Events) / 2, EventsPerCPU: float64(r.Events) / 4,
				LoopPerSecond: 4e6, LoopRatio: 0.25, PeakRSSBytes: r.Memory, StateBytes: 1 << 20, Barriers: 3, BarrierP50: 10, BarrierP99: 20,
				ResultRows: 7, ResultHash: "00ff"}, nil
		},
		InspectLog: func(_ context.Context, _ string, which LogSelection, each func(LogEntry) error) error {
			for i := ts.Ts(1); i <= 3; i++ {
				e := LogEntry{Channel: "shop", Ts: which.After + i, Term: 2, Kind: "transaction", Position: "0/1A2B3C", Xid: 700, Bytes: 120, Count: 1}
				if which.Changes {
					e.Changes = []string{"insert public.orders (1)"}
				}
				if err := each(e); err != nil {
					return err
				}
			}
			return nil
		},
	}, args)
}

// TestGolden plays the scripts of testdata. A weir command's arguments are on the
// lines below it, one command line; DIR stands for a directory of the test, and
// SERVER for the server's address.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		m := newTerminal(t, "")
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			m.t = t
			switch td.Cmd {
			case "weir":
				return m.golden(td.Input)
			case "file":
				if err := os.WriteFile(filepath.Join(m.dir, td.CmdArgs[0].String()), []byte(td.Input), 0o600); err != nil {
					t.Fatal(err)
				}
				return ""
			case "busy":
				m.busy()
				return ""
			}
			t.Fatalf("unknown command %s", td.Cmd)
			return ""
		})
	})
}

func (m *terminal) golden(input string) string {
	code := m.run(words(strings.ReplaceAll(input, "DIR", m.dir))...)
	out := m.stdout.String()
	if s := m.stderr.String(); s != "" {
		out += "stderr:\n" + s
	}
	out = strings.NewReplacer(m.dir, "DIR", m.server.URL, "SERVER").Replace(out)
	if strings.Contains(out, controltest.Password) {
		m.t.Errorf("%s shows the password: %s", input, out)
	}
	return fmt.Sprintf("exit %d\n%s", code, out)
}

// busy has the runtime tell of a changefeed in trouble and a log it holds.
func (m *terminal) busy() {
	at := ts.FromTime(m.Clock.Add(-2 * time.Second))
	m.Set("cf1", func(s *control.FeedStatus) {
		s.State, s.CheckpointTs, s.ResolvedTs, s.ConsistentFrom = control.StateWarning, at, at+5, at-7
		s.Holder = control.Holder{Table: "public.orders", Stage: "sink", Since: m.Clock, Waits: "a lock"}
		s.Snapshot = control.Snapshot{RowsDone: 40, RowsTotal: 100, Tables: 1, ETA: 90}
		s.Tables = []control.TableStatus{{Table: "public.items", Stage: "reading", Since: m.Clock, RowsDone: 40, RowsTotal: 100}}
		s.PinBytes = 5 << 20
		s.Error = &control.Failure{Time: m.Clock, Code: weirerr.TargetUnreachable, Message: "refused " + controltest.Password,
			Hint: "is it running?", Fields: []control.FailureField{{Name: "table", Value: "public.orders"}}}
	})
	pin := control.Pin{Owner: "cf1", Ts: at, Since: m.Clock, Bytes: 5 << 20}
	m.Log = []control.ChannelStatus{{Channel: "shop", Source: "shop", Term: 3, FirstTs: at - 9, LastTs: at + 3, ResolvedTs: at + 5,
		TruncatedTs: at - 10, CheckpointTs: at - 1, Bytes: 64 << 20, Segments: 1, Holder: &pin, Pins: []control.Pin{pin}},
		{Channel: "idle", Source: "idle", Segments: 1}}
	m.Report = control.VerifyReport{Ts: at, Tables: []control.VerifyTable{
		{Table: "public.items", SourceRows: 9, TargetRows: 9},
		{Table: "public.orders", SourceRows: 20, TargetRows: 19, Differing: 3, Differences: []control.Difference{
			{Key: `{"id":"7"}`, Kind: "missing"}, {Key: `{"id":"8"}`, Kind: "differs", Columns: []string{"total", "note"}}}},
	}}
	m.Position = at
}

// words splits at blanks, outside single quotes.
func words(s string) []string {
	var out []string
	var b strings.Builder
	quoted, any := false, false
	for _, r := range s + " " {
		switch {
		case r == '\'':
			quoted, any = !quoted, true
		case !quoted && (r == ' ' || r == '\n'):
			if any {
				out = append(out, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteRune(r)
			any = true
		}
	}
	return out
}

func TestToken(t *testing.T) {
	m := newTerminal(t, "sesame-open")
	if code := m.run("source", "list"); code != exitNo || !strings.Contains(m.stderr.String(), "no valid token") {
		t.Errorf("without a token: %d %s", code, m.stderr.String())
	}
	path := filepath.Join(m.dir, "token")
	if err := os.WriteFile(path, []byte("sesame-open\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.env["WEIR_TOKEN_FILE"] = path
	if code := m.run("source", "list"); code != 0 {
		t.Errorf("with it: %d %s", code, m.stderr.String())
	}
}

func TestUnreachable(t *testing.T) {
	m := newTerminal(t, "")
	m.server.Close()
	if code := m.run("changefeed", "list"); code != exitUnreachable || !strings.Contains(m.stderr.String(), "WEIR_SERVER") {
		t.Errorf("%d %s", code, m.stderr.String())
	}
	if code := m.run("changefeed", "list", "-o", "json"); code != exitUnreachable || !json.Valid(m.stderr.Bytes()) {
		t.Errorf("%d %s", code, m.stderr.String())
	}
}

func TestServeOptions(t *testing.T) {
	m := newTerminal(t, "")
	file := filepath.Join(m.dir, "weir.toml")
	if err := os.WriteFile(file, []byte("data_dir = '/from/file'\nsql_addr = '127.0.0.1:1'\n[log]\nmax_bytes = '1GiB'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.env["WEIR_SQL_ADDR"] = "127.0.0.1:2"
	m.env["WEIR_LOG_MAX_BYTES"] = "2GiB"
	code := m.run("serve", "--config", file, "--log-max-bytes", "3GiB", "--insecure", "--http-addr=0.0.0.0:8300", "--http-pprof")
	if code != 0 || len(m.served) != 1 {
		t.Fatalf("%d %s", code, m.stderr.String())
	}
	got, want := m.served[0], config.DefaultServer()
	want.DataDir, want.SQLAddr, want.HTTPAddr, want.Log.MaxBytes = "/from/file", "127.0.0.1:2", "0.0.0.0:8300", 3*config.GiB
	want.Insecure, want.HTTP.PProf = true, true
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got.Effective(), want.Effective())
	}
	if !strings.Contains(m.stderr.String(), `log.max_bytes = "3GiB"`) {
		t.Errorf("the options are not printed: %s", m.stderr.String())
	}
	for _, args := range [][]string{
		{"serve", "--http-addr", "0.0.0.0:8300"}, {"serve", "--sql-addr", "nonsense"}, {"serve", "--log-max-bytes", "x"},
		{"serve", "--config", file + ".not"}, {"serve", "extra"}, {"serve", "--no-such-flag"},
	} {
		if code := m.run(args...); code != exitUsage {
			t.Errorf("%v: exit %d, want %d: %s", args, code, exitUsage, m.stderr.String())
		}
	}
	if len(m.served) != 1 {
		t.Errorf("a refused command line served")
	}
}

func TestServeEnds(t *testing.T) {
	m := newTerminal(t, "")
	m.serve = func(context.Context) error { return context.Canceled }
	if code := m.run("serve"); code != 0 {
		t.Errorf("an end that was asked for: exit %d %s", code, m.stderr.String())
	}
	m.serve = func(context.Context) error { return errors.New("the disk is gone") }
	if code := m.run("serve"); code != exitNo || !strings.Contains(m.stderr.String(), "the disk is gone") {
		t.Errorf("a failure: exit %d %s", code, m.stderr.String())
	}
}

// Arguments with passwords are not repeated in errors.
func TestErrorsHideArguments(t *testing.T) {
	m := newTerminal(t, "")
	url := "postgres://u:" + controltest.Password + "@away/db"
	for _, args := range [][]string{
		{"check", "--url", url}, {"changefeed", "list", "--server", "ftp://u:" + controltest.Password + "@h"},
		{"source", "create", "s", "extra", "--url", url}, {"source", "create", "s", "--url", "mysql" + url[8:]},
	} {
		if code := m.run(args...); code == 0 || strings.Contains(m.stdout.String()+m.stderr.String(), controltest.Password) {
			t.Errorf("%v: exit %d %s", args, code, m.stderr.String())
		}
	}
}
