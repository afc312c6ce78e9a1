package control

import (
	"time"

	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Source is the definition of a source.
type Source struct {
	Name string `json:"name"`
	// URL is stored as given, perhaps as a reference. Resolve it where a connection is made.
	URL       string    `json:"url"`
	Tables    []string  `json:"tables,omitempty"` // rules; none: every table
	Upstream  Upstream  `json:"upstream"`
	CreatedAt time.Time `json:"created_at"`
	// Intent is what a command has begun and not finished.
	Intent Intent `json:"intent,omitempty"`
}

// Intent is a command of several steps that is under way.
type Intent string

// Intents.
const (
	NoIntent        Intent = ""
	IntentDrop      Intent = "drop"
	IntentDropForce Intent = "drop-force"
	IntentResync    Intent = "resync"
	IntentRemove    Intent = "remove"
)

// Upstream says which database a source reads. Two sources with the same System
// and Database would share one channel.
type Upstream struct {
	System   string `json:"system"`
	Database string `json:"database"`
	Version  string `json:"version,omitempty"`
}

// Same tells whether both are the same database of the same server.
func (u Upstream) Same(o Upstream) bool { return u.System == o.System && u.Database == o.Database }

// CreateSource is the request to create a source.
type CreateSource struct {
	Name   string   `json:"name"`
	URL    string   `json:"url"`
	Tables []string `json:"tables"`
}

// SourceStatus is what a running source tells of itself.
type SourceStatus struct {
	// State is starting, streaming, waiting (for the upstream, see Waits), failed or stopped.
	State string `json:"state"`
	// Waits says in words what the capture waits for, empty when it streams.
	Waits      string    `json:"waits,omitempty"`
	Since      time.Time `json:"since"` // of the state
	Error      *Failure  `json:"error"`
	Position   string    `json:"position,omitempty"` // durable in the log, as the upstream prints it
	DurableTs  ts.Ts     `json:"durable_ts"`         // of the newest durable entry
	ResolvedTs ts.Ts     `json:"resolved_ts"`        // the log is complete up to here
	TableCount int       `json:"table_count"`
}

// SourceInfo is a source as doors show it: URL masked, status added.
type SourceInfo struct {
	Name        string       `json:"name"`
	URL         string       `json:"url"`
	Tables      []string     `json:"tables"`
	Upstream    Upstream     `json:"upstream"`
	CreatedAt   time.Time    `json:"created_at"`
	Intent      Intent       `json:"intent,omitempty"`
	Changefeeds []string     `json:"changefeeds"`
	Status      SourceStatus `json:"status"`
}

// Table is a table that a source captures.
type Table struct {
	ID        uint64 `json:"table_id"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Keyless   bool   `json:"keyless"`
	Rows      int64  `json:"rows"` // estimate
}

// Failure is an error as doors show it.
type Failure struct {
	Time    time.Time      `json:"time"`
	Code    weirerr.Code   `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Fields  []FailureField `json:"fields,omitempty"`
}

// FailureField names one thing a Failure is about.
type FailureField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (s *Source) info(status SourceStatus, changefeeds []string) SourceInfo {
	return SourceInfo{
		Name: s.Name, URL: secret.Mask(s.URL), Tables: nonNil(s.Tables), Upstream: s.Upstream,
		CreatedAt: s.CreatedAt, Intent: s.Intent, Changefeeds: nonNil(changefeeds), Status: status,
	}
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
