package pgvalue

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/zset"
)

// DecodeRow appends the row image t to cols. A column that the source did not send
// (row.Unchanged) is NULL in cols and is listed in Unchanged. The error, an *Error or
// row.ErrCorrupt, leaves cols as they were.
func (d *RowDecoder) DecodeRow(t row.Tuple, cols []*zset.Vec) error {
	n := cols[0].N
	err := d.decode(t, cols)
	if err != nil {
		for _, v := range cols {
			v.Truncate(n)
		}
	}
	return err
}

// RowDecoder reads row images of one schema version. Their values are canonical text
// and are read as such, without modifiers.
type RowDecoder struct {
	// Unchanged lists the columns that the last row did not bring.
	Unchanged []int
	types     []datum.TypeRef
	at        []int // for each column of the image: where it goes, -1: nowhere
	absent    []int // columns that no image has
	opts      Options
}

// NewRowDecoder reads images of width columns; source[k] is the image's column for
// column k of the result, -1 for one that is always NULL.
func NewRowDecoder(types []datum.TypeRef, source []int, width int) *RowDecoder {
	d := &RowDecoder{types: make([]datum.TypeRef, len(types)), at: make([]int, width)}
	for i := range d.at {
		d.at[i] = -1
	}
	for k, s := range source {
		d.types[k] = datum.Ref(types[k].OID)
		if s < 0 || s >= width {
			d.absent = append(d.absent, k)
			continue
		}
		d.at[s] = k
	}
	return d
}

func (d *RowDecoder) decode(t row.Tuple, cols []*zset.Vec) error {
	d.Unchanged = d.Unchanged[:0]
	it := t.Iter()
	i := 0
	for ; it.Next(); i++ {
		if i >= len(d.at) {
			return row.ErrCorrupt
		}
		k := d.at[i]
		if k < 0 {
			continue
		}
		switch it.State {
		case row.Null:
			cols[k].AppendNull()
		case row.Unchanged:
			cols[k].AppendNull()
			d.Unchanged = append(d.Unchanged, k)
		default:
			if err := appendCanonical(cols[k], d.types[k], it.Value, &d.opts); err != nil {
				return err
			}
		}
	}
	if it.Err() != nil || i != len(d.at) {
		return row.ErrCorrupt
	}
	for _, k := range d.absent {
		cols[k].AppendNull()
	}
	return nil
}

// appendCanonical reads what the server printed.
func appendCanonical(v *zset.Vec, t datum.TypeRef, text []byte, o *Options) error {
	switch v.Kind {
	case zset.Int:
		x, ok := canonicalInt(t.OID, text)
		if !ok {
			return AppendValue(v, t, text, *o)
		}
		v.AppendInt(x)
		return nil
	case zset.Bytes:
		if t.OID != datum.OIDUUID && t.OID != datum.OIDBytea {
			v.AppendBytes(text)
			return nil
		}
	}
	return AppendValue(v, t, text, *o)
}

func canonicalInt(oid uint32, text []byte) (int64, bool) {
	switch oid {
	case datum.OIDBool:
		if string(text) == "t" {
			return 1, true
		}
		return 0, string(text) == "f"
	case datum.OIDDate:
		d, err := datum.ParseDate(text)
		return int64(d), err == nil
	case datum.OIDTime:
		d, err := datum.ParseTime(text)
		return int64(d), err == nil
	case datum.OIDTimestamp:
		d, err := datum.ParseTimestamp(text)
		return int64(d), err == nil
	case datum.OIDTimestampTZ:
		d, err := datum.ParseTimestampTZ(text)
		return int64(d), err == nil
	case datum.OIDMoney:
		return 0, false
	}
	d, err := datum.ParseInt64(text)
	return d, err == nil
}
