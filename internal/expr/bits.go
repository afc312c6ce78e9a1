package expr

import "math/bits"

// Sets of rows are bitmaps, 64 rows a word. nil is the empty set. Bits beyond the last row
// are of no interest.

func words(n int) int { return (n + 63) >> 6 }

func has(set []uint64, i int) bool { return set != nil && set[i>>6]&(1<<(i&63)) != 0 }

// union is a or b; it may be one of them, so neither may be written afterwards.
func union(a, b []uint64) []uint64 {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := make([]uint64, len(a))
	for i, w := range a {
		out[i] = w | b[i]
	}
	return out
}

// isFull tells whether all of n rows are in the set.
func isFull(set []uint64, n int) bool {
	if set == nil {
		return n == 0
	}
	for i := range n >> 6 {
		if set[i] != ^uint64(0) {
			return false
		}
	}
	rest := n & 63
	return rest == 0 || ^set[n>>6]<<(64-rest) == 0
}

// isEmpty tells whether none of n rows is in the set.
func isEmpty(set []uint64, n int) bool {
	for i := range min(n>>6, len(set)) {
		if set[i] != 0 {
			return false
		}
	}
	rest := n & 63
	return set == nil || rest == 0 || set[n>>6]<<(64-rest) == 0
}

// eachRow calls f for every row that is not in skip.
func eachRow(n int, skip []uint64, f func(i int)) {
	if skip == nil {
		for i := range n {
			f(i)
		}
		return
	}
	for w := range words(n) {
		todo := ^skip[w]
		if rest := n - w<<6; rest < 64 {
			todo &= 1<<rest - 1
		}
		for todo != 0 {
			f(w<<6 + bits.TrailingZeros64(todo))
			todo &= todo - 1
		}
	}
}

// packTrue is the set of rows whose boolean is 1.
func packTrue(v []int64) []uint64 {
	set := make([]uint64, words(len(v)))
	full := len(v) >> 6
	for w := range full {
		chunk := v[w<<6 : w<<6+64 : w<<6+64]
		var x uint64
		for k := 0; k < 64; k += 4 {
			x |= (uint64(chunk[k])&1 | uint64(chunk[k+1])&1<<1 | uint64(chunk[k+2])&1<<2 | uint64(chunk[k+3])&1<<3) << k
		}
		set[w] = x
	}
	for i := full << 6; i < len(v); i++ {
		set[i>>6] |= uint64(v[i]) & 1 << (i & 63)
	}
	return set
}

// rowsOf lists the rows of n that are not in skip.
func rowsOf(n int, skip []uint64) []int32 {
	count := n
	if skip != nil {
		count = 0
		for w := range words(n) {
			todo := ^skip[w]
			if rest := n - w<<6; rest < 64 {
				todo &= 1<<rest - 1
			}
			count += bits.OnesCount64(todo)
		}
	}
	sel := make([]int32, count)
	if skip == nil {
		for i := range sel {
			sel[i] = int32(i)
		}
		return sel
	}
	k := 0
	for w := range words(n) {
		todo := ^skip[w]
		if rest := n - w<<6; rest < 64 {
			todo &= 1<<rest - 1
		}
		for ; todo != 0; todo &= todo - 1 {
			sel[k] = int32(w<<6 + bits.TrailingZeros64(todo))
			k++
		}
	}
	return sel
}
