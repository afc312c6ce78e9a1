package catalog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/sql"
)

// Catalog is the state of one database's names at one moment.
type Catalog struct {
	Database string
	byID     map[ID]*Relation
	byName   map[name]*Relation
	next     ID
	schemas  []string        // those that can hold relations of users, ordered
	users    map[ID][]ID     // who depends on whom, directly; ordered
	system   map[string]bool // schemas of system relations
}

type name struct{ schema, name string }

// Public is the schema that every database has, where names without a schema live.
const Public = "public"

// State is what a catalog is made of. It is its JSON form; system relations are not in it.
type State struct {
	Database string `json:"database"`
	// Next is above every id ever used.
	Next      ID          `json:"next"`
	Schemas   []string    `json:"schemas"`   // ordered
	Relations []*Relation `json:"relations"` // by id
}

// New makes the catalog of an empty database. It has the system relations, whose ids
// and names are theirs.
func New(database string, system ...*Relation) (*Catalog, error) {
	return Restore(State{Database: database}, system...)
}

// Restore makes a catalog from its state again. What does not fit together is an error:
// an id or name used twice, a relation in a schema that is not there, a dependency on nothing.
func Restore(s State, system ...*Relation) (*Catalog, error) {
	c := &Catalog{Database: s.Database, next: max(s.Next, FirstID), schemas: append(slices.Clone(s.Schemas), Public)}
	slices.Sort(c.schemas)
	c.schemas = slices.Compact(c.schemas)
	c.byID = make(map[ID]*Relation, len(system)+len(s.Relations))
	for _, r := range system {
		if r.Kind != KindSystem || r.ID >= FirstID || r.ID == 0 {
			return nil, internal("relation %s.%s, id %d, is no system relation", r.Schema, r.Name, r.ID)
		}
		if err := c.put(r); err != nil {
			return nil, err
		}
	}
	for _, r := range s.Relations {
		if r.ID < FirstID || r.Kind == KindSystem {
			return nil, internal("relation %s.%s has the id %d, below %d", r.Schema, r.Name, r.ID, FirstID)
		}
		if err := c.put(r); err != nil {
			return nil, err
		}
		c.next = max(c.next, r.ID+1)
	}
	return c, c.index()
}

func (c *Catalog) put(r *Relation) error {
	if other := c.byID[r.ID]; other != nil {
		return internal("relations %s and %s have both the id %d", other.Name, r.Name, r.ID)
	}
	c.byID[r.ID] = r
	return nil
}

// index builds what follows from the relations, and checks the invariants.
func (c *Catalog) index() error {
	c.byName = make(map[name]*Relation, len(c.byID))
	c.users = map[ID][]ID{}
	c.system = map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(c.byID)) {
		r := c.byID[id]
		key := name{r.Schema, r.Name}
		if c.byName[key] != nil {
			return duplicate(r.Name)
		}
		c.byName[key] = r
		if r.Kind == KindSystem {
			c.system[r.Schema] = true
		} else if !slices.Contains(c.schemas, r.Schema) {
			return noSchema(r.Schema)
		}
		for _, on := range r.needs() {
			if c.byID[on] == nil {
				return internal("relation %s depends on %d, which is not there", r.Name, on)
			}
			c.users[on] = append(c.users[on], id)
		}
	}
	return nil
}

// needs lists what a relation cannot be without.
func (r *Relation) needs() []ID {
	ids := slices.Clone(r.DependsOn)
	if r.Source != 0 {
		ids = append(ids, r.Source)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// State gives what to store.
func (c *Catalog) State() State {
	s := State{Database: c.Database, Next: c.next, Schemas: slices.Clone(c.schemas)}
	for _, id := range slices.Sorted(maps.Keys(c.byID)) {
		if r := c.byID[id]; r.Kind != KindSystem {
			s.Relations = append(s.Relations, r)
		}
	}
	return s
}

// Get finds a relation by id; nil when there is none.
func (c *Catalog) Get(id ID) *Relation { return c.byID[id] }

// Lookup finds a relation by name; an empty schema means the search path public,
// pg_catalog. Nil when there is none.
func (c *Catalog) Lookup(schema, relation string) *Relation {
	if schema != "" {
		return c.byName[name{schema, relation}]
	}
	for _, s := range []string{Public, "pg_catalog"} {
		if r := c.byName[name{s, relation}]; r != nil {
			return r
		}
	}
	return nil
}

// Find is Lookup, of any of some kinds (none: all), with PostgreSQL's error when there
// is none or it is of another kind.
func (c *Catalog) Find(n sql.Name, kinds ...Kind) (*Relation, error) {
	r := c.Lookup(n.Schema, n.Name)
	switch {
	case r == nil && n.Schema != "" && !c.HasSchema(n.Schema):
		return nil, at(noSchema(n.Schema), n)
	case r == nil:
		return nil, at(missing(n), n)
	case len(kinds) > 0 && !slices.Contains(kinds, r.Kind):
		return nil, at(wrongKind(r, kinds[0]), n)
	}
	return r, nil
}

// List gives the relations of some kinds (none: all but the system's) ordered by
// schema and name.
func (c *Catalog) List(kinds ...Kind) []*Relation {
	var list []*Relation
	for _, r := range c.byID {
		if slices.Contains(kinds, r.Kind) || len(kinds) == 0 && r.Kind != KindSystem {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *Relation) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Schemas lists the schemas by name, those of the system too.
func (c *Catalog) Schemas() []string {
	list := append(slices.Sorted(maps.Keys(c.system)), c.schemas...)
	slices.Sort(list)
	return slices.Compact(list)
}

// HasSchema says whether a schema is there.
func (c *Catalog) HasSchema(schema string) bool {
	return slices.Contains(c.schemas, schema) || c.system[schema]
}

// Next is the id that the next new relation gets.
func (c *Catalog) Next() ID { return c.next }

// Dependants lists who depends on a relation directly, by id.
func (c *Catalog) Dependants(id ID) []ID { return slices.Clone(c.users[id]) }

// Cascade lists everything that has to go with some relations, these included, each
// before what it depends on: the order to drop in.
func (c *Catalog) Cascade(ids ...ID) []ID {
	var order []ID
	seen := map[ID]bool{}
	var visit func(ID)
	visit = func(id ID) {
		if seen[id] {
			return
		}
		seen[id] = true
		for _, user := range c.users[id] {
			visit(user)
		}
		order = append(order, id)
	}
	for _, id := range ids {
		visit(id)
	}
	return order
}
