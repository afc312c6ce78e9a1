package local

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

func TestSmoke(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	var all []ts.Ts
	for round := range 3 {
		l, err := Open(dir, Options{Options: wal.Options{SegmentBytes: 64 << 10}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Channel("a/b")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", c.Status())
		w, err := c.Lead(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			at, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Position: fmt.Appendf(nil, "%d-%04d", round, i), Changes: make([]byte, 500)})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, at)
			if i%10 == 0 {
				if err := w.WaitDurable(ctx, at); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.WaitDurable(ctx, all[len(all)-1]); err != nil {
			t.Fatal(err)
		}
		r, err := c.Read(0)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for n < len(all) {
			c, cancel := context.WithTimeout(ctx, 5*time.Second)
			b, err := r.Next(c)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range b.Entries {
				if e.Ts != all[n] {
					t.Fatal(n)
				}
				n++
			}
		}
		r.Close()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
