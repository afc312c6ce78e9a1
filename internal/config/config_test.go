package config

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/weirerr"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/configuration.md")

func TestDefaultsAreValid(t *testing.T) {
	s, c := DefaultServer(), DefaultChangefeed()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func TestLaterWins(t *testing.T) {
	s := DefaultServer()
	file := "data_dir = '/f'\nhttp_addr = '127.0.0.1:1'\n[log]\nsegment_bytes = '8MiB'\nmax_bytes = 1073741824\n[http]\nmax_waits = 3\nheader_timeout = '2s'\n"
	if err := s.ReadServer("weir.toml", []byte(file)); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"WEIR_HTTP_ADDR": "127.0.0.1:2", "WEIR_LOG_SEGMENT_BYTES": "16MiB", "WEIR_HTTP_PPROF": "true", "WEIR_HTTP_MAX_WAITS": "5"}
	if err := s.ApplyEnv(func(n string) (string, bool) { v, ok := env[n]; return v, ok }); err != nil {
		t.Fatal(err)
	}
	want := DefaultServer()
	want.DataDir, want.HTTPAddr = "/f", "127.0.0.1:2"
	want.Log.SegmentBytes, want.Log.MaxBytes = 16*MiB, GiB
	want.HTTP.PProf, want.HTTP.MaxWaits, want.HTTP.HeaderWait = true, 5, Duration(2*time.Second)
	if s != want {
		t.Errorf("got\n%s\nwant\n%s", s.Effective(), want.Effective())
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

func TestUnknownAndMalformed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown", "schema_policy = 'fail'\nschema_polici = 'x'\n", "cf.toml:2: unknown option schema_polici; did you mean schema_policy?"},
		{"unknown table", "[batch]\nmax_rows = 1\nmax_row = 2\n", "cf.toml:3: unknown option batch.max_row; did you mean batch.max_rows?"},
		{"misplaced", "max_rows = 1\n", "cf.toml:1: unknown option max_rows; the option is called batch.max_rows"},
		{"stranger", "kafka_brokers = 1\n", "docs/configuration.md lists the options"},
		{"syntax", "merge = \n", "cf.toml:1:"},
		{"type", "merge = 3\n", "cf.toml:1:"},
		{"size", "[batch]\nmax_bytes = '1XB'\n", "is not a size"},
		{"duration", "stuck_duration = '5'\n", "is not a duration"},
	} {
		cf := DefaultChangefeed()
		err := cf.ReadTOML("cf.toml", []byte(c.text))
		if weirerr.CodeOf(err) != weirerr.InvalidArgument || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want an InvalidArgument error with %q", c.name, err, c.want)
		}
	}
}

func TestOutOfBounds(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"merge = 'some'", "merge is \"some\" (option merge); allowed is net, none"},
		{"[batch]\nmax_rows = 0", "allowed is 1 to 10000000"},
		{"[batch]\nmax_bytes = 1", "allowed is 1KiB to 1GiB"},
		{"stuck_duration = '1ms'", "allowed is 1s to 720h"},
		{"[batch]\nmax_delay = '2h'", "allowed is 0s to 1h"},
		{"[retry]\ninitial = '1m'\nmax = '1s'", "allowed is 1m to 24h"},
	} {
		cf := DefaultChangefeed()
		if err := cf.ReadTOML("cf.toml", []byte(c.text)); err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if err := cf.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.text, err, c.want)
		}
	}
}

func TestOpenAddressNeedsTLS(t *testing.T) {
	for _, c := range []struct {
		change func(*Server)
		ok     bool
	}{
		{func(s *Server) {}, true},
		{func(s *Server) { s.HTTPAddr = "[::1]:8300" }, true},
		{func(s *Server) { s.HTTPAddr = "localhost:8300" }, true},
		{func(s *Server) { s.HTTPAddr = "0.0.0.0:8300" }, false},
		{func(s *Server) { s.HTTPAddr = ":8300" }, false},
		{func(s *Server) { s.HTTPAddr = "db.example.com:8300" }, false},
		{func(s *Server) { s.HTTPAddr = ":8300"; s.Insecure = true }, true},
		{func(s *Server) { s.HTTPAddr = ":8300"; s.HTTP.TLSCert, s.HTTP.TLSKey = "c", "k" }, true},
		{func(s *Server) { s.HTTP.TLSCert = "c" }, false},
		{func(s *Server) { s.SQLAddr = "nonsense" }, false},
		{func(s *Server) { s.SQLAddr = s.HTTPAddr }, false},
		{func(s *Server) { s.HTTPAddr = "127.0.0.1:99999" }, false},
	} {
		s := DefaultServer()
		c.change(&s)
		if err := s.Validate(); (err == nil) != c.ok {
			t.Errorf("http %s sql %s insecure %v: %v; want ok %v", s.HTTPAddr, s.SQLAddr, s.Insecure, err, c.ok)
		}
	}
}

// What JSON writes, JSON and TOML read, and unknown keys are refused.
func TestChangefeedJSON(t *testing.T) {
	c := DefaultChangefeed()
	if err := c.ReadJSON([]byte(`{"merge":"none","batch":{"max_bytes":"1MiB"},"stuck_duration":"45m","synced_status":{"checkpoint_interval":20}}`)); err != nil {
		t.Fatal(err)
	}
	want := DefaultChangefeed()
	want.Merge, want.Batch.MaxBytes, want.StuckDuration = "none", MiB, Duration(45*time.Minute)
	want.Synced.CheckpointInterval = Duration(20 * time.Second)
	if c != want {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Changefeed
	if err := back.ReadJSON(text); err != nil || back != c {
		t.Errorf("round trip of %s: %+v, %v", text, back, err)
	}
	if err := back.ReadJSON([]byte(`{"batch":{"max_row":1}}`)); weirerr.CodeOf(err) != weirerr.InvalidArgument || !strings.Contains(err.Error(), "batch.max_rows") {
		t.Errorf("unknown key: %v", err)
	}
}

func TestUnitsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Bytes(rapid.Int64Min(0).Draw(t, "bytes"))
		var b2 Bytes
		if err := b2.UnmarshalText([]byte(b.String())); err != nil || b2 != b {
			t.Fatalf("%d prints %s reads %d, %v", int64(b), b, int64(b2), err)
		}
		d := Duration(rapid.Int64Min(0).Draw(t, "duration"))
		var d2 Duration
		if err := d2.UnmarshalText([]byte(d.String())); err != nil || d2 != d {
			t.Fatalf("%d prints %s reads %d, %v", int64(d), d, int64(d2), err)
		}
	})
}

// Effective prints a file that ReadServer reads back.
func TestEffectiveIsAFile(t *testing.T) {
	s := DefaultServer()
	s.HTTP.TokenFile, s.Log.MaxBytes = `/a "b"`, 5*GiB
	var back Server
	if err := back.ReadServer("effective", []byte(s.Effective())); err != nil || back != s {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, back.Effective(), s.Effective())
	}
}

// Every option says what it is, and has the same key in TOML and JSON.
func TestEveryOptionIsDeclared(t *testing.T) {
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Tag.Get("toml") == "" || f.Tag.Get("toml") != f.Tag.Get("json") {
				t.Errorf("%s.%s: toml %q, json %q", typ.Name(), f.Name, f.Tag.Get("toml"), f.Tag.Get("json"))
			}
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type)
			} else if f.Tag.Get("doc") == "" {
				t.Errorf("%s.%s has no doc", typ.Name(), f.Name)
			}
		}
	}
	walk(reflect.TypeFor[Server]())
	walk(reflect.TypeFor[Changefeed]())
}

const (
	tablesBegin = "<!-- options: begin; go test ./internal/config -update writes this part -->\n"
	tablesEnd   = "<!-- options: end -->"
)

func TestDocumentationIsCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "configuration.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tablesBegin)
	_, after, ok2 := strings.Cut(rest, tablesEnd)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks around the option tables", path)
	}
	want := before + tablesBegin + "\n" + Reference() + "\n" + tablesEnd + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s does not list the options as they are; run go test ./internal/config -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
