package database

import (
	"maps"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/sql"
)

// broken is the error of whoever reads a relation that is in its error state; nil: it is not.
func (j *job) broken() error {
	if j == nil || j.rec.Failed == nil {
		return nil
	}
	return &sql.Error{
		Code: sql.ObjectNotReady, Pos: -1, Message: "relation \"" + j.rec.Name + "\" has failed: " + j.rec.Failed.Message,
		Hint: "Drop it and create it again; a table of a source: ALTER TABLE … REFRESH SCHEMA.",
	}
}

// uses are the columns that a plan reads of each relation.
func uses(root plan.Node) map[catalog.ID]map[int]bool {
	all := map[catalog.ID]map[int]bool{}
	var walk func(n plan.Node)
	seen := map[plan.Node]bool{}
	walk = func(n plan.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if s, ok := n.(*plan.Scan); ok {
			if all[s.Relation.ID] == nil {
				all[s.Relation.ID] = map[int]bool{}
			}
			for _, c := range s.Cols {
				all[s.Relation.ID][c] = true
			}
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	walk(root)
	return all
}

// needs tells whether a view reads a column of a table, or is about to.
func (db *Database) needs(id catalog.ID, column int) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, j := range db.jobs {
		if j.uses[id][column] {
			return true
		}
	}
	for _, p := range db.pending {
		if p.job != nil && p.job.uses[id][column] {
			return true
		}
	}
	return false
}

// lost names the columns that a captured table has and its upstream has not any more, with what
// became of them there.
func (db *Database) lost(cat *catalog.Catalog, rel *catalog.Relation) map[int]string {
	src := cat.Get(rel.Source)
	if rel.Kind != catalog.KindCapture || src == nil || rel.Upstream == nil {
		return nil
	}
	reader, err := db.o.Sources.Reader(src.Name)
	if err != nil {
		return nil
	}
	for _, s := range reader.Tables() {
		if s.Table == rel.Upstream.Table && s.Version != 0 {
			return lostOf(rel, s)
		}
	}
	return nil
}

func lostOf(rel *catalog.Relation, s *row.Schema) map[int]string {
	if s.Dropped {
		return nil // the table's own error
	}
	lost := map[int]string{}
	for k, attribute := range rel.Upstream.Attributes {
		how := "was dropped upstream"
		for i := range s.Columns {
			switch {
			case s.Columns[i].ID != attribute:
			case s.Columns[i].Type == rel.Upstream.Types[k]:
				how = ""
			default:
				how = "has the type " + s.Columns[i].TypeName + " upstream"
			}
		}
		if how != "" {
			lost[k] = how
		}
	}
	return lost
}

// available refuses a view over columns that a source's table has lost.
func (db *Database) available(j *job) error {
	cat := db.cat.Load()
	for id, columns := range j.uses {
		rel := cat.Get(id)
		if rel == nil {
			continue
		}
		for k, how := range db.lost(cat, rel) {
			if columns[k] {
				return &sql.Error{
					Code: sql.UndefinedColumn, Pos: -1, Message: "column \"" + rel.Columns[k].Name + "\" of \"" + rel.Name + "\" " + how,
					Hint: "ALTER TABLE " + rel.Name + " REFRESH SCHEMA follows the new shape.",
				}
			}
		}
	}
	return nil
}

// reshaped says how a table's upstream has changed its shape since it was looked at; "": it has not.
func (db *Database) reshaped(rel *catalog.Relation) string {
	lost := db.lost(db.cat.Load(), rel)
	var all []string
	for _, k := range slices.Sorted(maps.Keys(lost)) {
		all = append(all, "column \""+rel.Columns[k].Name+"\" "+lost[k])
	}
	return strings.Join(all, ", ")
}
