package arrange

import (
	"bytes"
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// Batch is group keys, one after the other, with their hashes. Reset it and fill it anew for every chunk.
//
//	for each row { b.Data = append(b.Data, key…); b.End() }
type Batch struct {
	Data   []byte
	Ends   []uint32 // key i is Data[Ends[i-1]:Ends[i]]
	Hashes []uint64 // Hash of key i
	// Buckets are the buckets of the keys when they are not those of their hashes: of
	// groups that must stay with another table's. Otherwise empty.
	Buckets []byte
	// Heads are how long the heads will be that groups get which FindOrInsert makes, if known: it
	// saves moving them. Otherwise empty; see Table.Reserve.
	Heads []uint32
}

// Hash is the hash by which a key is found.
func Hash(key []byte) uint64 { return xxh3.Hash(key) }

// BucketOf is the bucket of a key: the top byte of its hash.
func BucketOf(hash uint64) byte { return byte(hash >> 56) }

// PrefixLen is the length of what stands before a group's key in the store: its bucket
// (1 byte) and a tag (4), more of its hash, by which the store's filters know it.
const PrefixLen = 5

// AppendPrefix appends the prefix of a group in a bucket.
func AppendPrefix(dst []byte, bucket byte, hash uint64) []byte {
	return binary.BigEndian.AppendUint32(append(dst, bucket), uint32(hash>>24))
}

// AppendGroup appends the prefix of a key in the bucket of its hash, and the key.
func AppendGroup(dst, key []byte) []byte {
	hash := Hash(key)
	return append(AppendPrefix(dst, BucketOf(hash), hash), key...)
}

// Len is the number of keys.
func (b *Batch) Len() int { return len(b.Ends) }

// Reset forgets the keys.
func (b *Batch) Reset() {
	b.Data, b.Ends, b.Hashes = b.Data[:0], b.Ends[:0], b.Hashes[:0]
	b.Buckets, b.Heads = b.Buckets[:0], b.Heads[:0]
}

// End says that what was appended to Data since the last key is a key.
func (b *Batch) End() {
	start := uint32(0)
	if n := len(b.Ends); n > 0 {
		start = b.Ends[n-1]
	}
	b.Ends = append(b.Ends, uint32(len(b.Data)))
	b.Hashes = append(b.Hashes, Hash(b.Data[start:]))
}

// EndIn is End for a key whose bucket is given.
func (b *Batch) EndIn(bucket byte) {
	b.End()
	b.Buckets = append(b.Buckets, bucket)
}

// Key is key i, borrowed.
func (b *Batch) Key(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = b.Ends[i-1]
	}
	return b.Data[start:b.Ends[i]]
}

func (b *Batch) bucket(i int) byte {
	if len(b.Buckets) > 0 {
		return b.Buckets[i]
	}
	return BucketOf(b.Hashes[i])
}

// index finds groups by hash: an open table of words, the low 32 bits of the hash
// above slot+1. Zero is empty. It is at most 5/8 full.
type index struct {
	words []uint64
	mask  uint32
	n     int
}

func newIndex() index { return index{words: make([]uint64, 64), mask: 63} }

func word(hash uint64, slot uint32) uint64 { return hash<<32 | uint64(slot+1) }

// insert adds a slot that is not there.
func (x *index) insert(hash uint64, slot uint32) {
	x.reserve(1)
	at := uint32(hash) & x.mask
	for x.words[at] != 0 {
		at = (at + 1) & x.mask
	}
	x.words[at] = word(hash, slot)
	x.n++
}

// reserve makes room for n more.
func (x *index) reserve(n int) {
	size := len(x.words)
	for (x.n+n)*8 > size*5 {
		size *= 2
	}
	if size != len(x.words) {
		x.resize(size)
	}
}

func (x *index) resize(size int) {
	old := x.words
	x.words, x.mask = make([]uint64, size), uint32(size-1)
	for _, w := range old {
		if w == 0 {
			continue
		}
		at := uint32(w>>32) & x.mask
		for x.words[at] != 0 {
			at = (at + 1) & x.mask
		}
		x.words[at] = w
	}
}

// remove takes a slot out and closes the gap.
func (x *index) remove(hash uint64, slot uint32) {
	at, w := uint32(hash)&x.mask, word(hash, slot)
	for x.words[at] != w {
		at = (at + 1) & x.mask
	}
	for gap := at; ; {
		at = (at + 1) & x.mask
		w := x.words[at]
		if w == 0 {
			x.words[gap] = 0
			break
		}
		// w may move to the gap unless it belongs behind it.
		if home := uint32(w>>32) & x.mask; (at-home)&x.mask >= (at-gap)&x.mask {
			x.words[gap] = w
			gap = at
		}
	}
	x.n--
}

// probe is the slot of a key's group, or None.
func (t *Table) probe(hash uint64, key []byte) uint32 {
	x := &t.index
	for at := uint32(hash) & x.mask; x.words[at] != 0; at = (at + 1) & x.mask {
		if w := x.words[at]; uint32(w>>32) == uint32(hash) {
			if slot := uint32(w) - 1; t.is(slot, key) {
				return slot
			}
		}
	}
	return None
}

// is tells whether a slot's group has a key.
func (t *Table) is(slot uint32, key []byte) bool {
	g := t.groups.at(slot)
	return int(g.klen) == len(key) && bytes.Equal(t.arena.at(g.place)[unit:unit+len(key)], key)
}

// guess puts into slots, for every key, the first slot with its hash, or None. The
// walk looks at the index alone, so that the processor can fetch many lines at a time.
func (t *Table) guess(hashes []uint64, slots []uint32) {
	words, mask := t.index.words, t.index.mask
	for i, hash := range hashes {
		at := uint32(hash) & mask
		w := words[at]
		for w != 0 && uint32(w>>32) != uint32(hash) {
			at = (at + 1) & mask
			w = words[at]
		}
		slots[i] = uint32(w) - 1 // of an empty word: None
	}
}
