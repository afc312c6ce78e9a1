package arrange

// evicted remembers, roughly, which groups were evicted: what it does not have was
// never in the store, so a new group need not be looked for there. It is a list
// of Bloom filters, each of twice the size of the one before; the bits of a key lie in one word.
type evicted struct {
	filters []bloom
}

// bloom has 16 bits for each of room keys, of which 4 are set: about one in a hundred others seems to be there.
type bloom struct {
	words []uint64
	n     int
	room  int
}

const firstRoom = 1 << 12

// place is the word of a key and its bits in it.
func (b *bloom) place(hash uint64) (at int, bits uint64) {
	// The index takes the low bits of the hash and buckets the high ones, so mix them anew.
	hash *= 0x9e3779b97f4a7c15
	at = int(hash >> 32 & uint64(len(b.words)-1))
	return at, 1<<(hash&63) | 1<<(hash>>6&63) | 1<<(hash>>12&63) | 1<<(hash>>18&63)
}

func (e *evicted) has(hash uint64) bool {
	for i := range e.filters {
		b := &e.filters[i]
		if at, bits := b.place(hash); b.words[at]&bits == bits {
			return true
		}
	}
	return false
}

func (e *evicted) add(hash uint64) {
	if e.has(hash) {
		return
	}
	last := len(e.filters) - 1
	if last < 0 || e.filters[last].n == e.filters[last].room {
		room := firstRoom
		if last >= 0 {
			room = 2 * e.filters[last].room
		}
		e.filters = append(e.filters, bloom{words: make([]uint64, room/4), room: room})
		last++
	}
	b := &e.filters[last]
	at, bits := b.place(hash)
	b.words[at] |= bits
	b.n++
}

func (e *evicted) bytes() (n int64) {
	for _, b := range e.filters {
		n += int64(len(b.words)) * 8
	}
	return n
}
