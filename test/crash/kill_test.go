package crash

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirstream/weir/test/rig"
)

// TestG1G2G3KillsOfWeir kills weir at random, from the first moments of the
// snapshot on, while two kinds of writers run.
func TestG1G2G3KillsOfWeir(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	w.start(t)
	w.killWeir(t, pick(10, 50))
	w.awaitConsistent(t)
	w.killWeir(t, pick(5, 10)) // at least these while the total is watched
	w.judge(t)
}

// TestG1G2G3KillsOfWeirWithLeastPrivilege does the same through a role that has
// only what `weir check --print-sql` says it needs, into a database whose owner
// is no superuser.
func TestG1G2G3KillsOfWeirWithLeastPrivilege(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	sql, err := w.weir.Run(t.Context(), "check", "--url", w.src.URL("bank"), "--print-sql", "--source", source, "--role", "weir_source")
	if err != nil {
		t.Fatal(err)
	}
	w.src.Exec(t, "bank", string(sql))
	w.sourceURL = w.src.UserURL("weir_source", "bank")
	if out, err := w.weir.Run(t.Context(), "check", "--url", w.sourceURL, "--source", source); err != nil {
		t.Fatalf("weir check, after its own SQL was run: %v\n%s", err, out)
	}

	w.dst.Exec(t, "copy", `CREATE ROLE weir_target LOGIN; ALTER DATABASE copy OWNER TO weir_target; ALTER SCHEMA public OWNER TO weir_target;
		ALTER TABLE acct_a OWNER TO weir_target; ALTER TABLE acct_b OWNER TO weir_target; ALTER TABLE journal OWNER TO weir_target`)
	w.targetURL = w.dst.UserURL("weir_target", "copy")

	w.start(t)
	w.killWeir(t, pick(4, 15))
	w.awaitConsistent(t)
	w.killWeir(t, pick(2, 5))
	w.judge(t)
}

// killWeir kills the process n times at random moments, checks what the slot
// says against what the disk has, and starts it again.
func (w *world) killWeir(t *testing.T, n int) {
	t.Helper()
	admin := w.src.Conn(t, "bank")
	for i := range n {
		pause(time.Duration(50+rand.IntN(pick(1500, 3000))) * time.Millisecond)
		if err := w.weir.Kill(); err != nil {
			t.Fatal(err)
		}
		high := durableHigh(t, w.weir.DataDir())
		for _, confirmed := range slotPositions(t, admin) {
			if confirmed > high {
				t.Errorf("G1: after kill %d the slot has confirmed %X, the log on disk ends at %X", i+1, confirmed, high)
			}
		}
		w.serve(t)
		if f, err := w.weir.Feed(t.Context(), toDB); err == nil && f.Consistent() {
			w.noteConsistent(t)
		}
	}
}

// TestG2G3KillsOfTheSource kills the source's PostgreSQL.
func TestG2G3KillsOfTheSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	w.start(t)
	w.awaitConsistent(t)
	for range pick(3, 10) {
		pause(time.Duration(500+rand.IntN(1500)) * time.Millisecond)
		w.src.Kill()
		pause(time.Duration(rand.IntN(1000)) * time.Millisecond)
		w.src.Restart(t)
		w.bench.Stop()
		w.startBench(t)
	}
	w.judge(t)
}

// TestG2G3KillsOfTheTarget kills the target's PostgreSQL, once together with weir.
func TestG2G3KillsOfTheTarget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	w.start(t)
	w.awaitConsistent(t)
	for i := range pick(3, 10) {
		pause(time.Duration(500+rand.IntN(1500)) * time.Millisecond)
		w.dst.Kill()
		if i == 1 {
			if err := w.weir.Kill(); err != nil {
				t.Fatal(err)
			}
			w.serve(t)
		}
		pause(time.Duration(rand.IntN(1000)) * time.Millisecond)
		w.dst.Restart(t)
	}
	w.judge(t)
}

// TestG5G6TargetIsAway takes the target away for a while: the other changefeed
// and the slot go on, weir says what it waits for, and it goes on by itself.
func TestG5G6TargetIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	w.start(t)
	w.awaitConsistent(t)
	admin := w.src.Conn(t, "bank")
	if err := w.dst.Stop(); err != nil {
		t.Fatal(err)
	}
	away := time.Now()
	files, err := w.weir.Feed(t.Context(), toFiles)
	if err != nil {
		t.Fatal(err)
	}
	before := slotPositions(t, admin)

	f, err := w.weir.AwaitFeed(t.Context(), toDB, time.Minute, func(f rig.Feed) bool { return f.Error != nil })
	if err != nil {
		t.Fatalf("G6: nothing tells that the target is away: %v", err)
	}
	if f.State == "failed" || !f.Error.Is("TargetUnreachable") {
		t.Errorf("G6: state %s, error %s: want warning or pending, and TargetUnreachable", f.State, f.Error.Code)
	}
	pause(pick(10*time.Second, time.Minute) - time.Since(away))

	_, err = w.weir.AwaitFeed(t.Context(), toFiles, time.Minute, func(f rig.Feed) bool {
		return f.State == "normal" && f.CheckpointTs.Time().After(files.CheckpointTs.Time().Add(5*time.Second))
	})
	if err != nil {
		t.Errorf("G5: the other changefeed does not go on: %v", err)
	}
	if after := slotPositions(t, admin); len(after) != 1 || after[0] <= before[0] {
		t.Errorf("G5: the slot stood still at %X, now %X", before, after)
	}
	w.dst.Restart(t)
	w.judge(t)
}

// TestKeylessTableTakesTheApplicationsUpdates: a captured table without a key
// must not make PostgreSQL refuse the application's statements.
func TestKeylessTableTakesTheApplicationsUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	w.skipVerify = true // visits differ by the application's updates, which are not captured
	w.src.Exec(t, "bank", "CREATE TABLE visits (who text, n int); INSERT INTO visits SELECT 'early', i FROM generate_series(1, 100) i")
	w.start(t)
	w.awaitConsistent(t)
	w.src.Exec(t, "bank", `INSERT INTO visits SELECT 'late', i FROM generate_series(1, 100) i;
		UPDATE visits SET n = n + 1000; DELETE FROM visits WHERE who = 'late'; UPDATE pgbench_history SET filler = 'touched'`)
	w.src.Exec(t, "bank", "UPDATE pgbench_history SET filler = NULL")
	w.judge(t)
	var early, late int
	err := w.dst.Conn(t, "copy").QueryRow(t.Context(),
		"SELECT count(*) FILTER (WHERE who = 'early'), count(*) FILTER (WHERE who = 'late') FROM visits").Scan(&early, &late)
	if err != nil || early != 100 || late != 100 {
		t.Errorf("the target has %d early and %d late visits (%v), want 100 and 100: keyless tables are appended", early, late, err)
	}
}
