package algebra

import (
	"math/bits"

	"github.com/weirstream/weir/internal/datum"
)

// Col numbers a column of a query, from 1.
type Col int

// Query numbers the columns of one query and knows their types and names.
type Query struct {
	types []datum.TypeRef
	names []string
}

// New makes a column.
func (q *Query) New(name string, t datum.TypeRef) Col {
	q.types = append(q.types, t)
	q.names = append(q.names, name)
	return Col(len(q.types))
}

// NewLike makes a column with the name and the type of c.
func (q *Query) NewLike(c Col) Col { return q.New(q.Name(c), q.Type(c)) }

// Type is a column's type.
func (q *Query) Type(c Col) datum.TypeRef { return q.types[c-1] }

// Name is what a column is called.
func (q *Query) Name(c Col) string { return q.names[c-1] }

// Set is a set of columns. It is a value: operations make a new one.
type Set struct{ words []uint64 }

// SetOf makes a set.
func SetOf(cols ...Col) Set {
	var s Set
	for _, c := range cols {
		s.add(c)
	}
	return s
}

func (s *Set) add(c Col) {
	for len(s.words) <= int(c)>>6 {
		s.words = append(s.words, 0)
	}
	s.words[c>>6] |= 1 << (c & 63)
}

// Has tells whether c is in s.
func (s Set) Has(c Col) bool {
	return int(c)>>6 < len(s.words) && s.words[c>>6]&(1<<(c&63)) != 0
}

// Empty tells whether s has no column.
func (s Set) Empty() bool {
	for _, w := range s.words {
		if w != 0 {
			return false
		}
	}
	return true
}

// Union has the columns of both.
func (s Set) Union(o Set) Set {
	if len(s.words) < len(o.words) {
		s, o = o, s
	}
	u := Set{append([]uint64(nil), s.words...)}
	for i, w := range o.words {
		u.words[i] |= w
	}
	return u
}

// Minus has the columns of s that are not in o.
func (s Set) Minus(o Set) Set {
	d := Set{append([]uint64(nil), s.words...)}
	for i := range min(len(d.words), len(o.words)) {
		d.words[i] &^= o.words[i]
	}
	return d
}

// Intersect has the columns that are in both.
func (s Set) Intersect(o Set) Set {
	n := min(len(s.words), len(o.words))
	d := Set{append([]uint64(nil), s.words[:n]...)}
	for i := range d.words {
		d.words[i] &= o.words[i]
	}
	return d
}

// Within tells whether every column of s is in o.
func (s Set) Within(o Set) bool { return s.Minus(o).Empty() }

// Meets tells whether s and o share a column.
func (s Set) Meets(o Set) bool { return !s.Intersect(o).Empty() }

// Cols lists the columns, ascending.
func (s Set) Cols() []Col {
	var out []Col
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			out = append(out, Col(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return out
}
