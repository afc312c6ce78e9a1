package progress_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirstream/weir/internal/progress"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

func minimum(t *testing.T, h *progress.Heap[string]) ts.Ts {
	t.Helper()
	m, ok := h.Min()
	if !ok {
		t.Fatal("the heap is empty")
	}
	return m.Ts
}

// TestThousandVchannels walks the life of 1000 vchannels: every refusal leaves
// the minimum alone, every raise of all its holders moves it, and it never
// falls again, up to the drop of the last one.
func TestThousandVchannels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	name := func(i int) string { return fmt.Sprintf("vchannel-%d", i) }
	h := progress.New[string](0)
	for i := range 1000 {
		at := ts.Ts(2 + rng.IntN(1_000_000))
		if i == 1 {
			at = 1
		}
		if _, _, err := h.Add(name(i), at, 0); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, err error, code weirerr.Code) {
		t.Helper()
		if weirerr.CodeOf(err) != code {
			t.Errorf("%s: error %v, want %s", what, err, code)
		}
		if got := minimum(t, h); got != 1 {
			t.Fatalf("%s: minimum %d, want 1", what, got)
		}
	}
	_, _, err := h.Add(name(5), 0, 0)
	check("add of a present key", err, weirerr.AlreadyExists)
	_, err = h.Drop(name(1000))
	check("drop of an absent key", err, weirerr.NotFound)
	_, err = h.Update(name(1000), 7, 0)
	check("update of an absent key", err, weirerr.NotFound)
	_, moved, err := h.Add(name(1000), 1_000_001, 0)
	if moved || err != nil || minimum(t, h) != 1 {
		t.Fatalf("add above the minimum: moved %v, error %v", moved, err)
	}

	moved, err = h.Update(name(1), 1_000_000, 0)
	low := minimum(t, h)
	if !moved || err != nil || low == 1 {
		t.Fatalf("raising the only holder: moved %v, error %v, minimum %d", moved, err, low)
	}
	_, err = h.Update(name(1), 1, 0)
	var back *progress.Backward
	if !errors.As(err, &back) || back.Has != 1_000_000 || back.Asked != 1 {
		t.Fatalf("update back: %v", err)
	}
	if _, err = h.Drop(name(501)); err != nil {
		t.Fatal(err)
	}
	for range 1001 {
		_, _ = h.Update(name(rng.IntN(1001)), ts.Ts(rng.IntN(1_000_000)), 0) // some are refused, as they should
		if got := minimum(t, h); got < low {
			t.Fatalf("the minimum fell from %d to %d", low, got)
		} else {
			low = got
		}
	}
	for i := range 1001 {
		if _, err := h.Drop(name(i)); (err == nil) == (i == 501) {
			t.Fatalf("drop of %s: %v", name(i), err)
		}
		if m, ok := h.Min(); ok && m.Ts < low {
			t.Fatalf("the minimum fell from %d to %d", low, m.Ts)
		} else if ok {
			low = m.Ts
		}
	}
	if _, ok := h.Min(); ok || h.Len() != 0 {
		t.Errorf("%d holders left", h.Len())
	}
}

func TestStaleHandle(t *testing.T) {
	h := progress.New[string](1)
	old, _, _ := h.Add("a", 1, 0)
	_, _ = h.Drop("a")
	fresh, _, _ := h.Add("b", 2, 0)
	if _, err := h.UpdateAt(old, 9, 0); weirerr.CodeOf(err) != weirerr.NotFound {
		t.Errorf("update by a handle of a dropped holder: %v", err)
	}
	if _, err := h.DropAt(old); weirerr.CodeOf(err) != weirerr.NotFound {
		t.Errorf("drop by a handle of a dropped holder: %v", err)
	}
	if _, ok := h.GetAt(progress.Handle{}); ok {
		t.Error("the zero handle names a holder")
	}
	if got, ok := h.GetAt(fresh); !ok || got.Key != "b" || got.Ts != 2 {
		t.Errorf("fresh handle gives %+v, %v", got, ok)
	}
}

// TestStaleHandleOutlivesTheMemory: an emptied large heap lets its memory go,
// and old handles still name nobody.
func TestStaleHandleOutlivesTheMemory(t *testing.T) {
	h := progress.New[int](10_000)
	var old progress.Handle
	for i := range 10_000 {
		hd, _, _ := h.Add(i, 5, 0)
		if i == 0 {
			old = hd
		}
	}
	for i := range 10_000 {
		_, _ = h.Drop(i)
	}
	if _, moved, err := h.Add(0, 7, 0); !moved || err != nil {
		t.Fatalf("first holder again: moved %v, error %v", moved, err)
	}
	if _, ok := h.GetAt(old); ok {
		t.Error("a handle from before names the new holder")
	}
}
