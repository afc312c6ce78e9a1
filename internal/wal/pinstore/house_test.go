package pinstore_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
	"github.com/weirstream/weir/internal/wal/pinstore"
	"github.com/weirstream/weir/internal/weirerr"
)

const segment = 64 << 10

// house is a real log, a real metadata store and the checkpoint between them.
type house struct {
	log     *local.Log
	meta    *metastore.Store
	channel wal.Channel
	writer  wal.Writer
	c       *wal.Checkpoint
}

func openHouse(t *testing.T, dir string) *house {
	t.Helper()
	h := &house{meta: open(t, dir+"/meta")}
	h.log = must[*local.Log](t)(local.Open(dir+"/log", local.Options{Options: wal.Options{SegmentBytes: segment}}))
	h.channel = must[wal.Channel](t)(h.log.Channel("shop"))
	h.writer = must[wal.Writer](t)(h.channel.Lead(t.Context()))
	h.c = must[*wal.Checkpoint](t)(wal.OpenCheckpoint(t.Context(), wal.CheckpointOptions{
		Tail: h.channel, Store: pinstore.New(h.meta), Log: slog.New(slog.DiscardHandler),
		SaveEvery: 10 * time.Millisecond, MeasureEvery: 10 * time.Millisecond, Evictable: segment}))
	return h
}

func (h *house) close(t *testing.T) {
	t.Helper()
	for _, close := range []func() error{func() error { return h.c.Close(t.Context()) }, h.writer.Close, h.log.Close, h.meta.Close} {
		if err := close(); err != nil {
			t.Error(err)
		}
	}
}

// fill appends n entries of 1 KiB and returns their timestamps.
func (h *house) fill(t *testing.T, n int) (all []ts.Ts) {
	t.Helper()
	for i := range n {
		if i > 0 && i%20 == 0 { // small commit groups, so that segments are small
			if err := h.writer.WaitDurable(t.Context(), all[i-1]); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, must[ts.Ts](t)(h.writer.Append(&wal.Entry{Kind: wal.KindTxn, Changes: make([]byte, 1024)})))
	}
	if err := h.writer.WaitDurable(t.Context(), all[n-1]); err != nil {
		t.Fatal(err)
	}
	return all
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 20 s for: %s", what)
		}
	}
}

// expect reads the entries above after and compares their timestamps.
func (h *house) expect(t *testing.T, after ts.Ts, all []ts.Ts) {
	t.Helper()
	r := must[wal.Reader](t)(h.channel.Read(after))
	defer r.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for len(all) > 0 {
		b, err := r.Next(ctx)
		if err != nil {
			t.Fatalf("%d entries to come: %v", len(all), err)
		}
		for _, e := range b.Entries {
			if e.Ts != all[0] {
				t.Fatalf("read %s, want %s", e.Ts, all[0])
			}
			all = all[1:]
		}
	}
}

// TestLogIsKeptForPinsAndCutBehindThem: a consumer reads on after a restart from
// where its pin is; what lies behind the lowest pin is gone from the disk.
func TestLogIsKeptForPinsAndCutBehindThem(t *testing.T) {
	dir := t.TempDir()
	h := openHouse(t, dir)
	claim := must[ts.Ts](t)(h.c.Pin(t.Context(), wal.Pin{Owner: "slow", Now: true}, nil))
	must[ts.Ts](t)(h.c.Pin(t.Context(), wal.Pin{Owner: "fast", Now: true}, nil))
	all := h.fill(t, 1000)
	if err := h.c.Advance("fast", all[999]); err != nil {
		t.Fatal(err)
	}
	h.expect(t, claim, all)
	if err := h.c.Advance("slow", all[600]); err != nil {
		t.Fatal(err)
	}
	await(t, "the log to be cut behind the slow one", func() bool { return h.channel.Status().Bytes < 600<<10 })
	await(t, "its bytes to be measured", func() bool { b := h.c.Status().Holder.Bytes; return b > 350<<10 && b < 500<<10 })
	h.close(t)

	h = openHouse(t, dir)
	st := h.c.Status()
	if st.Holder == nil || st.Holder.Owner != "slow" || st.Holder.Ts != all[600] || st.Checkpoint != all[600] {
		t.Fatalf("after a restart: %+v", st)
	}
	h.expect(t, all[600], all[601:])
	if _, err := h.channel.Read(all[0]); weirerr.CodeOf(err) != weirerr.LogTruncated {
		t.Errorf("a reader from far back: %v", err)
	}
	if err := h.c.Release(t.Context(), "slow"); err != nil {
		t.Fatal(err)
	}
	await(t, "the log to be cut behind the fast one", func() bool { return h.channel.Status().Bytes <= 2*segment })
	h.close(t)
}

// TestFullDiskEvictsTheSlow: at the watermark the pin that holds the most goes,
// its owner hears LogEvicted, the space comes back and the writer was never stopped.
func TestFullDiskEvictsTheSlow(t *testing.T) {
	h := openHouse(t, t.TempDir())
	told := make(chan error, 1)
	must[ts.Ts](t)(h.c.Pin(t.Context(), wal.Pin{Owner: "slow", Now: true}, func(err error) { told <- err }))
	must[ts.Ts](t)(h.c.Pin(t.Context(), wal.Pin{Owner: "fast", Now: true}, func(err error) { t.Error("fast:", err) }))
	guard := wal.NewGuard(wal.GuardOptions{Log: slog.New(slog.DiscardHandler), Reserve: 1, Limit: 1 << 20,
		Usage: func() (wal.Usage, error) { return wal.Usage{Free: 1 << 40, Used: h.channel.Status().Bytes}, nil }})
	guard.Add(h.c)
	for len(told) == 0 {
		all := h.fill(t, 100)
		if err := h.c.Advance("fast", all[99]); err != nil {
			t.Fatal(err)
		}
		guard.Look()
		if used := h.channel.Status().Bytes; used > 8<<20 {
			t.Fatalf("nobody was evicted at %d bytes", used)
		}
	}
	if err := <-told; weirerr.CodeOf(err) != weirerr.LogEvicted {
		t.Errorf("told %v", err)
	}
	await(t, "the space to come back", func() bool { return h.channel.Status().Bytes < 1<<20 })
	guard.Look()
	if st := guard.Status(); st.Pressure != "" {
		t.Errorf("still %+v", st)
	}
	h.close(t)
}
