package owner

import (
	"fmt"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// Event is something the machine is told. The set is closed. Every event has
// the time it is told at, which never goes back for the machine.
type Event interface {
	at() Time
	String() string
}

// At is when an event is told.
type At Time

func (t At) at() Time { return Time(t) }

// Tick tells only the time. The shell sends one several times a second.
type Tick struct{ At }

// Upstream tells how far the source's log is complete.
type Upstream struct {
	At
	Resolved ts.Ts
}

// Opened: the attempt's sink is open and says how far every lane has delivered.
type Opened struct {
	At
	Attempt uint64
}

// Delivered: the sink has confirmed everything of the lane <= Ts. Savable is
// the last such point from which the shell can read on after a restart.
type Delivered struct {
	At
	Attempt     uint64
	Lane        int
	Ts, Savable ts.Ts
}

// Busy tells what a lane is doing, and for which table.
type Busy struct {
	At
	Attempt uint64
	Lane    int
	Stage   Stage
	Table   row.TableID
}

// TableAt tells where a table that lags its lane stands, and in which stage.
type TableAt struct {
	At
	Attempt     uint64
	Table       row.TableID
	Stage       Stage
	Ts          ts.Ts
	Done, Total int64 // rows
}

// TableDone: the table no longer lags its lane.
type TableDone struct {
	At
	Attempt uint64
	Table   row.TableID
}

// Warned: the attempt met a problem and goes on.
type Warned struct {
	At
	Attempt uint64
	Fault   *Fault
}

// Ended: the attempt is over and its sink closed. Fault is nil after a Stop.
type Ended struct {
	At
	Attempt uint64
	Fault   *Fault
}

// Evicted: the claim on the log was taken away.
type Evicted struct {
	At
	Fault *Fault
}

// Saved answers Save.
type Saved struct {
	At
	Seq uint64
	OK  bool
}

// PinDone answers MovePin and ReleasePin.
type PinDone struct {
	At
	Seq uint64
	OK  bool
}

// Claimed answers Claim: the log after Ts is held.
type Claimed struct {
	At
	Seq   uint64
	Ts    ts.Ts
	Fault *Fault
}

// Deleted answers Delete.
type Deleted struct {
	At
	Seq uint64
	OK  bool
}

// Close asks the machine to stop, save and end; it is not restarted.
type Close struct{ At }

// JobKind is what an operator asks for.
type JobKind string

// Jobs.
const (
	Pause  JobKind = "pause"
	Resume JobKind = "resume"
	Remove JobKind = "remove"
	Update JobKind = "update"
	Resync JobKind = "resync"
)

// Job is an operator's request; jobs are done one after the other.
type Job struct {
	At
	ID   uint64
	Kind JobKind
	// Overwrite makes a Resume begin a new incarnation after this Ts.
	Overwrite Reach
	// Target is the new target of an Update (Known(0): none).
	Target Reach
}

func (e Tick) String() string     { return "Tick" }
func (e Upstream) String() string { return "Upstream{" + e.Resolved.String() + "}" }
func (e Opened) String() string   { return fmt.Sprintf("Opened{a%d}", e.Attempt) }
func (e Delivered) String() string {
	return fmt.Sprintf("Delivered{a%d lane=%d %s savable=%s}", e.Attempt, e.Lane, e.Ts, e.Savable)
}
func (e Busy) String() string {
	return fmt.Sprintf("Busy{a%d lane=%d %s table=%d}", e.Attempt, e.Lane, e.Stage, e.Table)
}
func (e TableAt) String() string {
	return fmt.Sprintf("TableAt{a%d table=%d %s %s %d/%d}", e.Attempt, e.Table, e.Stage, e.Ts, e.Done, e.Total)
}
func (e TableDone) String() string { return fmt.Sprintf("TableDone{a%d table=%d}", e.Attempt, e.Table) }
func (e Warned) String() string    { return fmt.Sprintf("Warned{a%d %s}", e.Attempt, e.Fault.Code) }
func (e Ended) String() string     { return fmt.Sprintf("Ended{a%d %s}", e.Attempt, codeText(e.Fault)) }
func (e Evicted) String() string   { return fmt.Sprintf("Evicted{%s}", codeText(e.Fault)) }
func (e Saved) String() string     { return fmt.Sprintf("Saved{#%d %s}", e.Seq, okText(e.OK)) }
func (e PinDone) String() string   { return fmt.Sprintf("PinDone{#%d %s}", e.Seq, okText(e.OK)) }
func (e Claimed) String() string {
	return fmt.Sprintf("Claimed{#%d %s %s}", e.Seq, e.Ts, codeText(e.Fault))
}
func (e Deleted) String() string { return fmt.Sprintf("Deleted{#%d %s}", e.Seq, okText(e.OK)) }
func (e Close) String() string   { return "Close" }
func (e Job) String() string {
	return fmt.Sprintf("Job{%d %s overwrite=%s target=%s}", e.ID, e.Kind, e.Overwrite, e.Target)
}

func codeText(f *Fault) string {
	if f == nil {
		return "ok"
	}
	return string(f.Code)
}

func okText(ok bool) string {
	if ok {
		return "ok"
	}
	return "failed"
}
