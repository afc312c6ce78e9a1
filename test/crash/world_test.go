package crash

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

// Names in every world.
const (
	source  = "bank"
	toDB    = "db"
	toFiles = "files"
)

// settle bounds how long weir may take to be done after a fault is over.
const settle = 3 * time.Minute

// world is one source, one target, one weir and the writers.
type world struct {
	src, dst             *pgtest.Server
	sourceURL, targetURL string // the ones weir is given
	weir                 *rig.Weir
	files                string

	transfers *transfers
	bench     *rig.Pgbench
	benchLog  string
	sampler   *sampler

	consistentAt time.Time
	skipVerify   bool // "weir changefeed verify" would find what the test wants
}

// newWorld starts the servers and opens the bank; nothing is written yet and
// weir does not run. dir, when given, is where the data directory goes.
func newWorld(t *testing.T, dir, config string) *world {
	t.Helper()
	w := &world{src: pgtest.Start(t), dst: pgtest.Start(t), files: filepath.Join(t.TempDir(), "files")}
	w.benchLog = filepath.Join(t.TempDir(), "pgbench.log")
	w.sourceURL, w.targetURL = w.src.CreateDB(t, "bank"), w.dst.CreateDB(t, "copy")
	openBank(t, w.src, "bank")
	w.dst.Exec(t, "copy", moneySchema+moneyAudit)
	if err := rig.PgbenchInit(t.Context(), w.sourceURL, 1); err != nil {
		t.Fatal(err)
	}
	if dir == "" {
		dir = t.TempDir()
	}
	var err error
	if w.weir, err = rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(dir, "data"), Config: config}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.weir.Kill(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", w.weir.Log())
		}
	})
	return w
}

// start lets weir run, the writers write, and creates source and changefeeds.
func (w *world) start(t *testing.T, changefeedArgs ...string) {
	t.Helper()
	w.write(t)
	w.serve(t)
	w.cli(t, "source", "create", source, "--url", w.sourceURL)
	for cf, sink := range map[string]string{toDB: w.targetURL, toFiles: "file://" + w.files} {
		w.cli(t, append([]string{"changefeed", "create", cf, "--source", source, "--tables", "public.*", "--sink", sink}, changefeedArgs...)...)
	}
}

// write starts the writers and the sampler. They see the superuser's URLs.
func (w *world) write(t *testing.T) {
	t.Helper()
	w.transfers = startTransfers(w.src.URL("bank"), 2, 8*time.Millisecond)
	t.Cleanup(w.transfers.stop)
	w.sampler = startSampler(w.dst.URL("copy"))
	t.Cleanup(func() { w.sampler.stop() })
	w.startBench(t)
	t.Cleanup(func() { w.bench.Stop() })
}

func (w *world) startBench(t *testing.T) {
	t.Helper()
	var err error
	if w.bench, err = rig.StartPgbench(w.src.URL("bank"), w.benchLog, 2, 100); err != nil {
		t.Fatal(err)
	}
}

func (w *world) serve(t *testing.T) {
	t.Helper()
	if err := w.weir.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (w *world) cli(t *testing.T, args ...string) string {
	t.Helper()
	out, err := w.weir.CLI(t.Context(), args...)
	if err != nil {
		t.Fatalf("%v\nthe end of weir's log:\n%s", err, w.weir.Log())
	}
	return string(out)
}

// awaitConsistent returns once the target shows whole transactions, and has the
// sampler count from then on.
func (w *world) awaitConsistent(t *testing.T) {
	t.Helper()
	if _, err := w.weir.AwaitFeed(t.Context(), toDB, settle, func(f rig.Feed) bool { return f.Consistent() }); err != nil {
		t.Fatal(err)
	}
	w.noteConsistent(t)
}

// noteConsistent is called when the target has been seen to be consistent.
func (w *world) noteConsistent(t *testing.T) {
	t.Helper()
	if !w.consistentAt.IsZero() {
		return
	}
	conn := w.dst.Conn(t, "copy")
	if err := conn.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&w.consistentAt); err != nil {
		t.Fatal(err)
	}
	w.sampler.consistent.Store(true)
}

// judge stops the writers, waits for the deliveries and checks everything that
// the package's documentation promises.
func (w *world) judge(t *testing.T) {
	t.Helper()
	w.transfers.stop()
	w.bench.Stop()
	for _, cf := range []string{toDB, toFiles} {
		if err := w.weir.Wait(t.Context(), cf, settle); err != nil {
			t.Fatalf("%v\n%s", err, w.describe(t, cf))
		}
	}
	samples, wrong := w.sampler.stop()
	if len(wrong) > 0 {
		t.Errorf("G3: %d of %d reports at the target saw another total than %d, such as %s", len(wrong), samples, totalMoney, wrong[0])
	}
	if samples == 0 {
		t.Error("no report was made after consistent_from: the test shows nothing")
	}
	w.compare(t, append(moneyTables, rig.PgbenchTables...)...)
	for _, fault := range append(auditFaults(t, w.dst.Conn(t, "copy"), w.consistentAt), fileFaults(t, w.files, w.src.Conn(t, "bank"))...) {
		t.Error(fault)
	}
	if !w.skipVerify {
		w.cli(t, "changefeed", "verify", toDB)
	}
	t.Logf("%d transfers were committed, %d reports saw the whole total", w.transfers.committed.Load(), samples)
	if err := w.weir.Stop(); err != nil {
		t.Error(err)
	}
}

func (w *world) compare(t *testing.T, tables ...string) {
	t.Helper()
	diffs, err := rig.Compare(context.Background(), w.src.URL("bank"), w.dst.URL("copy"), tables...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range diffs {
		if !diffs[i].Equal() {
			t.Errorf("G2: %s", diffs[i].String())
		}
	}
}

// describe is what weir says about a changefeed, for a failure's message.
func (w *world) describe(t *testing.T, cf string) string {
	t.Helper()
	out, err := w.weir.CLI(context.Background(), "changefeed", "query", cf, "-o", "json")
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}

// slotPositions are the confirmed positions of the source's slots.
func slotPositions(t *testing.T, conn *pgx.Conn) []uint64 {
	t.Helper()
	rows, err := conn.Query(context.Background(), `SELECT (confirmed_flush_lsn - '0/0')::bigint FROM pg_replication_slots
		WHERE slot_type = 'logical' AND NOT temporary AND confirmed_flush_lsn IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	positions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	var out []uint64
	for _, p := range positions {
		out = append(out, uint64(p))
	}
	return out
}
