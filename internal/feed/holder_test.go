package feed

import (
	"testing"
	"time"

	"github.com/weirstream/weir/internal/row"
)

// The table whose chunk is tried again is named, not one that gets on (G6).
func TestHolderIsTheTableThatWaits(t *testing.T) {
	since := time.Unix(100, 0)
	f := &Feed{snapshots: []TableStatus{
		{Table: 1, Name: "public.a", Since: since},
		{Table: 2, Name: "public.b", Since: since.Add(20), Waits: "the source to answer"},
		{Table: 3, Name: "public.c", Since: since.Add(10), Waits: "a lock"},
	}}
	for asked, want := range map[row.TableID]string{1: "public.c", 2: "public.b", 3: "public.c"} {
		if got := f.stalled(asked); got == nil || got.Name != want {
			t.Errorf("asked for %d: %+v, want %s", asked, got, want)
		}
	}
	f.snapshots = f.snapshots[:1]
	if got := f.stalled(1); got != nil {
		t.Errorf("%+v waits for nothing", got)
	}
}
