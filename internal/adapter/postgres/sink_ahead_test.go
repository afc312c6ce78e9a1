package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// answer is what became of a commit that was sent ahead.
type answer struct {
	pos feed.Position
	err error
}

// ahead writes items and sends their commit without waiting.
func (r *rig) ahead(answers chan<- answer, items ...feed.Item) {
	r.t.Helper()
	if err := r.write(items...); err != nil {
		r.t.Fatal(err)
	}
	pos := r.pos
	err := r.sink.CommitAhead(r.t.Context(), pos, func(err error) { answers <- answer{pos, err} })
	if err != nil {
		r.t.Fatal(err)
	}
}

func await1(t testing.TB, answers <-chan answer) answer {
	t.Helper()
	select {
	case a := <-answers:
		return a
	case <-time.After(30 * time.Second):
		t.Fatal("no answer to a commit within 30 s")
		return answer{}
	}
}

// many are n inserts from id on.
func many(s *row.Schema, from, n int) []feed.Item {
	var items []feed.Item
	for i := range n {
		items = append(items, insert(s, from+i, "a", 1, "n"))
	}
	return items
}

// blocked makes the sink wait for a lock on items, until the returned call.
func (r *rig) blocked() (release func()) {
	locker := dial(r.t, r.url)
	exec(r.t, locker, `BEGIN; LOCK TABLE public.items`)
	return func() { exec(r.t, locker, `ROLLBACK`) }
}

func (r *rig) awaitBlocked() {
	r.t.Helper()
	probe := dial(r.t, r.url)
	await(r.t, "the sink to wait for the lock", func() bool {
		return rows(r.t, probe, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'weir cf' AND wait_event_type = 'Lock' AND datname = current_database()`)[0] == "1"
	})
}

func TestAheadCommitsInOrder(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	release := r.blocked()
	answers := make(chan answer, 3)
	r.ahead(answers, many(s, 1, 100)...)
	r.ahead(answers, update(s, 1, "b", 2, "n"), remove(s, 2, nil, nil, nil))
	r.ahead(answers, insert(s, 2, "again", 1, "n"))
	r.awaitBlocked()
	select {
	case a := <-answers:
		t.Fatalf("an answer while nothing is durable: %v", a)
	default:
	}
	release()
	for i := range 3 {
		a := await1(t, answers)
		if want := r.pos.Ts - 2; a.err != nil || a.pos.Ts != want+ts.Ts(i) {
			t.Fatalf("answer %d: %v", i, a)
		}
	}
	r.expect(`SELECT count(*) FROM public.items`, "101")
	r.expect(`SELECT id, name FROM public.items WHERE id IN (1, 2)`, "1|b", "2|again")
	if r.sink.work.a.lapses > 0 {
		t.Fatal("something was refused")
	}
}

// A row that the target refuses is named, and what is queued behind its
// transaction has not happened.
func TestAheadNamesTheBadRow(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	exec(t, r.dst, `ALTER TABLE public.items ADD CHECK (qty <> 13)`)
	before := r.pos
	release := r.blocked()
	answers := make(chan answer, 3)
	r.ahead(answers, insert(s, 1, "a", 1, "n"))
	r.ahead(answers, append(many(s, 100, 200), insert(s, 300, "bad", 13, "n"))...)
	r.ahead(answers, insert(s, 2, "a", 1, "n"))
	release()
	if a := await1(t, answers); a.err != nil || a.pos.Ts != before.Ts+1 {
		t.Fatal(a)
	}
	wantCode(t, await1(t, answers).err, weirerr.BadRow, "public.items", "id=300", "items_qty_check")
	if a := await1(t, answers); a.err == nil {
		t.Fatal("a commit behind one that failed is said to be durable")
	}
	r.expect(`SELECT id FROM public.items`, "0", "1")
	if pos, ok := r.reopen(); !ok || pos.Ts != before.Ts+1 {
		t.Fatalf("position %v, want %d", pos, before.Ts+1)
	}
}

// What the target refuses at first, but takes change by change, goes through with
// all behind it: nothing is lost, nothing is there twice.
func TestAheadIsReplayed(t *testing.T) {
	audit := `CREATE TABLE public.audit (id int, op text)`
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	exec(t, r.dst, audit,
		`CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.audit VALUES (NEW.id, TG_OP); RETURN NEW; END $$`,
		`CREATE TRIGGER note AFTER INSERT OR UPDATE ON public.items FOR EACH ROW EXECUTE FUNCTION public.note()`,
		`ALTER TABLE public.items ENABLE ALWAYS TRIGGER note`,
		`INSERT INTO public.items VALUES (50, 'theirs', 1, 'n')`, `DELETE FROM public.audit`)
	release := r.blocked()
	answers := make(chan answer, 5)
	r.ahead(answers, many(s, 1, 9)...)
	r.ahead(answers, many(s, 10, 90)...)          // 50 is there
	r.ahead(answers, update(s, 500, "b", 2, "n")) // not there
	r.ahead(answers, update(s, 1, "b", 2, "n"))
	r.ahead(answers, many(s, 100, 90)...)
	release()
	for range 5 {
		if a := await1(t, answers); a.err != nil {
			t.Fatal(a)
		}
	}
	r.expect(`SELECT count(*), count(DISTINCT id) FROM public.items`, "191|191")
	r.expect(`SELECT op, count(*) FROM public.audit GROUP BY 1`, "INSERT|189", "UPDATE|2")
	if r.sink.work.a.lapses == 0 {
		t.Fatal("nothing was sent ahead")
	}
	// The session goes ahead again when it has been careful for long enough.
	for i := range careful + 3 {
		r.deliver(insert(s, 1000+i, "a", 1, "n"))
	}
	if n := r.sink.work.a.careful; n != 0 {
		t.Fatalf("still careful for %d pieces", n)
	}
}

// A constraint that is checked at the commit ends the transaction, so the next
// one begins well: only its position keeps it from being committed.
func TestAheadRefusedAtCommit(t *testing.T) {
	r := newRig(t, SinkConfig{Triggers: TriggersFire}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	exec(t, r.dst, `ALTER TABLE public.items ADD CONSTRAINT one_name UNIQUE (name) DEFERRABLE INITIALLY DEFERRED`)
	before := r.pos
	release := r.blocked()
	answers := make(chan answer, 2)
	r.ahead(answers, insert(s, 1, "a", 1, "n"))
	r.ahead(answers, insert(s, 2, "b", 1, "n"))
	release()
	wantCode(t, await1(t, answers).err, weirerr.TargetConflict, "one_name")
	if a := await1(t, answers); a.err == nil {
		t.Fatal("a commit behind one that failed is said to be durable")
	}
	r.expect(`SELECT id FROM public.items`, "0")
	if pos, ok := r.reopen(); !ok || pos != before {
		t.Fatalf("position %v, want %v", pos, before)
	}
}

// A newer owner fences commits that are under way, all of them.
func TestAheadIsFenced(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	before := r.pos
	release := r.blocked()
	answers := make(chan answer, 2)
	r.ahead(answers, insert(s, 1, "a", 1, "n"))
	r.ahead(answers, insert(s, 2, "b", 1, "n"))
	r.awaitBlocked()
	old := r.sink
	r.lane.Term++
	if pos, ok := r.open(); !ok || pos != before {
		t.Fatalf("position %v, want %v", pos, before)
	}
	release()
	wantCode(t, await1(t, answers).err, weirerr.TargetFenced)
	if a := await1(t, answers); a.err == nil {
		t.Fatal("a commit behind a fenced one is said to be durable")
	}
	_ = old.Close(t.Context())
	r.expect(`SELECT id FROM public.items`, "0")
	r.pos = before
	r.deliver(insert(s, 1, "again", 1, "n"))
	r.expect(`SELECT id, name FROM public.items`, "0|a", "1|again")
}

// When the sink is closed, nothing that it has sent is committed later.
func TestAheadClosed(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	before := r.pos
	release := r.blocked()
	answers := make(chan answer, 2)
	r.ahead(answers, insert(s, 1, "a", 1, "n"))
	r.ahead(answers, insert(s, 2, "b", 1, "n"))
	r.awaitBlocked()
	if err := r.sink.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case a := <-answers:
			if a.err == nil {
				t.Fatal("a commit that cannot have happened is said to be durable")
			}
		default:
			t.Fatal("no answer before Close returned")
		}
	}
	release()
	probe := dial(t, r.url)
	await(t, "the sink's session to end", func() bool {
		return rows(t, probe, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'weir cf' AND datname = current_database()`)[0] == "0"
	})
	r.expect(`SELECT id FROM public.items`, "0")
	if pos, ok := r.open(); !ok || pos != before {
		t.Fatalf("position %v, want %v", pos, before)
	}
}

// A closing sink waits for commits that land soon, and says so.
func TestAheadLandsAtClose(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	answers := make(chan answer, 2)
	r.ahead(answers, many(s, 1, 1000)...)
	await(t, "the commit to be under way", func() bool {
		return !r.sink.work.a.pipe.idle() || len(answers) > 0
	})
	_ = r.sink.Close(t.Context())
	a := await1(t, answers)
	pos, ok := r.open()
	if !ok || (a.err == nil) != (pos == r.pos) {
		t.Fatalf("the commit said %v, the target stands at %v", a.err, pos)
	}
}

// The connection dies with commits under way: what was said to be durable is, and
// going on from the target's position is exact.
func TestAheadConnectionDies(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	next := 1 // id, one a transaction; its position is base + id
	base := r.pos.Ts
	kill := dial(t, r.url)
	for round := range 15 {
		answers := make(chan answer, 8)
		sent := 0
		for i := range 8 {
			if i == 2+round%5 {
				exec(t, kill, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'weir cf' AND datname = current_database()`)
			}
			if r.write(insert(s, next+i, "x", 0, "t")) != nil {
				break
			}
			pos := r.pos
			if r.sink.CommitAhead(t.Context(), pos, func(err error) { answers <- answer{pos, err} }) != nil {
				break
			}
			sent++
		}
		durable := base
		for range sent {
			if a := await1(t, answers); a.err == nil {
				durable = a.pos.Ts
			}
		}
		pos, ok := r.reopen()
		if !ok || pos.Ts < durable {
			t.Fatalf("round %d: position %v, %d was durable", round, pos, durable)
		}
		r.pos, base, next = pos, pos.Ts, next+int(pos.Ts-base)
	}
	r.expect(`SELECT count(*), count(DISTINCT id), max(id) FROM public.items`, fmt.Sprintf("%d|%d|%d", next, next, next-1))
}

// A target that talks back more than the socket holds does not stop the pipe.
func TestAheadThroughNotices(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	exec(t, r.dst, `CREATE FUNCTION public.shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', repeat('x', 1000); RETURN NEW; END $$`,
		`CREATE TRIGGER shout AFTER INSERT ON public.items FOR EACH ROW EXECUTE FUNCTION public.shout()`,
		`ALTER TABLE public.items ENABLE ALWAYS TRIGGER shout`)
	answers := make(chan answer, 4)
	for i := range 4 {
		r.ahead(answers, many(s, 1+i*10_000, 10_000)...)
	}
	for range 4 {
		if a := await1(t, answers); a.err != nil {
			t.Fatal(a)
		}
	}
	r.expect(`SELECT count(*) FROM public.items`, "40001")
}

// The server counts what an update finds, since nobody else can in time.
func TestAheadMissesARow(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 1, "n"))
	r.deliver(update(s, 0, "b", 1, "n"), update(s, 7, "c", 2, "n"))
	r.expect(`SELECT id, name FROM public.items`, "0|b", "7|c")
	for range careful {
		r.deliver(update(s, 0, "d", 1, "n"))
	}
	r.deliver(rekey(s, tuple(8, nil, nil, nil), 9, "moved", 1, "n"), update(s, 0, "e", 1, "n"))
	r.expect(`SELECT id, name FROM public.items`, "0|e", "7|c", "9|moved")
	if n := r.sink.work.a.lapses; n != 2 {
		t.Fatalf("%d pieces were refused, want 2", n)
	}
}
