package capture

import (
	"log/slog"
	"testing"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/row"
)

// The upstream forgets what older rows hold in a column when it rewrites the table:
// that makes no other version, now or after a restart.
func TestWhatOlderRowsHoldMakesNoVersion(t *testing.T) {
	store, err := metastore.Open(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	shape := func(name string, missing *string) *row.Schema {
		return &row.Schema{Table: 7, Name: "t", Columns: []row.Column{{ID: 1, Name: name, Missing: missing}}}
	}
	value := "42"
	for range 2 {
		s, err := OpenSchemas(store, "src")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			shape *row.Schema
			want  uint32
		}{{shape("a", &value), 1}, {shape("a", nil), 1}, {shape("b", nil), 2}, {shape("a", &value), 1}} {
			if v, err := s.Register(c.shape); err != nil || v != c.want {
				t.Errorf("version %d, %v; want %d", v, err, c.want)
			}
		}
		if v, err := s.Schema(7, 1); err != nil || v.Columns[0].Missing == nil || *v.Columns[0].Missing != "42" {
			t.Errorf("version 1 lost what older rows hold: %+v %v", v, err)
		}
	}
	if value != "42" {
		t.Error("the caller's shape was changed")
	}
}
