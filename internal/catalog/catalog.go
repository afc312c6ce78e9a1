package catalog

// Catalog is the state of one database's names at one moment.
type Catalog struct {
	Database string
	byID     map[ID]*Relation
	byName   map[name]*Relation
	next     ID
}

type name struct{ schema, name string }

// Get finds a relation by id; nil when there is none.
func (c *Catalog) Get(id ID) *Relation { return c.byID[id] }

// Lookup finds a relation by name; an empty schema means the search path public,
// pg_catalog. Nil when there is none.
func (c *Catalog) Lookup(schema, relation string) *Relation {
	if schema != "" {
		return c.byName[name{schema, relation}]
	}
	for _, s := range []string{"public", "pg_catalog"} {
		if r := c.byName[name{s, relation}]; r != nil {
			return r
		}
	}
	return nil
}
