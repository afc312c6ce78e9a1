package reconcile

import "github.com/weirstream/weir/internal/row"

// keys makes key tuples that live until reset.
type keys struct{ free []byte }

const keyBlock = 64 << 10

func (a *keys) reset() { a.free = nil }

// of gives the key tuples of the row before and after a change; nil where
// there is none, or where the old row was not sent because its key is the same.
func (a *keys) of(columns []int, c *row.Change) (before, after row.Tuple, err error) {
	if c.OldKind != row.OldNone {
		if before, err = a.key(columns, c.Old, nil); err != nil {
			return nil, nil, err
		}
	}
	if len(c.New) > 0 {
		after, err = a.key(columns, c.New, c.Old)
	}
	return before, after, err
}

func (a *keys) key(columns []int, t, old row.Tuple) (row.Tuple, error) {
	if need := len(t) + len(old) + 10; cap(a.free) < need {
		a.free = make([]byte, 0, max(keyBlock, need))
	}
	key, err := AppendKey(a.free, columns, t, old)
	if err != nil {
		return nil, err
	}
	a.free = key[len(key):]
	return key[:len(key):len(key)], nil
}

// AppendKey appends the tuple of the key columns of a tuple. One that is Unchanged is
// taken from the old tuple, which then carries it.
func AppendKey(dst []byte, columns []int, t, old row.Tuple) (row.Tuple, error) {
	dst = row.AppendTupleHeader(dst, len(columns))
	next := 0
	it, was := t.Iter(), old.Iter()
	for i := 0; it.Next() && next < len(columns); i++ {
		carried := was.Next()
		if i != columns[next] {
			continue
		}
		next++
		state, value := it.State, it.Value
		if state == row.Unchanged && carried {
			state, value = was.State, was.Value
		}
		if state == row.Present {
			dst = row.AppendValue(dst, value)
		} else {
			dst = row.AppendNull(dst)
		}
	}
	if next < len(columns) {
		return nil, row.ErrCorrupt
	}
	return dst, nil
}
