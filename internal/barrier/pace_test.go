package barrier

import (
	"testing"
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// pace drives a machine with one database and one worker, which answers at once, for a while,
// and gives when the main graph's barriers began, in ms.
func pace(t *testing.T, creating bool, ms int64) (began []int64) {
	t.Helper()
	m := New(Options{Interval: 100 * time.Millisecond})
	var now int64
	var step func(e Event)
	step = func(e Event) {
		var answers []Event
		for _, effect := range m.Step(ts.New(now, 0), e) {
			switch e := effect.(type) {
			case Reset:
				r := Recovered{Database: e.Database, Attempt: e.Attempt, Committed: ts.New(1, 0)}
				if creating {
					r.Creating = []Resume{{Graph: 7, Cut: ts.New(1, 0)}}
				}
				answers = append(answers, r)
			case Inject:
				if e.Graph == Main {
					began = append(began, now)
				}
				answers = append(answers, Collected{Database: e.Database, Graph: e.Graph, Attempt: e.Attempt, Curr: e.Curr, Worker: 1})
			case Commit:
				answers = append(answers, Committed{Database: e.Database, Graph: e.Graph, Attempt: e.Attempt, Curr: e.Curr})
			}
		}
		for _, a := range answers {
			step(a)
		}
	}
	now = 1000
	step(WorkerUp{Worker: 1})
	step(AddDatabase{Database: 1})
	for ; now < 1000+ms; now++ {
		if at := m.Wake(); at != 0 && at <= ts.New(now, 0) {
			step(Tick{})
		}
	}
	return began
}

// Barriers come by the interval. A job that is being created needs epochs to follow: while it
// has followed all there are, they come ten times as often.
func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		creating bool
		gap      int64
	}{"nothing is created": {false, 100}, "a job is created": {true, 10}} {
		began := pace(t, c.creating, 1000)
		if len(began) < 5 {
			t.Fatalf("%s: barriers at %v", name, began)
		}
		for i := 2; i < len(began); i++ {
			if gap := began[i] - began[i-1]; gap != c.gap {
				t.Errorf("%s: %d ms between barriers, want %d", name, gap, c.gap)
			}
		}
	}
}
