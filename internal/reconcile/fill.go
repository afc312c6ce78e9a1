package reconcile

import (
	"context"

	"github.com/weirstream/weir/internal/row"
)

// Fill appends t with its Unchanged columns replaced by those of from, where from has
// them, and tells whether any are left.
func Fill(dst []byte, t, from row.Tuple) (filled row.Tuple, missing bool) {
	dst = row.AppendTupleHeader(dst, t.Len())
	it, other := t.Iter(), from.Iter()
	for it.Next() {
		has := other.Next() && other.State != row.Unchanged
		switch {
		case it.State == row.Present:
			dst = row.AppendValue(dst, it.Value)
		case it.State == row.Null, has && other.State == row.Null:
			dst = row.AppendNull(dst)
		case has:
			dst = row.AppendValue(dst, other.Value)
		default:
			dst = row.AppendUnchanged(dst)
			missing = true
		}
	}
	return dst, missing
}

// Appear gives the row of an update whose old row the consumer does not have. Large
// values that the update did not touch are read from upstream as they are now: later
// changes of the row follow in the stream. If the row is gone by now they are NULL
// until the stream says so too.
func Appear(ctx context.Context, source Source, shape *row.Schema, key []int, c *row.Change) (row.Tuple, error) {
	var old row.Tuple
	if c.OldKind == row.OldFull {
		old = c.Old
	}
	filled, missing := Fill(nil, c.New, old)
	if !missing {
		return filled, nil
	}
	k, err := AppendKey(nil, key, c.New, c.Old)
	if err != nil {
		return nil, err
	}
	now, found, err := source.Fetch(ctx, shape, k)
	if err != nil {
		return nil, err
	}
	if !found {
		now = nil
	}
	if filled, missing = Fill(nil, filled, now); missing {
		filled = nulls(filled)
	}
	return filled, nil
}

// nulls makes Unchanged columns NULL.
func nulls(t row.Tuple) row.Tuple {
	dst := row.AppendTupleHeader(make([]byte, 0, len(t)+10), t.Len())
	for it := t.Iter(); it.Next(); {
		if it.State == row.Present {
			dst = row.AppendValue(dst, it.Value)
		} else {
			dst = row.AppendNull(dst)
		}
	}
	return dst
}
