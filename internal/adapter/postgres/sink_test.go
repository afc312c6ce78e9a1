package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

const itemsDDL = `CREATE TABLE public.items (id int8 PRIMARY KEY, name text, qty int, note text)`

func TestSinkCreatesAndWrites(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a\tb\\c\n", 5, nil), insert(s, 2, "x", nil, "n"))
	r.expect(`SELECT * FROM public.items`, "1|a\tb\\c\n|5|NULL", "2|x|NULL|n")
	r.deliver(update(s, 1, "a2", 6, "z"), remove(s, 2, nil, nil, nil), insert(s, 3, "c", 1, "d"))
	r.expect(`SELECT * FROM public.items`, "1|a2|6|z", "3|c|1|d")
	r.deliver(rekey(s, tuple(3, nil, nil, nil), 4, "c2", 1, unchanged{}), update(s, 1, "a3", nil, unchanged{}))
	r.expect(`SELECT * FROM public.items`, "1|a3|NULL|z", "4|c2|1|d")
	r.expect(`SELECT count(*) FROM weir.positions WHERE ts = `+fmt.Sprint(uint64(r.pos.Ts)), "1")
	if pos, ok := r.reopen(); !ok || pos != r.pos {
		t.Fatalf("position %v %v, want %v", pos, ok, r.pos)
	}
}

// A swap of keys through a third, chains of key changes, and a key that is left
// and taken again in one batch.
func TestSinkKeyChanges(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "one", 1, "t1"), insert(s, 2, "two", 2, "t2"), insert(s, 3, "three", 3, "t3"))
	key := func(id int) row.Tuple { return tuple(id, nil, nil, nil) }
	r.deliver( // 1 <-> 2 by way of 9
		rekey(s, key(1), 9, "one", 1, unchanged{}),
		rekey(s, key(2), 1, "two", 2, unchanged{}),
		rekey(s, key(9), 2, "one", 1, unchanged{}))
	r.expect(`SELECT * FROM public.items`, "1|two|2|t2", "2|one|1|t1", "3|three|3|t3")
	r.deliver( // 3 -> 4, 2 -> 3, 1 -> 2
		rekey(s, key(3), 4, "three", 3, unchanged{}),
		rekey(s, key(2), 3, "one", 10, unchanged{}),
		rekey(s, key(1), 2, "two", 20, unchanged{}))
	r.expect(`SELECT * FROM public.items`, "2|two|20|t2", "3|one|10|t1", "4|three|3|t3")
	r.deliver(remove(s, 2, nil, nil, nil), rekey(s, key(3), 2, "one", 11, unchanged{}), insert(s, 3, "new", 0, "n"))
	r.expect(`SELECT * FROM public.items`, "2|one|11|t1", "3|new|0|n", "4|three|3|t3")
}

// An AFTER INSERT trigger at the target counts each row that was inserted
// upstream once, whatever happened to it in the same batch.
func TestSinkAuditTriggerCounts(t *testing.T) {
	for _, merge := range []string{MergeNet, MergeNone} {
		t.Run(merge, func(t *testing.T) {
			r := newRig(t, SinkConfig{Merge: merge}, itemsDDL)
			s := r.shape("public.items")
			r.deliver(insert(s, 1, "a", 0, "t"))
			exec(t, r.dst, `CREATE TABLE public.audit (op text, id int8)`,
				`CREATE FUNCTION public.audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				 INSERT INTO public.audit VALUES (TG_OP, COALESCE(NEW.id, OLD.id)); RETURN NULL; END $$`,
				`CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON public.items FOR EACH ROW EXECUTE FUNCTION public.audit()`,
				`ALTER TABLE public.items ENABLE ALWAYS TRIGGER audit`)
			items := []feed.Item{update(s, 1, "b", 1, unchanged{}), remove(s, 1, nil, nil, nil), insert(s, 1, "again", 2, "t"), update(s, 1, "again", 3, unchanged{})}
			for id := 2; id < 300; id++ {
				items = append(items, insert(s, id, "x", 0, "t"), update(s, id, "y", 1, unchanged{}), rekey(s, tuple(id, nil, nil, nil), id+1000, "y", 2, unchanged{}))
			}
			r.deliver(items...)
			if n := r.sink.work.a.replays; n > 0 {
				t.Errorf("%d replays of changes that contradict nothing", n)
			}
			r.expect(`SELECT count(*), count(DISTINCT id) FROM public.audit WHERE op = 'INSERT'`, "299|299")
			r.expect(`SELECT count(*), min(qty), max(qty) FROM public.items WHERE id > 1000`, "298|2|2")
			r.expect(`SELECT * FROM public.items WHERE id = 1`, "1|again|3|t")
		})
	}
}

func TestSinkKeyless(t *testing.T) {
	r := newRig(t, SinkConfig{}, `CREATE TABLE public.log (at timestamptz, j json, b bool, c char(5), p point)`, `ALTER TABLE public.log REPLICA IDENTITY FULL`)
	s := r.shape("public.log")
	old := tuple("2024-01-01 00:00:00+00", `{"a": 1}`, "t", "ab   ", "(1,2)")
	r.deliver(insert(s, "2024-01-01 00:00:00+00", `{"a": 1}`, "t", "ab   ", "(1,2)"), insert(s, "2024-01-01 00:00:00+00", `{"a": 1}`, "t", "ab   ", "(1,2)"), insert(s, nil, nil, nil, nil, nil))
	r.expect(`SELECT count(*) FROM public.log`, "3")
	r.deliver(full(s, old, "2024-01-02 00:00:00+00", unchanged{}, "f", "cd   ", "(3,4)"), removeFull(s, nil, nil, nil, nil, nil))
	r.expect(`SELECT * FROM public.log`, "2024-01-01 00:00:00+00|{\"a\": 1}|t|ab   |(1,2)", "2024-01-02 00:00:00+00|{\"a\": 1}|f|cd   |(3,4)")
	r.deliver(insert(s, nil, nil, "t", nil, nil), removeFull(s, "2024-01-01 00:00:00+00", `{"a": 1}`, "t", "ab   ", "(1,2)"), insert(s, nil, nil, "f", nil, nil))
	r.expect(`SELECT b, count(*) FROM public.log GROUP BY 1`, "f|2", "t|1")
	err := r.try(remove(s, nil, nil, nil, nil, nil))
	wantCode(t, err, weirerr.BadRow, "public.log", "REPLICA IDENTITY FULL")
}

// Another owner of the lane fences this one; one with a lower term is refused.
func TestSinkFencing(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a", 0, "t"))
	old := r.sink
	if err := old.Write(t.Context(), []feed.Item{insert(s, 2, "lost", 0, "t")}); err != nil {
		t.Fatal(err)
	}
	r.lane.Term = 2
	if pos, ok := r.open(); !ok || pos != r.pos {
		t.Fatalf("position %v %v, want %v", pos, ok, r.pos)
	}
	err := old.Commit(t.Context(), feed.Position{Ts: r.pos.Ts + 1})
	wantCode(t, err, weirerr.TargetFenced, "cf")
	_ = old.Close(t.Context())
	r.deliver(insert(s, 3, "b", 0, "t"))
	r.expect(`SELECT id FROM public.items`, "1", "3")
	stale := NewSink(r.cfg, old.log)
	_, _, err = stale.Open(t.Context(), feed.Lane{Cluster: "c", Changefeed: "cf", Incarnation: 1, Term: 1})
	wantCode(t, err, weirerr.TargetFenced)
	// Other lanes, feeds and incarnations live beside it.
	other := NewSink(r.cfg, old.log)
	if _, ok, err := other.Open(t.Context(), feed.Lane{Cluster: "c", Changefeed: "cf", Incarnation: 2, Term: 1}); ok || err != nil {
		t.Fatal(ok, err)
	}
	_ = other.Close(t.Context())
}

// Two sinks of the same term: the second to move the position is fenced.
func TestSinkCASOnPosition(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a", 0, "t"))
	old := r.sink
	r.open()
	r.deliver(insert(s, 2, "b", 0, "t"))
	if err := old.Write(t.Context(), []feed.Item{insert(s, 3, "c", 0, "t")}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, old.Commit(t.Context(), r.pos), weirerr.TargetFenced)
	_ = old.Close(t.Context())
	r.expect(`SELECT id FROM public.items`, "1", "2")
}

// The connection dies between Write and Commit, and at Commit: what the target
// says after reopening is the truth, and delivering from there is exact.
func TestSinkConnectionDies(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 0, "a", 0, "t"))
	for i := 1; i <= 12; i++ {
		before := r.pos
		if err := r.write(insert(s, i, "x", 0, "t")); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			kill := dial(t, r.url)
			exec(t, kill, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'weir cf' AND datname = current_database()`)
		}()
		if i%2 == 0 {
			<-done
		}
		err := r.commit()
		<-done
		if err != nil {
			wantCode(t, err, weirerr.TargetUnreachable)
		}
		pos, ok := r.reopen()
		switch {
		case !ok || pos != before && pos != r.pos:
			t.Fatalf("position %v, want %v or %v", pos, before, r.pos)
		case err == nil && pos != r.pos:
			t.Fatalf("a commit that succeeded is not there")
		case pos == before:
			r.pos = before
			r.deliver(insert(s, i, "x", 0, "t"))
		}
	}
	r.expect(`SELECT count(*), count(DISTINCT id) FROM public.items`, "13|13")
}

// What is cancelled ends soon, though the target does not answer.
func TestSinkCancel(t *testing.T) {
	r := newRig(t, SinkConfig{}, itemsDDL)
	s := r.shape("public.items")
	r.deliver(insert(s, 1, "a", 0, "t"))
	locker := dial(t, r.url)
	exec(t, locker, `BEGIN; LOCK TABLE public.items`)
	if err := r.write(insert(s, 2, "a", 0, "t")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error, 1)
	go func() { got <- r.sink.Commit(ctx, r.pos) }()
	await(t, "the sink to wait for the lock", func() bool {
		return rows(t, locker, `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'weir cf' AND wait_event_type = 'Lock' AND datname = current_database()`)[0] == "1"
	})
	cancel()
	if err := <-got; err == nil {
		t.Fatal("no error")
	}
	exec(t, locker, `ROLLBACK`)
	r.reopen()
	r.expect(`SELECT id FROM public.items`, "1")
}
