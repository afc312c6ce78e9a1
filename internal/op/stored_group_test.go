package op_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// A row's group, computed from the row, is what its entry in the store begins with.
func TestGroupsOfRowsAndEntries(t *testing.T) {
	kinds := []zset.Kind{zset.Int, zset.Numeric, zset.Bytes, zset.Float}
	for name, key := range map[string][]int{"by key": {2, 1}, "by row": nil} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := op.Stored{Kinds: kinds, Key: key}
				r := newRig(t, func() op.Operator { return op.NewMaterialize(op.MaterializeConfig{Kinds: kinds, Key: key}) }, kinds)
				var delta []weighted
				for range rapid.IntRange(1, 20).Draw(t, "rows") {
					delta = append(delta, weighted{small(kinds).Draw(t, "row"), 1})
				}
				r.push(0, delta)
				r.epoch()
				for k, v := range r.store[0] {
					c := zset.NewChunk(kinds, 1)
					if err := s.DecodeRow([]byte(k), []byte(v), c); err != nil {
						t.Fatal(err)
					}
					group, err := s.Group([]byte(k))
					if err != nil {
						t.Fatal(err)
					}
					if got := string(s.AppendGroup(nil, c, 0)); got != string(group) || !strings.HasPrefix(k, got) {
						t.Fatalf("row %v: group %x, entry %x, of which the group is %x", rowsOf(c)[0].row, got, k, group)
					}
				}
			})
		})
	}
}
