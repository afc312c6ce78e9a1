package pgwire

import (
	"context"
	"net"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Session is one client's conversation with a database: its settings, transaction,
// prepared statements and portals. Its methods are called one at a time. Errors that
// are an *sql.Error reach the client as they are; positions in them count bytes of the
// statement's source text.
//
// A context ends when the client cancels or is gone, and when the server shuts down.
type Session interface {
	// Script reads the text of a simple query. No statements: the text is empty. It
	// does not look at names, since a statement may create what the next one reads.
	Script(ctx context.Context, text string) ([]Statement, error)
	// Prepare reads and resolves one statement and keeps it by name; the empty name
	// may be taken again. Of types, 0 stands for one to find out.
	Prepare(ctx context.Context, name, text string, types []uint32) error
	// Statement finds a prepared statement; else the error is 26000.
	Statement(name string) (Statement, error)
	// CloseStatement forgets a prepared statement, if it is there.
	CloseStatement(name string)

	// Bind makes a portal of a statement, with one value in each of args, a column of
	// its parameter's type. The empty name may be taken again. The statement has not run yet.
	Bind(ctx context.Context, portal string, s Statement, args []*zset.Vec) (Portal, error)
	// Portal finds a portal; else the error is 34000.
	Portal(name string) (Portal, error)
	// ClosePortal closes a portal, if it is there.
	ClosePortal(name string)

	// Sync ends the implicit transaction, if one is open: what it did is durable when it returns nil.
	Sync(ctx context.Context) error
	// Fail says that something failed, in the Session or outside it: the implicit transaction is rolled
	// back, an explicit one refuses all but its end from now on.
	Fail()
	// Status is that of the transaction.
	Status() Status

	// Values says how text stands for values in this session.
	Values() pgvalue.Options
	// Parameters are the settings that clients want to know, as they are at the start;
	// later changes go to Client.Parameter.
	Parameters() []Parameter
	// Close ends it; an open transaction is rolled back.
	Close()
}

// Status of a transaction, as ReadyForQuery has it.
type Status byte

// States of a transaction.
const (
	Idle   Status = 'I' // outside of an explicit transaction
	Active Status = 'T' // inside of one
	Failed Status = 'E' // inside of one that has failed
)

// Statement is a statement that was read.
type Statement interface {
	// Text is what its positions count in: all of a simple query's text.
	Text() string
	// Params are the types of $1, $2, …; known once it was prepared.
	Params() []datum.TypeRef
	// Columns are those of its rows; nil: it gives none. Known once it was prepared.
	Columns() []Column
}

// Column describes a column of a result.
type Column struct {
	Name  string
	Type  datum.TypeRef
	Table uint32 // the relation's OID, when it is a plain column of one
	Attr  int16  // its number there, from 1
}

// Portal is a statement with its arguments, on its way.
type Portal interface {
	// Text is what positions of its errors count in.
	Text() string
	// Columns are those of its rows; nil: it gives none.
	Columns() []Column
	// Next runs the statement up to its next rows: a chunk of any length whose first
	// columns are Columns and whose weights do not count. It is read until the next call. Nil: it is complete. A
	// statement without rows, or COPY FROM after the last Load, does its work in the first call.
	Next(ctx context.Context) (*zset.Chunk, error)
	// Live says that rows come as time goes by (SUBSCRIBE): each chunk is sent at once.
	Live() bool
	// Tag is the command tag of the complete statement, of which rows went out: "SELECT 3",
	// "INSERT 0 1", "CREATE TABLE". Empty: the statement was empty.
	Tag(rows int64) string
	// Copy says that it is a COPY, and how; nil: it is none.
	Copy() *Copy
	// Load takes rows of COPY FROM STDIN, in columns of Columns. The chunk is the Session's.
	Load(ctx context.Context, rows *zset.Chunk) error
}

// Parameter is a setting that clients are told.
type Parameter struct{ Name, Value string }

// Client is how a Session speaks to its client outside of results. It may be used
// during a call of one of the Session's or its portals' methods.
type Client interface {
	// Notice sends a message; severity is NOTICE, WARNING, INFO, ….
	Notice(severity string, n *sql.Error)
	// Parameter tells that a setting has changed.
	Parameter(p Parameter)
}

// Startup is who has come, and from where. User and Database are set.
type Startup struct {
	User, Database string
	// Settings are what else the client asked for, by lower case name, those in its
	// options too.
	Settings map[string]string
	Remote   net.Addr
	TLS      bool
	// Process names the session in CancelRequest, pg_backend_pid() and lists.
	Process uint32
}

// Opener starts sessions. An *sql.Error refuses the client with its text.
type Opener interface {
	Open(ctx context.Context, s Startup, c Client) (Session, error)
}

// Authenticator knows the users.
type Authenticator interface {
	// Verifier gives what NewVerifier made of a user's password, "" if the user has no
	// password, and whether there is such a user.
	Verifier(ctx context.Context, user string) (verifier string, known bool, err error)
}
