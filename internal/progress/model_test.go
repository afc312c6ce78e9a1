package progress_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/progress"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
	"pgregory.net/rapid"
)

// naive is the model: a map that is scanned.
type naive map[int]progress.Holder[int]

func (m naive) min() (least ts.Ts, any bool) {
	for _, h := range m {
		if !any || h.Ts < least {
			least, any = h.Ts, true
		}
	}
	return least, any
}

// machine runs the heap and the model side by side.
type machine struct {
	h       *progress.Heap[int]
	handles map[int]progress.Handle
	m       naive
	now     int64
}

// step applies one operation to both and compares the answers.
func (s *machine) step(t *rapid.T, key int, apply func() (bool, error), model func() weirerr.Code) {
	before, anyBefore := s.m.min()
	moved, err := apply()
	want := model()
	got := weirerr.Code("")
	if err != nil {
		got = weirerr.CodeOf(err)
	}
	if got != want {
		t.Fatalf("key %d: error %v, want code %q", key, err, want)
	}
	after, anyAfter := s.m.min()
	if err == nil && moved != (before != after || anyBefore != anyAfter) {
		t.Fatalf("key %d: moved %v, minimum %d,%v -> %d,%v", key, moved, before, anyBefore, after, anyAfter)
	}
}

func (s *machine) add(t *rapid.T) {
	key, at := rapid.IntRange(0, 40).Draw(t, "key"), ts.Ts(rapid.IntRange(0, 60).Draw(t, "ts"))
	s.now++
	s.step(t, key, func() (bool, error) {
		handle, moved, err := s.h.Add(key, at, s.now)
		if err == nil {
			s.handles[key] = handle
		}
		return moved, err
	}, func() weirerr.Code {
		if _, ok := s.m[key]; ok {
			return weirerr.AlreadyExists
		}
		s.m[key] = progress.Holder[int]{Key: key, Ts: at, Since: s.now}
		return ""
	})
}

func (s *machine) update(t *rapid.T) {
	key, at := rapid.IntRange(0, 40).Draw(t, "key"), ts.Ts(rapid.IntRange(0, 60).Draw(t, "ts"))
	byHandle := rapid.Bool().Draw(t, "by handle")
	s.now++
	s.step(t, key, func() (bool, error) {
		if byHandle {
			return s.h.UpdateAt(s.handles[key], at, s.now)
		}
		return s.h.Update(key, at, s.now)
	}, func() weirerr.Code {
		old, ok := s.m[key]
		switch {
		case !ok:
			return weirerr.NotFound
		case at < old.Ts:
			return weirerr.WrongState
		case at > old.Ts:
			old.Ts, old.Since = at, s.now
			s.m[key] = old
		}
		return ""
	})
}

func (s *machine) drop(t *rapid.T) {
	key := rapid.IntRange(0, 40).Draw(t, "key")
	byHandle := rapid.Bool().Draw(t, "by handle")
	s.step(t, key, func() (bool, error) {
		if byHandle {
			return s.h.DropAt(s.handles[key])
		}
		return s.h.Drop(key)
	}, func() weirerr.Code {
		if _, ok := s.m[key]; !ok {
			return weirerr.NotFound
		}
		delete(s.m, key)
		return ""
	})
}

func (s *machine) setBytes(t *rapid.T) {
	key, bytes := rapid.IntRange(0, 40).Draw(t, "key"), rapid.Int64().Draw(t, "bytes")
	err := s.h.SetBytes(key, bytes)
	old, ok := s.m[key]
	if ok != (err == nil) {
		t.Fatalf("key %d: error %v, present %v", key, err, ok)
	}
	if ok {
		old.Bytes = bytes
		s.m[key] = old
	}
}

// plain leaves out the handle, which the model does not know.
func plain(h progress.Holder[int]) progress.Holder[int] {
	h.Handle = progress.Handle{}
	return h
}

// check compares everything that can be read.
func (s *machine) check(t *rapid.T) {
	if s.h.Len() != len(s.m) {
		t.Fatalf("%d holders, want %d", s.h.Len(), len(s.m))
	}
	want, anyWant := s.m.min()
	got, any := s.h.Min()
	if any != anyWant || got.Ts != want || (any && s.m[got.Key] != plain(got)) {
		t.Fatalf("minimum %+v,%v, want %d,%v", got, any, want, anyWant)
	}
	for key := range 41 {
		got, ok := s.h.Get(key)
		if model, there := s.m[key]; ok != there || plain(got) != model {
			t.Fatalf("key %d: %+v,%v, want %+v,%v", key, got, ok, model, there)
		}
		if at, okAt := s.h.GetAt(s.handles[key]); okAt != ok || at != got {
			t.Fatalf("key %d by handle: %+v,%v, want %+v,%v", key, at, okAt, got, ok)
		}
	}
	n := rapid.IntRange(0, 50).Draw(t, "n")
	s.checkLowest(t, n)
}

func (s *machine) checkLowest(t *rapid.T, n int) {
	all := make([]ts.Ts, 0, len(s.m))
	for _, h := range s.m {
		all = append(all, h.Ts)
	}
	slices.Sort(all)
	walked := map[int]bool{}
	i := 0
	for h := range s.h.Lowest(n) {
		if i >= len(all) || cmp.Compare(h.Ts, all[i]) != 0 || s.m[h.Key] != plain(h) || walked[h.Key] {
			t.Fatalf("lowest %d of %v: %+v", i, all, h)
		}
		walked[h.Key] = true
		i++
	}
	if i != min(n, len(all)) {
		t.Fatalf("walked %d of %d, asked for %d", i, len(all), n)
	}
}

func TestAgainstScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &machine{h: progress.New[int](0), handles: map[int]progress.Handle{}, m: naive{}}
		t.Repeat(map[string]func(*rapid.T){
			"add": s.add, "add2": s.add, "update": s.update, "update2": s.update,
			"drop": s.drop, "bytes": s.setBytes, "": s.check,
		})
	})
}
