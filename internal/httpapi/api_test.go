package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/control/controltest"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

type door struct {
	*controltest.World
	Options
	t      *testing.T
	server *httptest.Server
	log    bytes.Buffer
}

func newDoor(t *testing.T, change func(*Options)) *door {
	d := &door{World: controltest.New(t), t: t}
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "weir_test_total", Help: "For the test."}))
	d.Options = Options{
		Control: d.World.Control, Ready: func() error { return nil }, Metrics: reg,
		Logger: slog.New(slog.NewTextHandler(&d.log, nil)), Level: new(slog.LevelVar),
		Now:      func() time.Time { return d.Clock },
		Node:     Node{ID: "n1", Cluster: "c1", Address: "127.0.0.1:8300", Version: "v1", GitHash: "abc", PID: 7},
		Loopback: true, MaxBody: 4096, MaxWaits: 2,
	}
	if change != nil {
		change(&d.Options)
	}
	d.server = httptest.NewServer(New(d.Options))
	t.Cleanup(d.server.Close)
	return d
}

// do sends a request and gives status and body.
func (d *door) do(method, path, body string, header ...string) (int, string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.server.URL+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if strings.Contains(string(text), controltest.Password) {
		d.t.Errorf("%s %s shows the password: %s", method, path, text)
	}
	return resp.StatusCode, string(text)
}

// TestGolden plays the scripts of testdata: requests and their answers.
//
//	http METHOD PATH      the body below; the answer is the status and indented JSON
//	feed ID key=value …   sets what the changefeed tells of itself
//	source key=value …    sets what every source tells of itself
//	fail CALL             makes a call of the runtime fail; fail CALL off ends that
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		d := newDoor(t, nil)
		d.prepare()
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			d.t = t
			switch td.Cmd {
			case "http":
				return d.golden(td.CmdArgs[0].String(), td.CmdArgs[1].String(), td.Input)
			case "feed":
				return d.feed(td)
			case "fail":
				call := td.Input
				if td.HasArg("off") {
					delete(d.Fail, call)
				} else {
					d.Fail[call] = weirerr.New(weirerr.UpstreamUnreachable, "cannot connect to %s", controltest.Password)
				}
				return ""
			}
			t.Fatalf("unknown command %s", td.Cmd)
			return ""
		})
	})
}

// prepare gives the runtime things to tell that no script sets.
func (d *door) prepare() {
	d.Position = 1000
	d.Log = []control.ChannelStatus{{
		Channel: "pg-1-shop", Source: "shop", Term: 3, FirstTs: 10, LastTs: 30, ResolvedTs: 40, TruncatedTs: 5, CheckpointTs: 9,
		Bytes: 4096, Segments: 1, Holder: &control.Pin{Owner: "cf1", Ts: 9, Since: d.Clock, Bytes: 4000},
		Pins: []control.Pin{{Owner: "cf1", Ts: 9, Since: d.Clock, Bytes: 4000}},
	}}
	d.Report = control.VerifyReport{Ts: 44, Tables: []control.VerifyTable{
		{Table: "public.orders", SourceRows: 2, TargetRows: 1, Differing: 1, Differences: []control.Difference{{Key: `{"id":"7"}`, Kind: "missing"}}},
	}}
}

func (d *door) golden(method, path, body string) string {
	status, text := d.do(method, path, body)
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
		return fmt.Sprintf("%d\n%s", status, text)
	}
	return fmt.Sprintf("%d\n%s", status, strings.TrimSpace(out.String())+"\n")
}

func (d *door) feed(td *datadriven.TestData) string {
	d.Set(td.CmdArgs[0].Key, func(s *control.FeedStatus) {
		for _, arg := range td.CmdArgs[1:] {
			number := func() ts.Ts {
				t, err := ts.Parse(arg.Vals[0])
				if err != nil {
					d.t.Fatal(err)
				}
				return t
			}
			switch arg.Key {
			case "state":
				s.State = control.State(arg.Vals[0])
			case "checkpoint":
				s.CheckpointTs = number()
			case "resolved":
				s.ResolvedTs = number()
			case "synced":
				s.LastSyncedTs = number()
			case "consistent":
				s.ConsistentFrom = number()
			case "holder":
				s.Holder = control.Holder{Table: arg.Vals[0], Stage: "sink", Since: d.Clock}
			case "rows":
				s.Snapshot = control.Snapshot{RowsDone: int64(number()), RowsTotal: 100, Tables: 1, ETA: 9}
			case "error":
				s.Error = &control.Failure{Time: d.Clock, Code: weirerr.Code(arg.Vals[0]), Message: "refused " + controltest.Password, Hint: "mend it"}
			default:
				d.t.Fatalf("unknown argument %s", arg.Key)
			}
		}
	})
	return ""
}

func TestToken(t *testing.T) {
	d := newDoor(t, func(o *Options) { o.Token = "sesame-open"; o.Loopback = false })
	for _, c := range []struct {
		path, auth string
		want       int
	}{
		{"/healthz", "", 200}, {"/readyz", "", 200},
		{"/metrics", "", 401}, {"/api/v2/health", "", 401}, {"/api/v2/changefeeds", "", 401}, {"/nowhere", "", 401},
		{"/api/v2/changefeeds", "Bearer wrong", 401}, {"/api/v2/changefeeds", "sesame-open", 401},
		{"/api/v2/changefeeds", "Basic sesame-open", 401},
		{"/api/v2/changefeeds", "Bearer sesame-open", 200}, {"/metrics", "Bearer sesame-open", 200},
		{"/nowhere", "Bearer sesame-open", 404},
	} {
		if status, body := d.do("GET", c.path, "", "Authorization", c.auth); status != c.want {
			t.Errorf("GET %s with %q: %d %s, want %d", c.path, c.auth, status, body, c.want)
		}
	}
}

func TestStrangePagesAreRefused(t *testing.T) {
	d := newDoor(t, nil)
	for _, c := range []struct {
		method string
		header []string
		want   int
	}{
		{"POST", []string{"Origin", "https://evil.example"}, 401},
		{"POST", []string{"Sec-Fetch-Site", "cross-site"}, 401},
		{"GET", []string{"Host", "evil.example:8300"}, 401},
		{"GET", []string{"Host", "localhost:8300"}, 200},
		{"GET", []string{"Host", "[::1]:8300"}, 200},
		{"GET", nil, 200},
	} {
		if status, body := d.do(c.method, "/api/v2/changefeeds", "{}", c.header...); status != c.want {
			t.Errorf("%s with %v: %d %s, want %d", c.method, c.header, status, body, c.want)
		}
	}
	open := newDoor(t, func(o *Options) { o.Loopback = false })
	if status, _ := open.do("GET", "/api/v2/changefeeds", "", "Host", "weir.example"); status != 200 {
		t.Errorf("a host name on an open listener: %d", status)
	}
}

func TestNotReady(t *testing.T) {
	d := newDoor(t, func(o *Options) {
		o.Ready = func() error { return weirerr.New(weirerr.NotReady, "the log is being opened") }
	})
	for path, want := range map[string]int{"/healthz": 200, "/metrics": 200, "/api/v2/status": 200,
		"/readyz": 503, "/api/v2/health": 500, "/api/v2/changefeeds": 503, "/api/weir/sources": 503} {
		status, body := d.do("GET", path, "")
		if status != want || want >= 500 && !strings.Contains(body, `"error_code":"WEIR:NotReady"`) {
			t.Errorf("GET %s: %d %s, want %d", path, status, body, want)
		}
	}
}

func TestBodyIsBounded(t *testing.T) {
	d := newDoor(t, nil)
	body := `{"name":"` + strings.Repeat("a", 5000) + `"}`
	if status, text := d.do("POST", "/api/weir/sources", body); status != 413 || !strings.Contains(text, "larger than 4096") {
		t.Errorf("%d %s", status, text)
	}
}

func TestWaitsAreBounded(t *testing.T) {
	d := newDoor(t, func(o *Options) { o.MaxWaits = 1 })
	d.MakeSource("shop")
	d.MakeFeed("cf1")
	d.Waiting = make(chan struct{})
	done := make(chan int)
	go func() {
		status, _ := d.do("POST", "/api/weir/changefeeds/cf1/wait?timeout=300ms", "")
		done <- status
	}()
	<-d.Waiting
	if status, body := d.do("POST", "/api/weir/changefeeds/cf1/verify", ""); status != 429 || !strings.Contains(body, "http.max_waits") {
		t.Errorf("one too many: %d %s", status, body)
	}
	if status := <-done; status != 504 {
		t.Errorf("the wait ended with %d, want 504", status)
	}
	if status, body := d.do("POST", "/api/weir/changefeeds/cf1/verify", ""); status == 429 {
		t.Errorf("the place is not free again: %s", body)
	}
}

func TestMetricsAndProfiles(t *testing.T) {
	d := newDoor(t, nil)
	if status, body := d.do("GET", "/metrics", ""); status != 200 || !strings.Contains(body, "weir_test_total 0") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := d.do("GET", "/debug/pprof/cmdline", ""); status != 404 {
		t.Errorf("profiles are served without being asked for: %d", status)
	}
	on := newDoor(t, func(o *Options) { o.PProf = true })
	if status, _ := on.do("GET", "/debug/pprof/cmdline", ""); status != 200 {
		t.Errorf("profiles: %d", status)
	}
}

func TestLogLevel(t *testing.T) {
	d := newDoor(t, nil)
	if status, _ := d.do("POST", "/api/v2/log", `{"log_level":"debug"}`); status != 200 || d.Level.Level() != slog.LevelDebug {
		t.Errorf("%d, level %s", status, d.Level.Level())
	}
	if status, body := d.do("POST", "/api/v2/log", `{"log_level":"loud"}`); status != 400 {
		t.Errorf("%d %s", status, body)
	}
}

func TestPanicIsAnswered(t *testing.T) {
	d := newDoor(t, func(o *Options) { o.Ready = func() error { panic("boom") } })
	status, body := d.do("GET", "/api/v2/changefeeds", "")
	if status != 500 || !strings.Contains(body, "WEIR:Unknown") || strings.Contains(body, "boom") {
		t.Errorf("%d %s", status, body)
	}
	if !strings.Contains(d.log.String(), "boom") {
		t.Errorf("the log has nothing of the panic: %s", d.log.String())
	}
}

func TestReplicaConfig(t *testing.T) {
	d := newDoor(t, nil)
	d.MakeSource("shop")
	for _, c := range []struct{ config, want string }{
		{`{"memory_quota":1,"case_sensitive":false,"mounter":{"worker_num":16},"sink":{"csv":{"delimiter":","},"dispatchers":[],"kafka_config":null,"cloud_storage_config":{"worker_count":3,"file_size":1048576}},"consistent":{"level":"none","max_log_size":64},"integrity":{"integrity_check_level":"none"},"filter":null}`, ""},
		{`{"enable_sync_point":true}`, "replica_config.enable_sync_point is true"},
		{`{"bdr_mode":true}`, "bdr_mode"},
		{`{"sink":{"protocol":"canal-json"}}`, `sink.protocol is "canal-json"`},
		{`{"sink":{"dispatchers":[{"matcher":["a.*"]}]}}`, "sink.dispatchers"},
		{`{"sink":{"column_selectors":[{}]}}`, "sink.column_selectors"},
		{`{"filter":{"event_filters":[{}]}}`, "filter.event_filters"},
		{`{"consistent":{"level":"eventual"}}`, "there is no redo log"},
		{`{"nonsense":1}`, "unknown key replica_config.nonsense"},
		{`{"sink":{"nonsense":1}}`, "unknown key replica_config.sink.nonsense"},
		{`{"filter":{"rules":["x"]}}`, "rule"},
		{`{"changefeed_error_stuck_duration":"soon"}`, "changefeed_error_stuck_duration"},
		{`{"changefeed_error_stuck_duration":"1ms"}`, "stuck_duration"},
		{`[]`, "malformed body"},
	} {
		status, body := d.do("POST", "/api/v2/changefeeds", `{"sink_uri":"blackhole://","replica_config":`+c.config+`}`)
		if c.want == "" && status != 200 || c.want != "" && (status != 400 || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), c.want)) {
			t.Errorf("%s: %d %s; want %q", c.config, status, body, c.want)
		}
	}
}
