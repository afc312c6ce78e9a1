package row

import "github.com/weirstream/weir/internal/datum"

// TableID names one incarnation of a table on its channel for ever: for
// PostgreSQL the table's OID (of the root, when partitioned). It is the id of
// the table's vchannel.
type TableID uint64

// Identity is what an update or delete of a table carries of the old row
// (PostgreSQL's REPLICA IDENTITY).
type Identity string

// Replica identities.
const (
	IdentityDefault Identity = "default" // the primary key
	IdentityIndex   Identity = "index"   // a unique index
	IdentityFull    Identity = "full"    // the whole row
	IdentityNothing Identity = "nothing" // updates and deletes are not published
)

// Schema is one version of a table's shape. Rows carry (Table, Version); the
// columns of their tuples are Columns, in order.
type Schema struct {
	Table     TableID  `json:"table"`
	Version   uint32   `json:"version"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Identity  Identity `json:"identity"`
	Columns   []Column `json:"columns"`
	// Generated columns are never in a tuple; a target creates them as generated.
	Generated []GeneratedColumn `json:"generated,omitempty"`
	// Types describes every type of Columns that is not built in, and what it is made of.
	Types []datum.Type `json:"types,omitempty"`
	// Dropped marks the version that ends the table.
	Dropped bool `json:"dropped,omitempty"`
}

// Column is one column of a Schema.
type Column struct {
	// ID is stable over renames (PostgreSQL's attnum); 0 when the source did not tell.
	ID       int32  `json:"id"`
	Name     string `json:"name"`
	Type     uint32 `json:"type"`      // type OID
	Typmod   int32  `json:"typmod"`    // -1 when none
	TypeName string `json:"type_name"` // as format_type prints it: numeric(10,2), public.mood
	// Key marks a column of the row's key: the primary key, else the replica
	// identity index. A table without key columns is keyless.
	Key     bool `json:"key,omitempty"`
	NotNull bool `json:"not_null,omitempty"`
	// Missing is what rows that were there before the column hold in it (of ADD
	// COLUMN … DEFAULT), in text; nil is NULL.
	Missing *string `json:"missing,omitempty"`
}

// GeneratedColumn is a GENERATED ALWAYS AS (Expr) STORED column.
type GeneratedColumn struct {
	Name     string `json:"name"`
	TypeName string `json:"type_name"`
	Expr     string `json:"expr"`
}

// FullName is namespace.name, unquoted: for people and filters, never for SQL.
func (s *Schema) FullName() string { return s.Namespace + "." + s.Name }

// KeyColumns lists the indexes of the key columns; empty for a keyless table.
func (s *Schema) KeyColumns() []int {
	var key []int
	for i := range s.Columns {
		if s.Columns[i].Key {
			key = append(key, i)
		}
	}
	return key
}
