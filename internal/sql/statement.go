package sql

// Statement is one statement.
type Statement interface{ statement() }

// Name is a relation's name, perhaps with its schema.
type Name struct {
	At
	Schema, Name string
}

// Option is one of WITH (name = 'value').
type Option struct {
	At
	Name, Value string // Name lower case, parts joined by dots
}

// ColumnDef is a column of CREATE TABLE or CREATE SOURCE.
type ColumnDef struct {
	At
	Name       string
	Type       TypeName
	NotNull    bool
	PrimaryKey bool
	Unique     bool
	Default    Expr // nil: none
	Generated  Expr // GENERATED ALWAYS AS (…) STORED, or AS expr
	Collate    []string
}

// The statements.
type (
	// Query is a SELECT at the top, VALUES or TABLE t.
	Query struct{ Select *Select }

	// CreateSource is CREATE SOURCE [IF NOT EXISTS] name (columns) WITH (…).
	CreateSource struct {
		Name        Name
		IfNotExists bool
		Columns     []ColumnDef
		PrimaryKey  []string
		Options     []Option
		Text        string
	}
	// CreateTable is CREATE TABLE, own or FROM a source. Columns of CREATE TABLE AS have names alone.
	CreateTable struct {
		Name        Name
		IfNotExists bool
		Columns     []ColumnDef
		Star        bool // CREATE TABLE t (*) FROM …
		PrimaryKey  []string
		AppendOnly  bool
		From        *Name  // the source
		Upstream    string // TABLE 'public.orders'
		Options     []Option
		Query       *Select // CREATE TABLE AS
		Text        string
	}
	// CreateView is CREATE [OR REPLACE] [MATERIALIZED] VIEW. Body is the query's own text.
	CreateView struct {
		Name         Name
		IfNotExists  bool
		OrReplace    bool
		Materialized bool
		Columns      []string
		Query        *Select
		Body         string
		Options      []Option
		Text         string
	}
	// CreateChangefeed is CREATE CHANGEFEED name FOR a, b INTO 'uri' WITH (…).
	CreateChangefeed struct {
		Name        Name
		IfNotExists bool
		For         []Name
		Into        string
		Options     []Option
		Text        string
	}
	// Drop is DROP kind [IF EXISTS] names [CASCADE]; Kind as in catalog, or changefeed, schema, database, user.
	Drop struct {
		Kind     string
		Names    []Name
		IfExists bool
		Cascade  bool
	}
	// AlterTable is ALTER TABLE t REFRESH SCHEMA, RENAME TO, ADD COLUMN, DROP COLUMN, …
	AlterTable struct {
		Kind     string // table, materialized view, view, source
		IfExists bool
		Name     Name
		Action   string // refresh schema, rename, add column, drop column, rename column
		Column   *ColumnDef
		Old      string
		New      string
		Cascade  bool // of drop column
		Text     string
	}
	// AlterSet is ALTER SYSTEM SET name = value or ALTER DATABASE d SET name = value; an empty Value is RESET.
	AlterSet struct {
		Database string // "": the system
		Name     string
		Value    string
	}
	// Insert is INSERT INTO t (columns) query|VALUES [ON CONFLICT …] [RETURNING …].
	Insert struct {
		Into       Name
		Alias      string
		Columns    []string
		Source     *Select // nil: DEFAULT VALUES
		OnConflict *OnConflict
		Returning  []Target
	}
	// Update is UPDATE t SET … FROM … WHERE … RETURNING …. With is empty but for WITH … UPDATE;
	// WITH … INSERT stands in the Source.
	Update struct {
		With      []CTE
		Recursive bool
		Table     Name
		Alias     string
		Set       []Assignment
		From      []TableExpr
		Where     Expr
		Returning []Target
	}
	// Delete is DELETE FROM t USING … WHERE … RETURNING ….
	Delete struct {
		With      []CTE
		Recursive bool
		Table     Name
		Alias     string
		Using     []TableExpr
		Where     Expr
		Returning []Target
	}
	// Truncate is TRUNCATE t, ….
	Truncate struct{ Names []Name }
	// Copy is COPY t (columns)|(query)|(SUBSCRIBE …) FROM STDIN | TO STDOUT WITH (…).
	Copy struct {
		Table   *Name
		Columns []string
		Query   Statement // Query or Subscribe; nil: Table
		From    bool
		Options []Option // format, header, delimiter, null, quote, escape
	}
	// Subscribe is SUBSCRIBE (query)|name WITH (snapshot, progress) [AS OF …] [UP TO …].
	Subscribe struct {
		Query   *Select // SUBSCRIBE t is SELECT * FROM t
		Options []Option
		AsOf    Expr
		UpTo    Expr
	}
	// Begin, Commit, Rollback, Savepoint (ROLLBACK TO and RELEASE too).
	Begin struct {
		ReadOnly  bool
		Isolation string // serializable, …; "": as set
	}
	Commit    struct{}
	Rollback  struct{}
	Savepoint struct{ Name, Action string } // savepoint, release, rollback
	// Set is SET [SESSION|LOCAL] name = value; Show is SHOW name or SHOW TABLES …; Reset, Discard.
	Set struct {
		// Name is lower case. Of SET TRANSACTION it is transaction, of SET SESSION CHARACTERISTICS
		// session characteristics, with Options transaction_isolation and transaction_read_only.
		Name    string
		Value   string
		Local   bool
		Reset   bool // SET x TO DEFAULT, RESET x; Name all: RESET ALL
		Options []Option
	}
	Show struct {
		What string // tables, materialized views, sources, changefeeds, jobs, create table, parameter, …: lower case
		Name Name   // of SHOW CREATE …, SHOW COLUMNS FROM …; of a parameter Name.Name
	}
	Discard struct{ What string }
	// Prepare, Execute, Deallocate: the SQL level forms.
	Prepare struct {
		Name  string
		Types []TypeName
		Body  Statement
	}
	Execute struct {
		Name string
		Args []Expr
	}
	Deallocate struct{ Name string } // "": ALL
	// Declare, Fetch, Close: cursors.
	Declare struct {
		Name string
		Hold bool
		Body Statement // Query or Subscribe
	}
	Fetch struct {
		Name    string
		Count   int64 // -1: ALL
		Options []Option
	}
	Close struct{ Name string } // "": ALL
	// Explain is EXPLAIN [(options)] statement.
	Explain struct {
		Options []Option
		Body    Statement
	}
	// Flush is FLUSH; Wait is WAIT [kind name], for one relation or, without a kind, for all; Recover is RECOVER.
	Flush struct{}
	Wait  struct {
		Kind string
		Name Name
	}
	Recover struct{}
	// CreateUser and CreateDatabase; ALTER USER … PASSWORD is CreateUser with Alter.
	CreateUser struct {
		Name     string
		Password string
		Options  []Option
		Alter    bool
	}
	CreateDatabase struct {
		Name        string
		IfNotExists bool
		Options     []Option
	}
	// CreateSchema is CREATE SCHEMA [IF NOT EXISTS] name.
	CreateSchema struct {
		Name        string
		IfNotExists bool
	}
	// Comment, Grant and their like are accepted and do nothing.
	Ignored struct{ Tag string }
)

// Assignment is column = value of UPDATE; several columns take one row.
type Assignment struct {
	At
	Columns []string
	Value   Expr // of several columns: a Row or a Subquery
}

// OnConflict is ON CONFLICT (columns) DO NOTHING | DO UPDATE SET … WHERE ….
type OnConflict struct {
	Columns []string
	Update  []Assignment // nil: DO NOTHING
	Where   Expr
}

func (*Query) statement()            {}
func (*CreateSource) statement()     {}
func (*CreateTable) statement()      {}
func (*CreateView) statement()       {}
func (*CreateChangefeed) statement() {}
func (*Drop) statement()             {}
func (*AlterTable) statement()       {}
func (*AlterSet) statement()         {}
func (*Insert) statement()           {}
func (*Update) statement()           {}
func (*Delete) statement()           {}
func (*Truncate) statement()         {}
func (*Copy) statement()             {}
func (*Subscribe) statement()        {}
func (*Begin) statement()            {}
func (*Commit) statement()           {}
func (*Rollback) statement()         {}
func (*Savepoint) statement()        {}
func (*Set) statement()              {}
func (*Show) statement()             {}
func (*Discard) statement()          {}
func (*Prepare) statement()          {}
func (*Execute) statement()          {}
func (*Deallocate) statement()       {}
func (*Declare) statement()          {}
func (*Fetch) statement()            {}
func (*Close) statement()            {}
func (*Explain) statement()          {}
func (*Flush) statement()            {}
func (*Wait) statement()             {}
func (*Recover) statement()          {}
func (*CreateUser) statement()       {}
func (*CreateDatabase) statement()   {}
func (*CreateSchema) statement()     {}
func (*Ignored) statement()          {}
