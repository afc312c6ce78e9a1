package state

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/ts"
)

// Groups spread over many files are read whole, those that are not there are empty, and a reader
// shows what was applied when it was first asked.
func TestReaderFindsGroupsInManyFiles(t *testing.T) {
	ctx := context.Background()
	s, err := Open("d", Options{StageBytes: 1, fs: vfs.NewMem()})
	ok(t, err)
	defer s.Close()
	r := rand.New(rand.NewPCG(7, 8))
	group := func(n int) string {
		return string(arrange.AppendGroup(nil, binary.BigEndian.AppendUint32(bytes.Repeat([]byte("k"), n%9), uint32(n))))
	}
	model, old := map[string]string{}, map[string]string{}
	reader := s.Reader()
	for epoch := range 60 {
		changes := map[string]string{}
		for range 40 {
			key := group(r.IntN(300)) + []string{"", "s", "suffix"}[r.IntN(3)]
			if r.IntN(4) == 0 {
				changes[key] = ""
			} else {
				changes[key] = fmt.Sprint(epoch)
			}
		}
		d := NewDelta(7)
		for _, key := range slices.Sorted(maps.Keys(changes)) {
			if v := changes[key]; v != "" {
				d.Add([]byte(key), []byte(v))
				model[key] = v
			} else {
				d.Add([]byte(key), nil)
				delete(model, key)
			}
		}
		sealed, err := s.Seal(ctx, main1, ts.Ts(epoch), ts.Ts(epoch+1), []*Delta{d})
		ok(t, err)
		ok(t, s.Apply(ctx, sealed))
		if epoch == 30 {
			old = maps.Clone(model)
			sameGroups(t, reader, old, group)
		}
	}
	sameGroups(t, reader, old, group)
	ok(t, reader.Close())
	sameGroups(t, reader, model, group)
	ok(t, reader.Close())
	ok(t, s.db.Compact(ctx, []byte{0}, []byte{0xff}, false)) // all in columnar blocks
	sameGroups(t, reader, model, group)
	ok(t, reader.Close())
}

// sameGroups compares all groups that there can be with a model.
func sameGroups(t *testing.T, r *Reader, model map[string]string, group func(int) string) {
	t.Helper()
	var groups [][]byte
	for n := range 310 {
		groups = append(groups, []byte(group(n)))
	}
	slices.SortFunc(groups, bytes.Compare)
	got := map[string]string{}
	ok(t, r.Groups(1, 7, groups, func(g []byte, entries func(func(k, v []byte) bool)) {
		entries(func(k, v []byte) bool {
			got[string(g)+string(k)] = string(v)
			return true
		})
	}))
	if !maps.Equal(got, model) {
		t.Fatalf("%d entries, want %d", len(got), len(model))
	}
}
