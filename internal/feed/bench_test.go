package feed

import (
	"context"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/reconcile/sourcetest"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
)

// null is a sink that takes everything.
type null struct{}

func (null) Open(context.Context, Lane) (Position, bool, error) { return Position{}, false, nil }
func (null) Write(context.Context, []Item) error                { return nil }
func (null) Commit(context.Context, Position) error             { return nil }
func (null) Resolved(context.Context, Position) error           { return nil }
func (null) Close(context.Context) error                        { return nil }

// BenchmarkDeliver reads a backlog of 1,000-row transactions, decodes it and
// hands it to a sink that does nothing: what a feed costs of itself.
func BenchmarkDeliver(b *testing.B) {
	r := newRig(b, 1)
	r.opts.Start = StartNow
	r.opts.OpenSink = func() (Sink, error) { return null{}, nil }
	f := r.start(b)
	if err := f.Pause(b.Context()); err != nil {
		b.Fatal(err)
	}
	var changes []byte
	t := sourcetest.Tuple("k000", strings.Repeat("a", 40), strings.Repeat("b", 40))
	for range 1000 {
		changes = row.AppendChange(changes, &row.Change{Op: row.Insert, Table: journal, Version: 1, New: t})
	}
	n := b.N/1000 + 1
	for i := range n {
		at, err := r.Writer.Append(&wal.Entry{Kind: wal.KindTxn, Xid: uint64(1000 + i), Position: sourcetest.Position(uint64(1000 + i)), Changes: changes})
		if err != nil {
			b.Fatal(err)
		}
		r.Last = at
	}
	if err := r.Writer.WaitDurable(b.Context(), r.Last); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(changes) / 1000))
	b.ReportAllocs()
	b.ResetTimer()
	if err := f.Resume(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	if err := f.Wait(b.Context(), r.Last); err != nil {
		b.Fatal(err)
	}
}
