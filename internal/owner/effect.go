package owner

import (
	"fmt"
	"strings"

	"github.com/weirstream/weir/internal/ts"
)

// Effect is something the machine wants done. The set is closed. Effects are
// begun in the order given; those with a Seq are answered by the event named,
// with that Seq. String is the golden form.
type Effect interface{ String() string }

// Start begins an attempt: open the sink under Term = Attempt and deliver from
// what the target has, or from Checkpoint, up to Target (0: no end). The attempt
// ends with one Ended.
type Start struct {
	Attempt     uint64
	Incarnation uint64
	Checkpoint  ts.Ts
	Target      ts.Ts
}

// Stop ends the attempt; Ended follows.
type Stop struct{ Attempt uint64 }

// Save makes the status durable. Answered by Saved.
type Save struct {
	Seq    uint64
	Status Status
}

// MovePin moves the claim on the log up. Answered by PinDone.
type MovePin struct {
	Seq uint64
	Ts  ts.Ts
}

// ReleasePin gives the claim up. Answered by PinDone.
type ReleasePin struct{ Seq uint64 }

// Claim prepares a beginning: claim the log after Ts (with Now: after the
// present end) in place of an earlier claim, unless Held says that one at or
// below it exists; a Claim that fails leaves the earlier one. And when Anew, prepare the state of a new incarnation, with Snapshot one that begins by
// snapshots of all tables. Answered by Claimed.
type Claim struct {
	Seq         uint64
	Ts          ts.Ts
	Now         bool
	Held        bool
	Anew        bool
	Snapshot    bool
	Incarnation uint64
}

// Delete forgets everything saved. Answered by Deleted.
type Delete struct{ Seq uint64 }

// Reply answers a job; Fault is nil when it was done.
type Reply struct {
	Job   uint64
	Fault *Fault
}

// Halt: the machine has ended; nothing follows.
type Halt struct{}

func (e Start) String() string {
	return fmt.Sprintf("Start{a%d inc=%d from=%s target=%s}", e.Attempt, e.Incarnation, e.Checkpoint, e.Target)
}
func (e Stop) String() string { return fmt.Sprintf("Stop{a%d}", e.Attempt) }
func (e Save) String() string { return fmt.Sprintf("Save{#%d %s}", e.Seq, e.Status.String()) }
func (e MovePin) String() string {
	return fmt.Sprintf("MovePin{#%d %s}", e.Seq, e.Ts)
}
func (e ReleasePin) String() string { return fmt.Sprintf("ReleasePin{#%d}", e.Seq) }
func (e Claim) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Claim{#%d inc=%d", e.Seq, e.Incarnation)
	if e.Now {
		b.WriteString(" now")
	} else {
		fmt.Fprintf(&b, " %s", e.Ts)
	}
	for _, flag := range []struct {
		on   bool
		text string
	}{{e.Held, " held"}, {e.Anew, " anew"}, {e.Snapshot, " snapshot"}} {
		if flag.on {
			b.WriteString(flag.text)
		}
	}
	return b.String() + "}"
}
func (e Delete) String() string { return fmt.Sprintf("Delete{#%d}", e.Seq) }
func (e Reply) String() string  { return fmt.Sprintf("Reply{%d %s}", e.Job, codeText(e.Fault)) }
func (e Halt) String() string   { return "Halt" }

// String is the golden form of a status.
func (s *Status) String() string {
	text := fmt.Sprintf("%s inc=%d term=%d checkpoint=%s resolved=%s", s.State, s.Incarnation, s.Term, s.Checkpoint, s.Resolved)
	if s.Target != 0 {
		text += " target=" + s.Target.String()
	}
	if s.Fault != nil {
		text += " error=" + string(s.Fault.Code)
	}
	return text
}
