package barrier

import (
	"slices"
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// Options of a Machine: the system's Config. Zero values mean the defaults given.
type Options struct {
	Interval  time.Duration // 250 ms
	Frequency int           // 1
	Cap       int           // 10
	// FirstAttempt is above every attempt of earlier processes.
	FirstAttempt Attempt
}

// Machine controls the checkpoints of all databases. Not safe for concurrent use.
type Machine struct {
	system  Config
	now     ts.Ts
	attempt Attempt // the last one given
	workers []Worker
	dbs     []*database // by id
	first   int         // whose turn it is
	out     []Effect
}

// New makes a machine that knows no database.
func New(o Options) *Machine {
	m := &Machine{attempt: o.FirstAttempt, system: Config{250 * time.Millisecond, 1, 10}}
	m.system = m.system.with(Config{o.Interval, o.Frequency, o.Cap})
	return m
}

// with is c with what is set in over.
func (c Config) with(over Config) Config {
	if over.Interval > 0 {
		c.Interval = over.Interval
	}
	if over.Frequency > 0 {
		c.Frequency = over.Frequency
	}
	if over.Cap > 0 {
		c.Cap = over.Cap
	}
	return c
}

// Step takes an event at the time now, on the log's clock, and says what is to be
// done, in order. The slice is valid until the next Step. Now may stand still; it
// never goes back.
func (m *Machine) Step(now ts.Ts, e Event) []Effect {
	m.now = max(m.now, now)
	m.out = m.out[:0]
	m.take(e)
	m.inject()
	m.check()
	return m.out
}

// Wake is when a Tick is of use next, if nothing else happens; 0: never.
func (m *Machine) Wake() ts.Ts {
	var at ts.Ts
	for _, d := range m.dbs {
		if w := d.wake(m.config(d)); w != 0 && (at == 0 || w < at) {
			at = w
		}
	}
	return at
}

func (m *Machine) take(e Event) {
	switch e := e.(type) {
	case Tick:
	case AddDatabase:
		m.add(e)
	case DropDatabase:
		m.drop(e)
	case Configure:
		m.configure(e)
	case Command:
		m.command(e)
	case Want:
		if d := m.of(e, e.Database); d != nil {
			d.wanted = max(d.wanted, e.At)
		}
	case Collected:
		m.collected(e)
	case Committed:
		m.committed(e)
	case Failed:
		if d := m.current(e, e.Database, e.Attempt); d != nil {
			m.fail(d, e.Err)
		}
	case WorkerUp:
		if i, ok := slices.BinarySearch(m.workers, e.Worker); !ok {
			m.workers = slices.Insert(m.workers, i, e.Worker)
		}
	case WorkerDown:
		m.workerDown(e)
	case Recovered:
		m.recovered(e)
	}
}

// of finds the database an event is about.
func (m *Machine) of(e Event, id Database) *database {
	i, ok := m.find(id)
	if !ok {
		m.odd(e, "no such database")
		return nil
	}
	return m.dbs[i]
}

// current is of, when the event belongs to the present attempt.
func (m *Machine) current(e Event, id Database, a Attempt) *database {
	if i, ok := m.find(id); ok && m.dbs[i].attempt == a {
		return m.dbs[i]
	}
	m.odd(e, "of an attempt that has ended")
	return nil
}

func (m *Machine) find(id Database) (int, bool) {
	return slices.BinarySearchFunc(m.dbs, id, func(d *database, id Database) int { return int(d.id) - int(id) })
}

func (m *Machine) config(d *database) Config { return m.system.with(d.config) }

func (m *Machine) emit(e Effect)           { m.out = append(m.out, e) }
func (m *Machine) odd(e Event, why string) { m.emit(Odd{e, why}) }

func (m *Machine) add(e AddDatabase) {
	i, ok := m.find(e.Database)
	if ok {
		m.odd(e, "the database is known")
		return
	}
	d := &database{id: e.Database, config: e.Config, recovering: true}
	m.dbs = slices.Insert(m.dbs, i, d)
	m.reset(d, nil, 0)
}

func (m *Machine) drop(e DropDatabase) {
	d := m.of(e, e.Database)
	if d == nil {
		return
	}
	m.abandon(d, errDropped, nil)
	i, _ := m.find(d.id)
	m.dbs = slices.Delete(m.dbs, i, i+1)
}

func (m *Machine) configure(e Configure) {
	if e.System {
		m.system = m.system.with(e.Config)
		return
	}
	if d := m.of(e, e.Database); d != nil {
		d.config = e.Config
	}
}

func (m *Machine) workerDown(e WorkerDown) {
	i, ok := slices.BinarySearch(m.workers, e.Worker)
	if !ok {
		m.odd(e, "no such worker")
		return
	}
	m.workers = slices.Delete(m.workers, i, i+1)
	for _, d := range m.dbs {
		if !d.recovering && d.waitsFor(e.Worker) {
			m.fail(d, e.Err)
		}
	}
}
