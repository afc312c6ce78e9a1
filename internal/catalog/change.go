package catalog

import (
	"maps"
	"slices"
)

// With adds a relation, or replaces the one of its id, which keeps its kind. A relation
// whose ID is 0 gets the next one; an id that is not in use must be Next or above. It gives the new catalog and the
// relation in it; r stays the caller's.
func (c *Catalog) With(r Relation) (*Catalog, *Relation, error) {
	if r.ID == 0 {
		r.ID = c.next
	}
	old := c.byID[r.ID]
	switch {
	case r.Kind == KindSystem || r.ID < FirstID:
		return nil, nil, readOnly(r.Schema)
	case old == nil && r.ID < c.next:
		return nil, nil, internal("relation id %d was used before", r.ID)
	case old != nil && old.Kind != r.Kind:
		return nil, nil, internal("relation %s is a %s and cannot become a %s", old.Name, old.Kind, r.Kind)
	}
	n := c.clone()
	stored := &r
	n.byID[r.ID] = stored
	n.next = max(n.next, r.ID+1)
	if n.system[r.Schema] && !slices.Contains(n.schemas, r.Schema) {
		return nil, nil, readOnly(r.Schema)
	}
	if loop := n.loop(stored); loop {
		return nil, nil, internal("relation %s would depend on itself", r.Name)
	}
	if err := n.index(); err != nil {
		return nil, nil, err
	}
	return n, stored, nil
}

// loop says whether a relation would reach itself by what it depends on.
func (c *Catalog) loop(from *Relation) bool {
	seen := map[ID]bool{}
	var reaches func(*Relation) bool
	reaches = func(r *Relation) bool {
		for _, id := range r.needs() {
			if id == from.ID {
				return true
			}
			if next := c.byID[id]; next != nil && !seen[id] {
				seen[id] = true
				if reaches(next) {
					return true
				}
			}
		}
		return false
	}
	return reaches(from)
}

// Without takes relations out. Whoever depends on one of them must be among them
// (Cascade tells), else the error names who is not.
func (c *Catalog) Without(ids ...ID) (*Catalog, error) {
	for _, id := range ids {
		r := c.byID[id]
		if r == nil {
			return nil, internal("there is no relation %d", id)
		}
		if r.Kind == KindSystem {
			return nil, systemRelation(r, "drop")
		}
		var left []*Relation
		for _, user := range c.users[id] {
			if !slices.Contains(ids, user) {
				left = append(left, c.byID[user])
			}
		}
		if len(left) > 0 {
			return nil, needed(r, "drop", left)
		}
	}
	n := c.clone()
	for _, id := range ids {
		delete(n.byID, id)
	}
	return n, n.index()
}

// Rename gives a relation another name in its schema. Views' queries name what they
// read, so a relation that a view reads keeps its name.
func (c *Catalog) Rename(id ID, to string) (*Catalog, error) {
	r := c.byID[id]
	if r == nil {
		return nil, internal("there is no relation %d", id)
	}
	if r.Kind == KindSystem {
		return nil, systemRelation(r, "rename")
	}
	if users := c.readers(id); len(users) > 0 {
		return nil, needed(r, "rename", users)
	}
	if c.byName[name{r.Schema, to}] != nil {
		return nil, duplicate(to)
	}
	renamed := *r
	renamed.Name = to
	next, _, err := c.With(renamed)
	return next, err
}

// readers are the dependants that know a relation by its name: views.
func (c *Catalog) readers(id ID) (list []*Relation) {
	for _, user := range c.users[id] {
		if slices.Contains(c.byID[user].DependsOn, id) {
			list = append(list, c.byID[user])
		}
	}
	return list
}

// WithSchema adds a schema.
func (c *Catalog) WithSchema(schema string) (*Catalog, error) {
	if c.HasSchema(schema) {
		return nil, duplicateSchema(schema)
	}
	n := c.clone()
	n.schemas = append(slices.Clone(c.schemas), schema)
	slices.Sort(n.schemas)
	return n, n.index()
}

// WithoutSchema takes an empty schema out. Public stays.
func (c *Catalog) WithoutSchema(schema string) (*Catalog, error) {
	switch {
	case !c.HasSchema(schema):
		return nil, noSchema(schema)
	case schema == Public || c.system[schema]:
		return nil, readOnly(schema)
	}
	if in := c.In(schema); len(in) > 0 {
		return nil, notEmpty(schema, in)
	}
	n := c.clone()
	n.schemas = slices.DeleteFunc(slices.Clone(c.schemas), func(s string) bool { return s == schema })
	return n, n.index()
}

// In lists the relations of a schema by name.
func (c *Catalog) In(schema string) []*Relation {
	return slices.DeleteFunc(c.List(), func(r *Relation) bool { return r.Schema != schema })
}

// clone copies what a change writes to; index makes the rest.
func (c *Catalog) clone() *Catalog {
	return &Catalog{Database: c.Database, byID: maps.Clone(c.byID), next: c.next, schemas: c.schemas, system: c.system}
}
