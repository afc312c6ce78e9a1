package postgres

// Severity orders findings.
type Severity string

// Severities: an Error keeps a source from working, a Warning is a danger or a
// loss of function, a Note is worth knowing.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is one thing that is not as it should be upstream, and what to do about it.
type Finding struct {
	Severity Severity `json:"severity"`
	What     string   `json:"what"`
	Remedy   string   `json:"remedy"`
}
