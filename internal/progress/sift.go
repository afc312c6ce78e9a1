package progress

import "iter"

// The heap is 4-ary and begins at order[3], so that the four children of a
// place, 16 bytes each, are 4-aligned and share a cache line.
const (
	arity = 4
	root  = arity - 1
)

func parent(i int) int     { return i/arity + root - 1 }
func firstChild(i int) int { return (i - root + 1) * arity }

// move puts the node at from into the place to.
func (h *Heap[K]) move(from, to int) { h.put(h.order[from], to) }

func (h *Heap[K]) put(n node, place int) {
	h.order[place] = n
	h.meta[n.slot].place = uint32(place)
}

// up moves the node at i towards the root until its parent is not above it.
func (h *Heap[K]) up(i int) {
	n := h.order[i]
	for i > root {
		p := parent(i)
		if h.order[p].ts <= n.ts {
			break
		}
		h.move(p, i)
		i = p
	}
	h.put(n, i)
}

// down moves the node at i away from the root until no child is below it.
func (h *Heap[K]) down(i int) {
	n := h.order[i]
	for {
		first := firstChild(i)
		if first >= len(h.order) {
			break
		}
		children := h.order[first:min(first+arity, len(h.order))]
		least := 0
		for c := 1; c < len(children); c++ {
			if children[c].ts < children[least].ts {
				least = c
			}
		}
		if children[least].ts >= n.ts {
			break
		}
		h.move(first+least, i)
		i = first + least
	}
	h.put(n, i)
}

// Lowest walks the n lowest holders in ascending order, in O(n log n) whatever
// the size of the heap. The heap must not change meanwhile.
func (h *Heap[K]) Lowest(n int) iter.Seq[Holder[K]] {
	return func(yield func(Holder[K]) bool) {
		if h.Len() == 0 {
			return
		}
		// The frontier is a heap of places whose parents have been walked.
		frontier := New[int](min(n, h.Len()) * (arity - 1))
		reach := func(place int) {
			_, _, _ = frontier.Add(place, h.order[place].ts, 0) // each place is reached once
		}
		reach(root)
		for ; n > 0 && frontier.Len() > 0; n-- {
			least, _ := frontier.Min()
			if !yield(h.holder(least.Key)) {
				return
			}
			frontier.drop(frontier.index[least.Key])
			first := firstChild(least.Key)
			for c := first; c < min(first+arity, len(h.order)); c++ {
				reach(c)
			}
		}
	}
}
