package zset

import (
	"bytes"

	"github.com/weirstream/weir/internal/numeric"
)

// Compare is -1, 0 or 1 as value i of a sorts before, with or after value j of b, in
// PostgreSQL's order ascending. Both are of one kind and not NULL.
func Compare(a *Vec, i int, b *Vec, j int) int {
	switch a.Kind {
	case Int:
		return order(a.Ints[i], b.Ints[j])
	case Float:
		return compareFloats(a.Floats[i], b.Floats[j])
	case Numeric:
		return numeric.Cmp(a.Num(i), b.Num(j))
	case Interval:
		d1, m1 := spanDays(a.Intervals[i])
		d2, m2 := spanDays(b.Intervals[j])
		if d1 != d2 {
			return order(d1, d2)
		}
		return order(m1, m2)
	}
	return bytes.Compare(a.Bytes(i), b.Bytes(j))
}

func order[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareFloats takes NaN for equal to itself and above everything, -0 for 0.
func compareFloats(a, b float64) int {
	switch aNaN, bNaN := a != a, b != b; {
	case aNaN && bNaN:
		return 0
	case aNaN:
		return 1
	case bNaN:
		return -1
	}
	return order(a, b)
}
