package blackhole

import (
	"context"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

func items(at ts.Ts, ops ...row.Op) (out []feed.Item) {
	txn := &feed.Txn{Ts: at, Xid: uint64(at)}
	for _, op := range ops {
		out = append(out, feed.Item{Change: row.Change{Op: op, Old: row.Tuple("ab"), New: row.Tuple("cde")}, Txn: txn})
	}
	return out
}

var ctx = context.Background()

func TestCountersAndPositionOutliveTheSink(t *testing.T) {
	target := New()
	lane := feed.Lane{Changefeed: "cf", Term: 1}
	s := target.Sink()
	if _, ok, err := s.Open(ctx, lane); ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	writes := [][]feed.Item{
		items(1, row.Insert, row.Update), items(1, row.Delete), append(items(2, row.Read), items(3, row.Truncate, row.SchemaChange)...),
	}
	for _, w := range writes {
		if err := s.Write(ctx, w); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(ctx, feed.Position{Ts: 3}); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(ctx, items(4, row.Insert)); err != nil {
		t.Fatal(err)
	}
	want := Counters{Items: 7, Bytes: 35, Transactions: 4, Inserts: 2, Updates: 1, Deletes: 1, Reads: 1, Truncates: 1, SchemaChanges: 1, Commits: 1, Committed: 6}
	if got := target.Counters(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	s.Close(ctx)
	s = target.Sink()
	if pos, ok, err := s.Open(ctx, lane); pos.Ts != 3 || !ok || err != nil {
		t.Errorf("position %v, %v, %v", pos, ok, err)
	}
	if err := s.Resolved(ctx, feed.Position{Ts: 9}); err != nil {
		t.Error(err)
	}
	if err := s.Commit(ctx, feed.Position{Ts: 8}); weirerr.CodeOf(err) != weirerr.CheckpointStale {
		t.Errorf("a position that goes back: %v", err)
	}
}

func TestOlderTermsAreFencedAndClosedSinksRefuse(t *testing.T) {
	target := New()
	old, next := target.Sink(), target.Sink()
	old.Open(ctx, feed.Lane{Term: 1})
	next.Open(ctx, feed.Lane{Term: 2})
	if err := old.Commit(ctx, feed.Position{Ts: 1}); weirerr.CodeOf(err) != weirerr.TargetFenced {
		t.Errorf("commit of an older term: %v", err)
	}
	if _, _, err := old.Open(ctx, feed.Lane{Term: 1}); weirerr.CodeOf(err) != weirerr.TargetFenced {
		t.Errorf("open of an older term: %v", err)
	}
	if err := next.Commit(ctx, feed.Position{Ts: 1}); err != nil {
		t.Error(err)
	}
	next.Close(ctx)
	for _, err := range []error{next.Write(ctx, nil), next.Commit(ctx, feed.Position{Ts: 2}), next.Resolved(ctx, feed.Position{Ts: 2})} {
		if weirerr.CodeOf(err) != weirerr.WrongState {
			t.Errorf("a closed sink: %v", err)
		}
	}
}

func TestCheck(t *testing.T) {
	if err := Check("blackhole://"); err != nil {
		t.Error(err)
	}
	for _, uri := range []string{"", "blackhole://host", "blackhole://?a=b", "blackhole:///x", "file:///x", "::"} {
		if err := Check(uri); weirerr.CodeOf(err) != weirerr.TargetConfig {
			t.Errorf("%q: %v", uri, err)
		}
	}
}
