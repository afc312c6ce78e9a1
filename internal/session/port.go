package session

import (
	"context"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
)

// Server is what a session needs beside the database it is in. Its errors reach clients as they are.
type Server interface {
	// Database finds a database by name; nil: there is none.
	Database(name string) *database.Database
	// Databases lists their names, ascending.
	Databases() []string
	CreateDatabase(ctx context.Context, name string) error
	DropDatabase(ctx context.Context, name string) error

	// Users lists who may log in, ascending.
	Users() []string
	// Verifier gives what is stored of a user's password, "" for none, and whether there is such a user.
	Verifier(user string) (verifier string, known bool)
	// PutUser makes a user, or with change sets the verifier of one.
	PutUser(ctx context.Context, user, verifier string, change bool) error
	DropUser(ctx context.Context, user string) error

	// CreateSource begins to capture an upstream for a source of a database, by the options
	// of its statement; DropSource ends that and cleans up there. No such source is no error.
	CreateSource(ctx context.Context, database, name string, options map[string]string) error
	DropSource(ctx context.Context, database, name string) error
	// Upstream describes a table of a source as a relation: columns, key, upstream reference.
	// table is as the statement has it: public.orders.
	Upstream(ctx context.Context, database, source, table string) (*catalog.Relation, error)
	// Stream gives the columns of a generator's stream, by its options.
	Stream(options map[string]string) ([]catalog.Column, error)

	CreateChangefeed(ctx context.Context, c Changefeed) error
	DropChangefeed(ctx context.Context, database, name string) error
	// AlterChangefeed pauses a changefeed, or resumes it.
	AlterChangefeed(ctx context.Context, database, name string, pause bool) error
	// Changefeeds lists those of a database by name, their targets masked.
	Changefeeds(database string) []Changefeed

	// Parameters are those of ALTER SYSTEM, of a database where it has its own ("" for the system's).
	Parameters(database string) []Parameter
	// SetParameter changes one; an empty value goes back to the default.
	SetParameter(ctx context.Context, database, name, value string) error

	// Bytes is what a relation of a database keeps on disk.
	Bytes(database string, id catalog.ID) int64
	// Signal cancels what a session runs, or with end the session; false: there is none of that number.
	Signal(process uint32, end bool) bool
}

// Changefeed is the definition of one, and when listed its state.
type Changefeed struct {
	Database, Name string
	For            []*catalog.Relation
	Into           string
	Options        map[string]string
	Text           string // of the statement
	State          string
}

// Parameter of the system, or of a database.
type Parameter struct{ Name, Value, Description string }
