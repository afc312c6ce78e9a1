package main

import (
	"fmt"
	"time"

	"github.com/weirstream/weir/internal/owner"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// measureTick drives the owner's machine of a changefeed with many idle tables:
// a tick is the time passing, the source's log resolving further and the lane
// delivering, with all that must then be answered.
func measureTick(l *lab) error {
	tables := l.rows(100_000)
	m := owner.New(owner.Options{
		Lanes: 1, RetryInitial: time.Second, RetryMax: time.Minute, Stuck: time.Hour,
		SaveInterval: time.Second, Random: func() float64 { return 0.5 },
	}, owner.Status{State: owner.Normal, Checkpoint: 1})
	d := &driver{m: m, now: 1}
	d.tell(owner.Tick{At: d.at()})
	if d.attempt == 0 {
		return fmt.Errorf("the owner's machine starts no attempt: state %s", m.Status().State)
	}
	d.tell(owner.Opened{At: d.at(), Attempt: d.attempt})
	for i := range tables {
		d.tell(owner.TableAt{At: d.at(), Attempt: d.attempt, Table: row.TableID(i + 1), Stage: owner.Stage("snapshot"), Ts: 2})
	}
	for i := range tables { // all have caught up: idle from now on
		d.tell(owner.TableDone{At: d.at(), Attempt: d.attempt, Table: row.TableID(i + 1)})
	}
	const ticks = 20_000
	start := time.Now()
	for i := range ticks {
		t := ts.Ts(100 + i)
		d.now += 100
		d.tell(owner.Upstream{At: d.at(), Resolved: t})
		d.tell(owner.Delivered{At: d.at(), Attempt: d.attempt, Ts: t, Savable: t})
		d.tell(owner.Tick{At: d.at()})
	}
	each := float64(time.Since(start).Nanoseconds()) / ticks / 1e6
	if got := m.Status().Checkpoint; got < 100 {
		return fmt.Errorf("the owner's machine made no progress: checkpoint %s", got)
	}
	return bound(fmt.Sprintf("a tick of a changefeed of %d idle tables", tables), each, 1, "ms").print()
}

// driver answers the machine's effects as a shell without faults would.
type driver struct {
	m       *owner.Machine
	now     owner.Time
	attempt uint64
}

func (d *driver) at() owner.At { return owner.At(d.now) }

func (d *driver) tell(e owner.Event) {
	todo := append([]owner.Effect(nil), d.m.Step(e)...)
	for len(todo) > 0 {
		f := todo[0]
		todo = todo[1:]
		if answer := d.answer(f); answer != nil {
			todo = append(todo, d.m.Step(answer)...)
		}
	}
}

func (d *driver) answer(f owner.Effect) owner.Event {
	switch f := f.(type) {
	case owner.Start:
		d.attempt = f.Attempt
	case owner.Save:
		return owner.Saved{At: d.at(), Seq: f.Seq, OK: true}
	case owner.MovePin:
		return owner.PinDone{At: d.at(), Seq: f.Seq, OK: true}
	}
	return nil
}
