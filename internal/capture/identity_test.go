package capture

import (
	"log/slog"
	"testing"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/weirerr"
)

// TestAnotherUpstreamIsRefused: the first upstream met stays the only one.
func TestAnotherUpstreamIsRefused(t *testing.T) {
	store, err := metastore.Open(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := &Source{opts: Options{Name: "shop", Store: store}}
	first := Identity{System: "7000000000000000001", Timeline: 1, Database: "shop", Version: "15.1"}
	upgraded := first
	upgraded.Version = "15.2"
	for _, id := range []Identity{first, first, upgraded} {
		if err := s.checkIdentity(id); err != nil {
			t.Errorf("%+v: %v", id, err)
		}
	}
	for _, change := range []func(*Identity){
		func(i *Identity) { i.System = "7000000000000000002" },
		func(i *Identity) { i.Timeline = 2 },
		func(i *Identity) { i.Database = "other" },
	} {
		other := upgraded
		change(&other)
		if err := s.checkIdentity(other); weirerr.CodeOf(err) != weirerr.UpstreamIdentity {
			t.Errorf("%+v: %v, want UpstreamIdentity", other, err)
		}
	}
}
