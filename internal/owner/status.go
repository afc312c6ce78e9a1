package owner

import (
	"errors"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// State is the state of a changefeed, as users see it.
type State string

// States.
const (
	Normal   State = "normal"   // running
	Warning  State = "warning"  // running again after an error, without progress yet
	Pending  State = "pending"  // not running: waits before it tries again
	Failed   State = "failed"   // not running: someone has to act
	Stopped  State = "stopped"  // paused by a user
	Finished State = "finished" // reached its target
	Removed  State = "removed"  // deleted
)

// Running tells whether the state wants an attempt to run.
func (s State) Running() bool { return s == Normal || s == Warning }

// Time is unix milliseconds.
type Time int64

// Go converts to the standard type, in UTC.
func (t Time) Go() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Status is the durable part of a machine.
type Status struct {
	State State `json:"state"`
	// Incarnation names the feed's position at its target; it grows when the feed
	// begins anew.
	Incarnation uint64 `json:"incarnation"`
	// Term grows with every start and fences older owners at the target.
	Term uint64 `json:"term"`
	// Checkpoint: everything <= it is durable at the target.
	Checkpoint ts.Ts  `json:"checkpoint_ts"`
	Resolved   ts.Ts  `json:"resolved_ts"`
	Target     ts.Ts  `json:"target_ts,omitempty"` // 0: none
	Fault      *Fault `json:"error,omitempty"`
	Since      Time   `json:"since_ms"` // when State began
}

// Released tells that in this state, once saved, the log need not be kept for the feed.
func (s *Status) Released() bool {
	switch s.State {
	case Removed, Finished:
		return true
	case Failed:
		return s.Fault != nil && s.Fault.Flags().LogGone
	}
	return false
}

// Fault is an error in a form that can be saved.
type Fault struct {
	At      Time            `json:"time_ms"`
	Code    weirerr.Code    `json:"code"`
	Message string          `json:"message"`
	Hint    string          `json:"hint,omitempty"`
	Fields  []weirerr.Field `json:"fields,omitempty"`
}

// FaultOf describes an error that occurred at a time.
func FaultOf(err error, at Time) *Fault {
	f := &Fault{At: at, Code: weirerr.CodeOf(err), Message: err.Error()}
	var e *weirerr.Error
	if errors.As(err, &e) {
		f.Message, f.Hint, f.Fields = e.Message, e.Remedy, e.Fields
		if cause := errors.Unwrap(e); cause != nil {
			f.Message += ": " + cause.Error()
		}
	}
	return f
}

// Flags say how to react to it.
func (f *Fault) Flags() weirerr.Flags { return f.Code.Flags() }

// Field is the value of a named field, or "".
func (f *Fault) Field(name string) string {
	for _, x := range f.Fields {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// Err turns it back into an error; nil for nil.
func (f *Fault) Err() error {
	if f == nil {
		return nil
	}
	e := weirerr.New(f.Code, "%s", f.Message).Hint("%s", f.Hint)
	e.Fields = f.Fields
	return e
}

// Reach is a Ts that may not be known: the zero Reach says "cannot proceed",
// which is not the same as Ts 0.
type Reach struct {
	at    ts.Ts
	known bool
}

// Known is a Reach of t.
func Known(t ts.Ts) Reach { return Reach{t, true} }

// Ts gives the Ts; false when it cannot be told.
func (r Reach) Ts() (ts.Ts, bool) { return r.at, r.known }

// String prints the Ts, or "unknown".
func (r Reach) String() string {
	if !r.known {
		return "unknown"
	}
	return r.at.String()
}
