package datum

// Error is a fault in a value, or in computing with values, as PostgreSQL reports
// it: its SQLSTATE and its words.
type Error struct {
	Code    string // 22003
	Message string
	Detail  string
	Hint    string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// SQLSTATEs of faults in values.
const (
	CodeStringTruncation       = "22001"
	CodeOutOfRange             = "22003"
	CodeInvalidDatetime        = "22007"
	CodeDatetimeOverflow       = "22008"
	CodeZoneDisplacement       = "22009"
	CodeDivisionByZero         = "22012"
	CodeIntervalOverflow       = "22015"
	CodeInvalidLogArgument     = "2201E"
	CodeInvalidPowerArgument   = "2201F"
	CodeInvalidParameter       = "22023"
	CodeInvalidText            = "22P02"
	CodeInvalidBinary          = "22P03"
	CodeUntranslatable         = "22P05"
	CodeArraySubscript         = "2202E"
	CodeFeatureNotSupported    = "0A000"
	CodeProgramLimitExceeded   = "54000"
	CodeCharacterNotInEncoding = "22021"
)
