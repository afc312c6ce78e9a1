package catalog

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
)

// ID names a relation or source of a database for ever. It is its pg_class OID too.
type ID uint32

// FirstID is the lowest id of what users create; those below are the system's.
const FirstID ID = 16384

// Kind is what a relation is.
type Kind string

// Kinds of relation.
const (
	KindSource  Kind = "source"  // a connection to an upstream, or a generator's stream with columns
	KindTable   Kind = "table"   // own table: INSERT, UPDATE, DELETE
	KindCapture Kind = "capture" // a table that follows a table of a source
	KindView    Kind = "view"    // a name for a query
	KindMatView Kind = "materialized view"
	KindSystem  Kind = "system" // pg_catalog, information_schema, weir_*: made up when read
)

// Relation is one entry of the catalog. It is stored as JSON.
type Relation struct {
	ID      ID       `json:"id"`
	Kind    Kind     `json:"kind"`
	Schema  string   `json:"schema"` // public
	Name    string   `json:"name"`
	Columns []Column `json:"columns,omitempty"`
	// Key lists the columns of the primary key, or a view's derived unique key, in order; nil: none.
	Key []int `json:"key,omitempty"`
	// AppendOnly: rows are never updated or deleted.
	AppendOnly bool `json:"append_only,omitempty"`
	// SQL is the statement that made it, normalised, secrets masked by reference.
	SQL string `json:"sql,omitempty"`
	// Query is a view's SELECT.
	Query string `json:"query,omitempty"`
	// TimeZone is that of the session that made a view; its query means that one.
	TimeZone string `json:"time_zone,omitempty"`
	// Options of WITH, lower case. Passwords are stored as given and masked by all that prints.
	Options map[string]string `json:"options,omitempty"`
	// Source and Upstream say what a KindCapture follows: the spine's source by name, and the table there.
	Source   ID           `json:"source,omitempty"`
	Upstream *UpstreamRef `json:"upstream,omitempty"`
	// DependsOn lists the relations that a view reads, directly.
	DependsOn []ID `json:"depends_on,omitempty"`
}

// UpstreamRef is a table of a source as it was when last looked at.
type UpstreamRef struct {
	Table     row.TableID `json:"table"`
	Namespace string      `json:"namespace"`
	Name      string      `json:"name"`
	// Attributes gives for each column of the relation the upstream's attribute (row.Column.ID).
	Attributes []int32 `json:"attributes"`
	// Types gives for each column the upstream's type: what is not known here is text.
	Types []uint32 `json:"types"`
}

// Column is one column of a relation.
type Column struct {
	Name    string        `json:"name"`
	Type    datum.TypeRef `json:"type"`
	NotNull bool          `json:"not_null,omitempty"`
	Default string        `json:"default,omitempty"` // SQL; empty: NULL
	Hidden  bool          `json:"hidden,omitempty"`  // a row id of a table without a key: SELECT * leaves it out
}

// HiddenKey tells whether a table's key is a row id that the system gives.
func (r *Relation) HiddenKey() bool { return len(r.Key) > 0 && r.Columns[r.Key[0]].Hidden }
