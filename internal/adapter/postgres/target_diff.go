package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
)

// schemaDiff is what changed between two versions of a table.
type schemaDiff struct {
	dropped  bool
	moved    bool // another name or schema
	drop     []row.Column
	add      []row.Column
	rename   []columnChange
	retype   []columnChange
	nullable []row.Column // NOT NULL no longer
	notNull  []row.Column // NOT NULL from now on
	rekey    bool
	drops    []row.GeneratedColumn
	adds     []row.GeneratedColumn
	labels   bool // an enum has labels that it had not
}

type columnChange struct{ before, after row.Column }

// diffSchemas compares two versions of a table: columns by their id, or by name
// where the source does not tell ids.
func diffSchemas(before, after *row.Schema) *schemaDiff {
	d := &schemaDiff{dropped: after.Dropped}
	if d.dropped {
		return d
	}
	d.moved = before.Namespace != after.Namespace || before.Name != after.Name
	for i := range before.Columns {
		b := &before.Columns[i]
		a := findColumn(after, b)
		if a == nil {
			d.drop = append(d.drop, *b)
			d.rekey = d.rekey || b.Key
			continue
		}
		change := columnChange{*b, *a}
		if a.Name != b.Name {
			d.rename = append(d.rename, change)
		}
		if a.TypeName != b.TypeName {
			d.retype = append(d.retype, change)
		}
		if b.NotNull && !a.NotNull {
			d.nullable = append(d.nullable, *a)
		}
		if !b.NotNull && a.NotNull {
			d.notNull = append(d.notNull, *a)
		}
		d.rekey = d.rekey || a.Key != b.Key
	}
	for i := range after.Columns {
		if c := &after.Columns[i]; findColumn(before, c) == nil {
			d.add = append(d.add, *c)
			d.rekey = d.rekey || c.Key
		}
	}
	for _, g := range before.Generated {
		if !slices.Contains(after.Generated, g) {
			d.drops = append(d.drops, g)
		}
	}
	for _, g := range after.Generated {
		if !slices.Contains(before.Generated, g) {
			d.adds = append(d.adds, g)
		}
	}
	d.labels = moreLabels(before.Types, after.Types)
	return d
}

func findColumn(s *row.Schema, c *row.Column) *row.Column {
	for i := range s.Columns {
		if sameColumn(&s.Columns[i], c) {
			return &s.Columns[i]
		}
	}
	return nil
}

// moreLabels tells whether an enum known before has labels it had not.
func moreLabels(before, after []datum.Type) bool {
	for _, b := range before {
		for _, a := range after {
			if a.OID == b.OID && a.Kind == datum.KindEnum && slices.ContainsFunc(a.Labels, func(l string) bool { return !slices.Contains(b.Labels, l) }) {
				return true
			}
		}
	}
	return false
}

func (d *schemaDiff) none() bool { return d.String() == "" }

// String says what changed, for people.
func (d *schemaDiff) String() string {
	if d.dropped {
		return "dropped"
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if d.moved {
		say("renamed")
	}
	for _, c := range d.drop {
		say("column %s dropped", c.Name)
	}
	for _, c := range d.rename {
		say("column %s renamed to %s", c.before.Name, c.after.Name)
	}
	for _, c := range d.retype {
		say("column %s from %s to %s", c.after.Name, c.before.TypeName, c.after.TypeName)
	}
	for _, c := range d.add {
		say("column %s added", c.Name)
	}
	for _, c := range d.nullable {
		say("column %s takes NULL", c.Name)
	}
	for _, c := range d.notNull {
		say("column %s takes no NULL", c.Name)
	}
	if d.rekey {
		say("other key")
	}
	for _, g := range d.drops {
		say("generated column %s dropped", g.Name)
	}
	for _, g := range d.adds {
		say("generated column %s added", g.Name)
	}
	if d.labels {
		say("more enum labels")
	}
	return strings.Join(out, ", ")
}
