package progress

import "github.com/weirstream/weir/internal/ts"

// Heap is a set of holders with a Ts each. The zero Heap is not usable; see New.
// It is not safe for concurrent use.
type Heap[K comparable] struct {
	index map[K]uint32
	slots []slot[K]
	meta  []meta // parallel to slots: apart, since an update touches only this
	order []node // order[root:] is the heap
	free  []uint32
	gen   uint32 // of the latest Add
}

type slot[K comparable] struct {
	key   K
	bytes int64
}

type meta struct {
	place uint32 // in order; 0 when the slot is free
	gen   uint32
	since int64
}

type node struct {
	ts   ts.Ts
	slot uint32
}

// keep is the size up to which an empty heap holds on to its memory.
const keep = 4096

// Holder is one entry of a Heap.
type Holder[K comparable] struct {
	Key   K
	Ts    ts.Ts
	Since int64 // unix milliseconds at which the caller set Ts
	Bytes int64 // what it pins, where the caller said so
	Handle
}

// Handle names a holder without a look-up by key. The zero Handle names none.
type Handle struct{ slot, gen uint32 }

// New makes an empty heap with room for n holders.
func New[K comparable](n int) *Heap[K] {
	return &Heap[K]{
		index: make(map[K]uint32, n),
		slots: make([]slot[K], 0, n),
		meta:  make([]meta, 0, n),
		order: make([]node, root, root+n),
	}
}

// Len is the number of holders.
func (h *Heap[K]) Len() int { return len(h.order) - root }

// Add enters a holder at t, set at since (unix ms). Moved says whether the
// minimum is another Ts now, or the first. It is an AlreadyExists error when
// the key is there.
func (h *Heap[K]) Add(key K, t ts.Ts, since int64) (handle Handle, moved bool, err error) {
	if _, ok := h.index[key]; ok {
		return Handle{}, false, errExists(key)
	}
	h.gen++
	if h.gen == 0 {
		h.gen = 1
	}
	i := h.take()
	h.slots[i] = slot[K]{key: key}
	h.index[key] = i
	before, any := h.minimum()
	h.order = append(h.order, node{t, i})
	h.meta[i] = meta{place: uint32(len(h.order) - 1), gen: h.gen, since: since}
	h.up(len(h.order) - 1)
	return Handle{i, h.gen}, !any || t < before, nil
}

// take finds a free slot or makes one.
func (h *Heap[K]) take() uint32 {
	if n := len(h.free); n > 0 {
		i := h.free[n-1]
		h.free = h.free[:n-1]
		return i
	}
	h.slots = append(h.slots, slot[K]{})
	h.meta = append(h.meta, meta{})
	return uint32(len(h.slots) - 1)
}

// Find gives the handle of a key.
func (h *Heap[K]) Find(key K) (Handle, bool) {
	i, ok := h.index[key]
	if !ok {
		return Handle{}, false
	}
	return Handle{i, h.meta[i].gen}, true
}

// Update raises a holder to t. See UpdateAt.
func (h *Heap[K]) Update(key K, t ts.Ts, since int64) (moved bool, err error) {
	i, ok := h.index[key]
	if !ok {
		return false, errAbsent(key)
	}
	return h.update(i, t, since)
}

// UpdateAt raises the holder to t, set at since (unix ms). The same t again
// changes nothing, since included. Moved says whether the minimum is another
// Ts now. A t below the present one is a Backward error; a handle that is no
// longer valid is a NotFound error.
func (h *Heap[K]) UpdateAt(handle Handle, t ts.Ts, since int64) (moved bool, err error) {
	if !h.valid(handle) {
		return false, errAbsent(handle)
	}
	return h.update(handle.slot, t, since)
}

func (h *Heap[K]) update(i uint32, t ts.Ts, since int64) (moved bool, err error) {
	m := &h.meta[i]
	place := int(m.place)
	n := &h.order[place]
	if t <= n.ts {
		if t < n.ts {
			return false, errBackward(h.slots[i].key, n.ts, t)
		}
		return false, nil
	}
	before := h.order[root].ts
	n.ts = t
	m.since = since
	h.down(place)
	return h.order[root].ts != before, nil
}

// Drop removes a holder. See DropAt.
func (h *Heap[K]) Drop(key K) (moved bool, err error) {
	i, ok := h.index[key]
	if !ok {
		return false, errAbsent(key)
	}
	return h.drop(i), nil
}

// DropAt removes the holder. Moved says whether the minimum is another Ts now,
// or there is none any more.
func (h *Heap[K]) DropAt(handle Handle) (moved bool, err error) {
	if !h.valid(handle) {
		return false, errAbsent(handle)
	}
	return h.drop(handle.slot), nil
}

func (h *Heap[K]) drop(i uint32) (moved bool) {
	before := h.order[root].ts
	place, last := int(h.meta[i].place), len(h.order)-1
	h.move(last, place)
	h.order = h.order[:last]
	if place < last {
		h.down(place)
		h.up(place)
	}
	delete(h.index, h.slots[i].key)
	h.slots[i], h.meta[i] = slot[K]{}, meta{}
	h.free = append(h.free, i)
	if h.Len() == 0 && cap(h.order) > keep {
		gen := h.gen
		*h = *New[K](0)
		h.gen = gen
	}
	after, any := h.minimum()
	return !any || after != before
}

// SetBytes notes what a holder pins, in bytes.
func (h *Heap[K]) SetBytes(key K, bytes int64) error {
	i, ok := h.index[key]
	if !ok {
		return errAbsent(key)
	}
	h.slots[i].bytes = bytes
	return nil
}

// Get looks a holder up.
func (h *Heap[K]) Get(key K) (Holder[K], bool) {
	i, ok := h.index[key]
	if !ok {
		return Holder[K]{}, false
	}
	return h.holder(int(h.meta[i].place)), true
}

// GetAt looks a holder up by its handle.
func (h *Heap[K]) GetAt(handle Handle) (Holder[K], bool) {
	if !h.valid(handle) {
		return Holder[K]{}, false
	}
	return h.holder(int(h.meta[handle.slot].place)), true
}

// Min is the holder of the minimum; false when there is none.
func (h *Heap[K]) Min() (Holder[K], bool) {
	if h.Len() == 0 {
		return Holder[K]{}, false
	}
	return h.holder(root), true
}

func (h *Heap[K]) minimum() (ts.Ts, bool) {
	if h.Len() == 0 {
		return 0, false
	}
	return h.order[root].ts, true
}

func (h *Heap[K]) holder(place int) Holder[K] {
	n := h.order[place]
	s, m := &h.slots[n.slot], &h.meta[n.slot]
	return Holder[K]{Key: s.key, Ts: n.ts, Since: m.since, Bytes: s.bytes, Handle: Handle{n.slot, m.gen}}
}

func (h *Heap[K]) valid(handle Handle) bool {
	return handle.gen != 0 && int(handle.slot) < len(h.meta) && h.meta[handle.slot].gen == handle.gen
}
