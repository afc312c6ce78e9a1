package sql

// Error is what a statement, or one row's evaluation, is answered with: the
// fields of PostgreSQL's ErrorResponse. Codes are PostgreSQL's SQLSTATEs.
type Error struct {
	Code    string // 42703
	Message string
	Detail  string
	Hint    string
	Pos     int // byte offset in the statement, -1: none
	// Where says in the midst of what it happened: COPY t, line 3, column a: "x".
	Where string
	// What it concerns, for programs.
	Schema, Table, Column, Constraint string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// SQLSTATEs in use.
const (
	FeatureNotSupported    = "0A000"
	CardinalityViolation   = "21000"
	StringTruncation       = "22001"
	NumericOutOfRange      = "22003"
	InvalidDatetime        = "22007"
	DatetimeOverflow       = "22008"
	DivisionByZero         = "22012"
	InvalidEscape          = "22025"
	InvalidRegexp          = "2201B"
	InvalidParameter       = "22023"
	InvalidText            = "22P02"
	NotNullViolation       = "23502"
	UniqueViolation        = "23505"
	InFailedTransaction    = "25P02"
	InvalidPassword        = "28P01"
	DependentObjects       = "2BP01"
	InvalidCursorName      = "34000"
	UndefinedDatabase      = "3D000"
	UndefinedSchema        = "3F000"
	InsufficientPrivilege  = "42501"
	SyntaxError            = "42601"
	AmbiguousColumn        = "42702"
	AmbiguousAlias         = "42P09"
	DuplicateAlias         = "42712"
	InvalidRecursion       = "42P19"
	UndefinedColumn        = "42703"
	UndefinedObject        = "42704"
	AmbiguousFunction      = "42725"
	CannotCoerce           = "42846"
	GroupingError          = "42803"
	WindowingError         = "42P20"
	DatatypeMismatch       = "42804"
	WrongObjectType        = "42809"
	UndefinedFunction      = "42883"
	UndefinedTable         = "42P01"
	UndefinedParameter     = "42P02"
	DuplicateSchema        = "42P06"
	DuplicateRelation      = "42P07"
	DuplicateColumn        = "42701"
	InvalidTableDefinition = "42P16"
	InvalidColumnReference = "42P10"
	IndeterminateDatatype  = "42P18"
	LockNotAvailable       = "55P03"
	QueryCanceled          = "57014"
	ObjectNotReady         = "55000"
	SnapshotTooOld         = "72000"
	InternalError          = "XX000"

	CharacterNotInRepertoire = "22021"
	ArraySubscript           = "2202E"
	InvalidLogArgument       = "2201E"
	InvalidPowerArgument     = "2201F"
	InvalidWidthBucket       = "2201G"
	NullNotAllowed           = "22004"
	SubstringError           = "22011"
	InvalidEscapeSequence    = "22025"
	InvalidJSON              = "22032"
	BadCopyFormat            = "22P04"
	InvalidBinary            = "22P03"
	ProtocolViolation        = "08P01"
	InvalidAuthorization     = "28000"
	InvalidStatementName     = "26000"
	DiskFull                 = "53100"
	TooManyConnections       = "53300"
	DuplicateObject          = "42710"
	AdminShutdown            = "57P01"
	ProgramLimitExceeded     = "54000"
	StatementTooComplex      = "54001"
)
