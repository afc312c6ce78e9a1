package flow

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

var (
	// weirBin is the weir under test, built once.
	weirBin string
	// srv has the databases of all tests.
	srv *pgtest.Server
)

func TestMain(m *testing.M) {
	pgtest.Main(rig.Built(m, &weirBin), &srv, pgtest.Config("logical_decoding_work_mem=256kB"))
}

const settle = 2 * time.Minute

// pair is a source database, a target database and a weir between them.
type pair struct {
	source, target string // URLs
	from, to       string // names of the databases
	weir           *rig.Weir
	files          string
	config         string // text of a weir.toml
}

// newPair makes the databases, runs the SQL at the source and starts weir.
func newPair(t *testing.T, sql string) *pair {
	t.Helper()
	return newPairWith(t, "", sql)
}

// newPairWith is newPair with a configuration.
func newPairWith(t *testing.T, config, sql string) *pair {
	t.Helper()
	name := strings.ToLower(strings.TrimPrefix(t.Name(), "Test"))
	name = strings.NewReplacer("/", "_", "#", "_").Replace(name)
	p := &pair{from: "s_" + name[:min(50, len(name))], to: "t_" + name[:min(50, len(name))], files: filepath.Join(t.TempDir(), "files"), config: config}
	p.source, p.target = srv.CreateDB(t, p.from), srv.CreateDB(t, p.to)
	srv.Exec(t, p.from, sql)
	p.serve(t, filepath.Join(t.TempDir(), "data"))
	t.Cleanup(func() {
		_, err := p.weir.CLI(context.Background(), "source", "drop", "src", "--cascade", "--force")
		if err != nil {
			t.Logf("source drop: %v", err) // a slot that stays keeps WAL of the shared server until the end
		}
	})
	return p
}

// serve starts a weir on a data directory.
func (p *pair) serve(t *testing.T, dataDir string) {
	t.Helper()
	w, err := rig.New(rig.Options{Bin: weirBin, DataDir: dataDir, Config: p.config})
	if err != nil {
		t.Fatal(err)
	}
	p.weir = w
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Kill(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", w.Log())
		}
	})
}

// cli runs a command that must succeed.
func (p *pair) cli(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.weir.CLI(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// refused runs a command that must fail, and returns why.
func (p *pair) refused(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.weir.CLI(t.Context(), args...)
	if err == nil {
		t.Fatalf("weir %s succeeds: %s", strings.Join(args, " "), out)
	}
	return err.Error()
}

// feed creates the source and both changefeeds and waits for the snapshots.
func (p *pair) feed(t *testing.T) {
	t.Helper()
	p.cli(t, "source", "create", "src", "--url", p.source)
	p.cli(t, "changefeed", "create", "db", "--source", "src", "--sink", p.target)
	p.cli(t, "changefeed", "create", "files", "--source", "src", "--sink", "file://"+p.files)
	for _, cf := range []string{"db", "files"} {
		p.await(t, cf, func(f rig.Feed) bool { return f.Consistent() })
	}
}

func (p *pair) await(t *testing.T, cf string, ok func(rig.Feed) bool) rig.Feed {
	t.Helper()
	f, err := p.weir.AwaitFeed(t.Context(), cf, settle, ok)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// delivered returns when everything committed before is at the target.
func (p *pair) delivered(t *testing.T, feeds ...string) {
	t.Helper()
	for _, cf := range feeds {
		if err := p.weir.Wait(t.Context(), cf, settle); err != nil {
			f, _ := p.weir.Feed(context.Background(), cf) // for the message
			t.Fatalf("%v\nstate %s, error %+v, holder %+v", err, f.State, f.Error, f.Holder)
		}
	}
}

// equal compares tables of both sides.
func (p *pair) equal(t *testing.T, tables ...string) {
	t.Helper()
	diffs, err := rig.Compare(t.Context(), p.source, p.target, tables...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range diffs {
		if !diffs[i].Equal() {
			t.Error(diffs[i].String())
		}
	}
}

// value reads one text value at the target.
func (p *pair) value(t *testing.T, sql string) string {
	t.Helper()
	var v *string
	if err := srv.Conn(t, p.to).QueryRow(t.Context(), sql).Scan(&v); err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	if v == nil {
		return "NULL"
	}
	return *v
}
