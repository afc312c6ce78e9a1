package postgres

import (
	"slices"

	"github.com/weirstream/weir/internal/row"
)

// columnIDs finds the attribute number of each streamed column; 0 where nothing
// tells. The stream gives columns in attribute order, but not their numbers, and
// the catalog may be ahead of it: columns renamed, retyped, dropped or added since.
//
//	stream   id     b      c         name and type agree: sure
//	           │           │         between two sure ones: as many columns as
//	catalog  1 id  2 (was b) 3 c     attributes, dropped ones too: in order
func columnIDs(cols []streamColumn, f *tableFacts, prev *row.Schema, xid uint32) []int32 {
	ids := make([]int32, len(cols))
	if prev != nil && sameColumns(cols, prev) && !recreated(cols, f, prev, xid) {
		for i := range cols {
			ids[i] = prev.Columns[i].ID
		}
		if !slices.Contains(ids, 0) {
			return ids
		}
		clear(ids)
	}
	if f != nil {
		last := int32(0)
		for i, c := range cols {
			if a := f.named(c); a != nil && a.Num > last {
				ids[i], last = a.Num, a.Num
			}
		}
		retyped(ids, cols, f)
		fillGaps(ids, f)
	}
	if prev != nil {
		for i, c := range cols {
			if p := columnNamed(prev, c); ids[i] == 0 && p != nil && !slices.Contains(ids, p.ID) {
				ids[i] = p.ID
			}
		}
	}
	return ids
}

// retyped numbers columns whose type was changed since: the name agrees, and no
// attribute that was dropped lies before it and could be meant.
func retyped(ids []int32, cols []streamColumn, f *tableFacts) {
	last := int32(0)
	for i, c := range cols {
		if ids[i] != 0 {
			last = ids[i]
			continue
		}
		for _, a := range f.Attrs {
			if a.Num <= last || a.Generated != "" {
				continue
			}
			if a.Dropped || slices.Contains(ids, a.Num) {
				break
			}
			if a.Name == c.name {
				ids[i], last = a.Num, a.Num
				break
			}
		}
	}
}

// fillGaps numbers the columns between two sure ones when there are as many
// attributes between them.
func fillGaps(ids []int32, f *tableFacts) {
	for from := 0; from < len(ids); {
		if ids[from] != 0 {
			from++
			continue
		}
		to := from
		for to < len(ids) && ids[to] == 0 {
			to++
		}
		low, high := int32(0), int32(0)
		if from > 0 {
			low = ids[from-1]
		}
		if to < len(ids) {
			high = ids[to]
		}
		var between []int32
		dropped := false
		for _, a := range f.Attrs {
			if a.Num > low && (high == 0 || a.Num < high) && a.Generated == "" {
				between = append(between, a.Num)
				dropped = dropped || a.Dropped
			}
		}
		// At the end there may be attributes added since: they have higher numbers.
		if len(between) == to-from || high == 0 && !dropped && len(between) > to-from {
			copy(ids[from:to], between)
		}
		from = to
	}
}

// named finds the attribute that has the column's name and type.
func (f *tableFacts) named(c streamColumn) *attribute {
	for i := range f.Attrs {
		if a := &f.Attrs[i]; !a.Dropped && a.Generated == "" && a.Name == c.name && a.Type == c.typ && a.Typmod == c.typmod {
			return a
		}
	}
	return nil
}

func columnNamed(s *row.Schema, c streamColumn) *row.Column {
	for i := range s.Columns {
		if p := &s.Columns[i]; p.Name == c.name && p.Type == c.typ && p.Typmod == c.typmod {
			return p
		}
	}
	return nil
}

func sameColumns(cols []streamColumn, s *row.Schema) bool {
	return slices.EqualFunc(cols, s.Columns, func(c streamColumn, p row.Column) bool {
		return c.name == p.Name && c.typ == p.Type && c.typmod == p.Typmod
	})
}

// recreated tells whether a column of prev was dropped and one of the same name and
// type added by a transaction that xid may have followed.
func recreated(cols []streamColumn, f *tableFacts, prev *row.Schema, xid uint32) bool {
	if f == nil {
		return false
	}
	for i, c := range cols {
		if a := f.named(c); a != nil && a.Num != prev.Columns[i].ID && a.changedBy(xid) {
			return true
		}
	}
	return false
}
