package jsontext

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/weirstream/weir/internal/numeric"
)

// Values of jsonb: objects have each key once, in the order of jsonb; numbers are numerics.

// rank is the order of kinds: an object is above an array, and so on.
func rank(kind byte) int {
	return bytes.IndexByte([]byte{Null, String, Number, Boolean, Array, Object}, kind)
}

// Compare is jsonb's order: -1, 0 or 1.
func Compare(a, b []byte) int {
	ka, kb := Kind(a), Kind(b)
	if ka != kb {
		return orderOfKinds(a, b, ka, kb)
	}
	switch ka {
	case Object:
		return compareObjects(a, b)
	case Array:
		return compareArrays(a, b)
	}
	return compareScalars(ka, Trim(a), Trim(b))
}

// orderOfKinds: an empty array is below all scalars, as PostgreSQL has it.
func orderOfKinds(a, b []byte, ka, kb byte) int {
	if ka == Array && kb != Object && Len(a) == 0 {
		return -1
	}
	if kb == Array && ka != Object && Len(b) == 0 {
		return 1
	}
	return cmp.Compare(rank(ka), rank(kb))
}

func compareScalars(kind byte, a, b []byte) int {
	switch kind {
	case String:
		x, _ := Unquote(nil, a)
		y, _ := Unquote(nil, b)
		return bytes.Compare(x, y)
	case Number:
		x, dx, _ := numeric.FromText(nil, a)
		y, dy, _ := numeric.FromText(nil, b)
		return numeric.Cmp(numeric.Val{Num: x, Arena: dx}, numeric.Val{Num: y, Arena: dy})
	}
	return bytes.Compare(a, b)
}

func compareArrays(a, b []byte) int {
	if o := cmp.Compare(Len(a), Len(b)); o != 0 {
		return o
	}
	x, y := Members(a), Members(b)
	for x.Next() && y.Next() {
		if o := Compare(x.Value, y.Value); o != 0 {
			return o
		}
	}
	return 0
}

func compareObjects(a, b []byte) int {
	if o := cmp.Compare(Len(a), Len(b)); o != 0 {
		return o
	}
	x, y := Members(a), Members(b)
	for x.Next() && y.Next() {
		if o := cmp.Or(compareScalars(String, x.Key, y.Key), Compare(x.Value, y.Value)); o != 0 {
			return o
		}
	}
	return 0
}

// Contains is jsonb's @>: all that is in b is in a. An array contains a scalar that is one of its elements.
func Contains(a, b []byte) bool {
	if Kind(a) == Array && IsScalar(b) {
		return hasElement(a, b)
	}
	return contains(a, b)
}

func contains(a, b []byte) bool {
	ka, kb := Kind(a), Kind(b)
	switch {
	case ka != kb:
		return false
	case ka == Object:
		for it := Members(b); it.Next(); {
			key, _ := Unquote(nil, it.Key)
			v, ok := Field(a, key)
			if !ok || !contains(v, it.Value) {
				return false
			}
		}
		return true
	case ka == Array:
		for it := Members(b); it.Next(); {
			if !hasElement(a, it.Value) {
				return false
			}
		}
		return true
	}
	return compareScalars(ka, Trim(a), Trim(b)) == 0
}

func hasElement(array, v []byte) bool {
	for it := Members(array); it.Next(); {
		if contains(it.Value, v) {
			return true
		}
	}
	return false
}

// Exists is jsonb's ?: a key of an object, a string in an array, or the string itself.
func Exists(v, s []byte) bool {
	switch Kind(v) {
	case Object:
		_, ok := Field(v, s)
		return ok
	case Array:
		for it := Members(v); it.Next(); {
			if Kind(it.Value) == String && keyIs(it.Value, s) {
				return true
			}
		}
		return false
	case String:
		return keyIs(Trim(v), s)
	}
	return false
}

// Member is a member of an object, or an element of an array (Key nil).
type Member struct{ Key, Value []byte }

// List is all members.
func List(v []byte) (all []Member) {
	for it := Members(v); it.Next(); {
		all = append(all, Member{it.Key, it.Value})
	}
	return all
}

// Append appends an object or array of members, in this order.
func Append(dst []byte, kind byte, all []Member) []byte {
	dst = append(dst, kind)
	for i, m := range all {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if kind == Object {
			dst = append(append(dst, m.Key...), ": "...)
		}
		dst = append(dst, m.Value...)
	}
	if kind == Object {
		return append(dst, '}')
	}
	return append(dst, ']')
}

// Sort brings members into jsonb's order, by the length of the key and its octets; of equal keys the last stays.
func Sort(all []Member) []Member {
	plain := func(m Member) []byte { k, _ := Unquote(nil, m.Key); return k }
	slices.SortStableFunc(all, func(x, y Member) int {
		a, b := plain(x), plain(y)
		return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b))
	})
	out := all[:0]
	for i, m := range all {
		if i+1 == len(all) || !bytes.Equal(plain(m), plain(all[i+1])) {
			out = append(out, m)
		}
	}
	return out
}
