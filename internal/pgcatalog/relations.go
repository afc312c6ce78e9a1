package pgcatalog

import (
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// Context is what relations and functions tell of: who asks, and of what.
type Context struct {
	Catalog    *catalog.Catalog
	PID        int32
	SearchPath []string
	Version    string          // what version() says
	Started    datum.Timestamp // the server
	Databases  []string        // all, sorted
	Users      []string        // all, sorted
	Settings   []Setting
	Sessions   []SessionInfo
	// Setting is a setting by its name, and SetSetting changes one until the session ends, or with local the transaction.
	Setting    func(name string) (value string, known bool)
	SetSetting func(name, value string, local bool) error
	// Bytes is what a relation takes on disk.
	Bytes func(id catalog.ID) int64
	// Signal cancels what a session runs, or with end the session; false: there is none of that number.
	Signal func(pid int32, end bool) bool
}

// Setting is a row of pg_settings.
type Setting struct{ Name, Value, Description string }

// SessionInfo is a row of pg_stat_activity.
type SessionInfo struct {
	PID                               int32
	Database, User, Application, Addr string
	State, Query                      string
}

// relation is one system relation. A nil fill is an empty one.
type relation struct {
	*catalog.Relation
	fill func(b *Builder, c *Context)
}

// Catalogs are the system relations. Make them once.
type Catalogs struct {
	list   []*relation
	byName map[string]*relation
}

// firstID is the id of the first system relation; they are numbered on from there.
const firstID catalog.ID = 11000

// New makes the system relations.
func New() *Catalogs {
	c := &Catalogs{byName: map[string]*relation{}}
	add := func(schema string, all []definition) {
		for _, d := range all {
			r := &relation{Define(firstID+catalog.ID(len(c.list)), schema, d.name, d.columns), d.fill}
			if strings.HasPrefix(d.columns, "oid oid") { // a table there, not a view
				addTableOID(r.Relation)
			}
			c.list = append(c.list, r)
			c.byName[schema+"."+d.name] = r
		}
	}
	add("pg_catalog", coreRelations())
	add("pg_catalog", listRelations())
	add("pg_catalog", emptyRelations())
	add("information_schema", informationSchema())
	add("pg_catalog", emptyToo())
	return c
}

// definition is one system relation as it is written down here.
type definition struct {
	name    string
	columns string
	fill    func(b *Builder, c *Context)
}

// Relations are their definitions, for the binder.
func (c *Catalogs) Relations() []*catalog.Relation {
	out := make([]*catalog.Relation, len(c.list))
	for i, r := range c.list {
		out[i] = r.Relation
	}
	return out
}

// Rows makes up the rows of one; false when it is not one of these.
func (c *Catalogs) Rows(rel *catalog.Relation, ctx *Context) (*zset.Chunk, bool) {
	r := c.byName[rel.Schema+"."+rel.Name]
	if r == nil {
		return nil, false
	}
	b := NewBuilder(r.Relation)
	if r.fill != nil {
		r.fill(b, ctx)
	}
	return b.Chunk(), true
}

// relations are those that users have made and those of the system, by id.
func (c *Context) relations() []*catalog.Relation {
	all := c.Catalog.List(catalog.KindSource, catalog.KindTable, catalog.KindCapture, catalog.KindView, catalog.KindMatView, catalog.KindSystem)
	slices.SortFunc(all, func(a, b *catalog.Relation) int { return int(a.ID) - int(b.ID) })
	return all
}
