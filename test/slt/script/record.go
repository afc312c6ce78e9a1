package script

// Script is a parsed file with those that it includes.
type Script struct {
	Path    string
	Records []Record
	lines   []string // of the file itself
}

// Record is one thing to do. Exactly one of Statement and Query is set, unless
// Halt ends the script.
type Record struct {
	Path string // the file, which may be an included one
	Line int    // of its first line, from 1
	// OnlyIf and SkipIf hold the labels of engines.
	OnlyIf, SkipIf []string

	Statement *Statement
	Query     *Query
	Halt      bool
}

// Runs says whether an engine with this label executes the record.
func (r *Record) Runs(label string) bool {
	for _, l := range r.SkipIf {
		if l == label {
			return false
		}
	}
	for _, l := range r.OnlyIf {
		if l != label {
			return false
		}
	}
	return true
}

// SQL is the text that the record sends; empty for Halt.
func (r *Record) SQL() string {
	switch {
	case r.Statement != nil:
		return r.Statement.SQL
	case r.Query != nil:
		return r.Query.SQL
	}
	return ""
}

// Statement is executed for its effect.
type Statement struct {
	SQL  string
	Fail *Failure
	// Count is the number of rows to be affected; -1 for any.
	Count int64
}

// Failure is an expected error.
type Failure struct {
	// Pattern is a regular expression; empty matches every error.
	Pattern string
}

// Query is executed for its rows.
type Query struct {
	SQL   string
	Fail  *Failure
	Types string // a letter a column
	Order Order
	Label string
	// Want is the expected result as written. Nil: no "----" in the script.
	Want []string
	// Threshold is the hash-threshold in force: a result with more values is
	// written as a hash. 0: never.
	Threshold int

	from, to int // the lines of the expectation, "----" included; from 0
}

// Order says what order of rows is compared.
type Order int

// The orders, as the format names them.
const (
	NoSort Order = iota
	RowSort
	ValueSort
)

var orderNames = map[string]Order{"nosort": NoSort, "rowsort": RowSort, "valuesort": ValueSort}
