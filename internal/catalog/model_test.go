package catalog_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/mutant"
)

// modelled is a catalog beside a map that should hold the same.
type modelled struct {
	c     *catalog.Catalog
	model map[catalog.ID]catalog.Relation
	used  map[catalog.ID]bool
}

// TestModel changes a catalog at random. What it holds is what a map would hold, what
// is needed stays, and its state makes the same catalog again.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := catalog.New("dev", system())
		if err != nil {
			t.Fatal(err)
		}
		m := &modelled{c, map[catalog.ID]catalog.Relation{}, map[catalog.ID]bool{}}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { check(t, m.c, m.model) }, "with": m.with, "without": m.without, "cascade": m.cascade, "rename": m.rename,
		})
	})
}

func (m *modelled) with(t *rapid.T) {
	r := catalog.Relation{Kind: catalog.KindView, Schema: "public", Name: rapid.StringMatching("[a-d]").Draw(t, "name"), DependsOn: someOf(t, m.model)}
	next, stored, err := m.c.With(r)
	if taken := find(m.model, r.Name); taken != (err != nil) {
		t.Fatalf("name taken: %v, error %v", taken, err)
	}
	if err == nil {
		if m.used[stored.ID] {
			t.Fatalf("id %d is used again", stored.ID)
		}
		m.c, m.model[stored.ID], m.used[stored.ID] = next, *stored, true
	}
}

func (m *modelled) without(t *rapid.T) {
	id, ok := one(t, m.model)
	if !ok {
		return
	}
	next, err := m.c.Without(id)
	if needed := isNeeded(m.model, id); needed != (err != nil) {
		t.Fatalf("needed: %v, error %v", needed, err)
	}
	if err == nil {
		m.c = next
		delete(m.model, id)
	}
}

func (m *modelled) cascade(t *rapid.T) {
	id, ok := one(t, m.model)
	if !ok {
		return
	}
	all := m.c.Cascade(id)
	next, err := m.c.Without(all...)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range all {
		if isNeeded(m.model, gone) {
			t.Fatalf("%d goes before what depends on it", gone)
		}
		delete(m.model, gone)
	}
	m.c = next
}

func (m *modelled) rename(t *rapid.T) {
	id, ok := one(t, m.model)
	to := rapid.StringMatching("[a-d]").Draw(t, "to")
	if !ok {
		return
	}
	next, err := m.c.Rename(id, to)
	if refused := isNeeded(m.model, id) || find(m.model, to); refused != (err != nil) {
		t.Fatalf("refused: %v, error %v", refused, err)
	}
	if err == nil {
		r := m.model[id]
		r.Name = to
		m.c, m.model[id] = next, r
	}
}

func check(t *rapid.T, c *catalog.Catalog, model map[catalog.ID]catalog.Relation) {
	if len(c.List()) != len(model) {
		t.Fatalf("%d relations, want %d", len(c.List()), len(model))
	}
	for id, want := range model {
		if r := c.Lookup("", want.Name); r == nil || r.ID != id || !reflect.DeepEqual(*r, want) {
			t.Fatalf("%s is %v, want %v", want.Name, r, want)
		}
		for _, on := range want.DependsOn {
			if c.Get(on) == nil {
				t.Fatalf("%s lost %d", want.Name, on)
			}
		}
	}
	back, err := catalog.Restore(c.State(), system())
	if err != nil || !reflect.DeepEqual(back, c) {
		t.Fatalf("restored: %v", err)
	}
}

func isNeeded(model map[catalog.ID]catalog.Relation, id catalog.ID) bool {
	for _, r := range model {
		for _, on := range r.DependsOn {
			if on == id {
				return true
			}
		}
	}
	return false
}

func find(model map[catalog.ID]catalog.Relation, name string) bool {
	for _, r := range model {
		if r.Name == name {
			return true
		}
	}
	return false
}

// ids are the model's, in order, so that rapid can draw from them again.
func ids(model map[catalog.ID]catalog.Relation) (list []catalog.ID) {
	for id := catalog.FirstID; len(list) < len(model); id++ {
		if _, ok := model[id]; ok {
			list = append(list, id)
		}
	}
	return list
}

func one(t *rapid.T, model map[catalog.ID]catalog.Relation) (catalog.ID, bool) {
	if len(model) == 0 {
		return 0, false
	}
	return rapid.SampledFrom(ids(model)).Draw(t, "id"), true
}

func someOf(t *rapid.T, model map[catalog.ID]catalog.Relation) []catalog.ID {
	if len(model) == 0 {
		return nil
	}
	return rapid.SliceOfNDistinct(rapid.SampledFrom(ids(model)), 0, min(2, len(model)), rapid.ID).Draw(t, "on")
}

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"a name means one relation":        {"catalog.go", "if c.byName[key] != nil {\n\t\t\treturn duplicate(r.Name)\n\t\t}", ""},
		"an id is never used twice":        {"change.go", "n.next = max(n.next, r.ID+1)", "n.next = r.ID + 0"},
		"what is needed does not go":       {"change.go", "if len(left) > 0 {", "if len(left) > 1 {"},
		"a dependant goes first":           {"catalog.go", "\t\tfor _, user := range c.users[id] {\n\t\t\tvisit(user)\n\t\t}\n\t\torder = append(order, id)", "\t\torder = append(order, id)\n\t\tfor _, user := range c.users[id] {\n\t\t\tvisit(user)\n\t\t}"},
		"a change leaves the old as it is": {"change.go", "byID: maps.Clone(c.byID), next: c.next", "byID: c.byID, next: c.next + ID(0*len(maps.Clone(c.byID)))"},
		"what views read keeps its name":   {"change.go", "if users := c.readers(id); len(users) > 0 {", "if users := c.readers(id); len(users) > 9 {"},
	} {
		t.Run(name, func(t *testing.T) { mutant.Kill(t, ".", m.file, m.old, m.new, "^Test([^M]|Model)") })
	}
}
