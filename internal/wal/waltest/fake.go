package waltest

import (
	"bytes"
	"math/rand"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Faults of the fake's store.
type Faults struct {
	// Unknown is how likely an append breaks off: some of its frames land now, some may
	// land late, and the writer is told LogUnknown.
	Unknown float64
	// FrameBytes bounds a frame; an entry takes as many as it needs. 0 means 64 KiB.
	FrameBytes int
	Seed       int64
	// Unfenced makes readers believe frames of old terms: the suite must notice.
	Unfenced bool
}

// Store is the remote store of the fake backend: what survives when its logs are closed.
type Store struct {
	faults Faults
	mu     sync.Mutex
	rnd    *rand.Rand
	remote map[string]*remote
}

// remote is one channel in the store: a list of frames that it never judges, and the
// register in which a new term is taken.
type remote struct {
	frames    []fakeFrame
	late      []fakeFrame // writes under way that may land any time
	register  struct{ term, ceiling uint64 }
	truncated ts.Ts
	high      []byte // of what was truncated
	parts     map[uint64]*fakeParts
	changed   chan struct{}
}

// fakeFrame is a piece of an entry, or what opens a term.
type fakeFrame struct {
	term  uint64
	ts    ts.Ts
	n, of int // piece n of of; of is 0 for the opening of a term
	body  []byte
}

type fakeParts struct {
	subs   []uint64
	bodies [][]byte
	bytes  int64
	sealed bool
}

// NewStore makes an empty store with the given faults.
func NewStore(f Faults) *Store {
	if f.FrameBytes <= 0 {
		f.FrameBytes = 64 << 10
	}
	return &Store{faults: f, rnd: rand.New(rand.NewSource(f.Seed)), remote: map[string]*remote{}}
}

// Open opens a log on the store.
func (s *Store) Open(o wal.Options) wal.Log {
	if o.ReserveAhead <= 0 {
		o.ReserveAhead = 5 * time.Second
	}
	return &fakeLog{store: s, opts: o}
}

// Land lets some of the writes that are under way land now.
func (s *Store) Land() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.remote {
		s.land(r)
	}
}

// land puts each late frame at the end of the list, or leaves it under way, or loses it.
func (s *Store) land(r *remote) {
	var still []fakeFrame
	for _, f := range r.late {
		switch s.rnd.Intn(3) {
		case 0:
			r.frames = append(r.frames, f)
		case 1:
			still = append(still, f)
		}
	}
	r.late = still
	r.notify()
}

func (r *remote) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// visible is what a reader makes of the frames: whole entries of the highest term seen.
func (s *Store) visible(r *remote) []wal.Entry {
	var out []wal.Entry
	var term uint64
	var partial []byte
	var at ts.Ts
	next := 0
	for _, f := range r.frames {
		if f.term < term && !s.faults.Unfenced {
			continue
		}
		if f.term > term || f.ts != at || f.n != next {
			partial, next = nil, 0 // the rest of an unfinished entry will never count
		}
		term, at = max(term, f.term), f.ts
		if f.of == 0 || f.n != next {
			continue
		}
		partial = append(partial, f.body...)
		if next++; next < f.of {
			continue
		}
		e := wal.Entry{Ts: f.ts, Term: f.term}
		if wal.DecodeEntry(partial, &e) == nil && e.Ts > r.truncated {
			out = append(out, e)
		}
		partial, next = nil, 0
	}
	return out
}

// append writes an entry's frames, or a part of them.
func (s *Store) append(r *remote, e *wal.Entry) error {
	body := wal.AppendEntry(nil, e)
	pieces := slices.Collect(slices.Chunk(body, s.faults.FrameBytes))
	broken := s.rnd.Float64() < s.faults.Unknown
	lands := len(pieces)
	if broken {
		lands = s.rnd.Intn(len(pieces) + 1)
	}
	for i, p := range pieces {
		f := fakeFrame{term: e.Term, ts: e.Ts, n: i, of: len(pieces), body: p}
		if i < lands {
			r.frames = append(r.frames, f)
		} else {
			r.late = append(r.late, f)
		}
	}
	r.notify()
	if broken {
		return weirerr.New(weirerr.LogUnknown, "the store did not answer").With("ts", e.Ts)
	}
	return nil
}

// truncate forgets what is at or below upTo, but not its high position.
func (s *Store) truncate(r *remote, upTo ts.Ts) {
	for _, e := range s.visible(r) {
		if e.Ts > upTo {
			break
		}
		if len(e.Position) > 0 {
			r.high = bytes.Clone(e.Position)
		}
		if e.Large != nil {
			delete(r.parts, e.Large.Attempt)
		}
	}
	r.truncated = max(r.truncated, upTo)
	r.frames = slices.DeleteFunc(r.frames, func(f fakeFrame) bool { return f.of > 0 && f.ts <= upTo })
	r.notify()
}

// dropOrphans deletes parts of older terms that no visible entry names.
func (s *Store) dropOrphans(r *remote) {
	named := map[uint64]bool{}
	for _, e := range s.visible(r) {
		if e.Large != nil {
			named[e.Large.Attempt] = true
		}
	}
	for no := range r.parts {
		if !named[no] {
			delete(r.parts, no)
		}
	}
}
