package owner

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// TestScripts plays testdata: each line of a step is an event, the output its
// effects and the status and holder after them.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		p := &player{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "new":
				return p.restore(t, d)
			case "step":
				return p.play(t, d)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

type player struct {
	m   *Machine
	now Time
	job uint64
}

func (p *player) restore(t *testing.T, d *datadriven.TestData) string {
	st := Status{State: Normal, Incarnation: 1, Checkpoint: 100}
	lanes := 1
	for _, a := range d.CmdArgs {
		v := a.Vals[0]
		n, _ := strconv.ParseUint(v, 10, 64)
		switch a.Key {
		case "state":
			st.State = State(v)
		case "checkpoint":
			st.Checkpoint = ts.Ts(n)
		case "target":
			st.Target = ts.Ts(n)
		case "term":
			st.Term = n
		case "lanes":
			lanes = int(n)
		case "error":
			st.Fault = fault(weirerr.Code(v))
		default:
			t.Fatalf("unknown argument %s", a.Key)
		}
	}
	p.m = New(Options{
		Lanes: lanes, RetryInitial: time.Second, RetryMax: 10 * time.Minute, Stuck: 30 * time.Minute,
		SaveInterval: 500 * time.Millisecond, Random: func() float64 { return 0.5 },
	}, st)
	p.now = 1000
	return st.String() + "\n"
}

func (p *player) play(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	for line := range strings.Lines(d.Input) {
		f := strings.Fields(line)
		if f[0] == "after" { // the first event then comes later
			pause, err := time.ParseDuration(f[1])
			if err != nil {
				t.Fatal(err)
			}
			p.now += Time(pause.Milliseconds())
			f = f[2:]
		}
		for _, e := range p.m.Step(p.event(t, f)) {
			fmt.Fprintln(&out, e)
		}
	}
	st, h := p.m.Status(), p.m.Holder()
	fmt.Fprintf(&out, "= %s\n= pin=%s holder={%d %s since %d}\n", st.String(), p.m.Pin(), h.Table, h.Stage, h.Since)
	return out.String()
}

func (p *player) event(t *testing.T, f []string) Event {
	at := At(p.now)
	num := func(i int) uint64 {
		n, err := strconv.ParseUint(f[i], 10, 64)
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		return n
	}
	failed := func(i int) *Fault {
		if len(f) <= i {
			return nil
		}
		return fault(weirerr.Code(f[i]))
	}
	switch f[0] {
	case "tick":
		return Tick{at}
	case "upstream":
		return Upstream{at, ts.Ts(num(1))}
	case "opened":
		return Opened{at, num(1)}
	case "delivered": // attempt lane ts savable
		return Delivered{at, num(1), int(num(2)), ts.Ts(num(3)), ts.Ts(num(4))}
	case "busy":
		return Busy{at, num(1), 0, Stage(f[2]), row.TableID(num(3))}
	case "table": // attempt table stage ts done total
		return TableAt{at, num(1), row.TableID(num(2)), Stage(f[3]), ts.Ts(num(4)), int64(num(5)), int64(num(6))}
	case "table-done":
		return TableDone{at, num(1), row.TableID(num(2))}
	case "warned":
		return Warned{at, num(1), failed(2)}
	case "ended":
		return Ended{at, num(1), failed(2)}
	case "evicted":
		return Evicted{at, failed(1)}
	case "saved":
		return Saved{at, num(1), len(f) == 2}
	case "pin-done":
		return PinDone{at, num(1), len(f) == 2}
	case "claimed":
		return Claimed{at, num(1), ts.Ts(num(2)), failed(3)}
	case "deleted":
		return Deleted{at, num(1), len(f) == 2}
	case "close":
		return Close{at}
	}
	p.job++
	j := Job{At: at, ID: p.job, Kind: JobKind(f[0])}
	if len(f) > 2 && f[1] == "overwrite" {
		j.Overwrite = Known(ts.Ts(num(2)))
	}
	if len(f) > 2 && f[1] == "target" {
		j.Target = Known(ts.Ts(num(2)))
	}
	return j
}
