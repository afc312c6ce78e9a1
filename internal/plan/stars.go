package plan

import (
	"github.com/weirstream/weir/internal/sql"
)

// expandStars replaces * and t.* by references to the columns they stand for. Such a
// reference is known by its address: names may be ambiguous.
func (b *binder) expandStars(targets []sql.Target, s *scope) ([]sql.Target, error) {
	var out []sql.Target
	for _, t := range targets {
		ref, ok := t.X.(*sql.ColumnRef)
		if !ok || !ref.Star {
			out = append(out, t)
			continue
		}
		cols := s.cols
		if len(ref.Parts) > 0 {
			tab, err := s.starTable(ref)
			if err != nil {
				return nil, err
			}
			cols = tab.cols
		} else if len(s.tables) == 0 {
			return nil, fail(sql.SyntaxError, ref.Pos(), "SELECT * with no tables specified is not valid")
		}
		for i := range cols {
			if !cols[i].hidden {
				one := &sql.ColumnRef{At: ref.At, Parts: []string{cols[i].name}}
				b.stars[one] = &cols[i]
				out = append(out, sql.Target{At: t.At, X: one, Name: cols[i].name})
			}
		}
	}
	return out, nil
}

// starTable is the table of t.*.
func (s *scope) starTable(ref *sql.ColumnRef) (*table, error) {
	for at := s; at != nil; at = at.outer {
		t, err := at.table(ref.Parts, ref.Pos())
		if t != nil || err != nil {
			return t, err
		}
	}
	return nil, s.undefinedTable(ref.Parts, ref.Pos())
}
