package fourways

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

// Server is one of the two. Its database is empty before and after a run.
type Server struct {
	URL   string
	Label string // as skipif and onlyif know it
	// Settle returns when the views of the session's database show all that the
	// session wrote; views are those that the run made. Nil: nothing to do.
	Settle func(ctx context.Context, c *play.Conn, views []string) error
}

// Flush is the Settle of weir.
func Flush(ctx context.Context, c *play.Conn, _ []string) error {
	_, err := c.Exec(ctx, "FLUSH")
	return err
}

// Fault is an answer of the peer that is not the oracle's.
type Fault struct {
	Way    string
	Record *script.Record // nil for what is about no one record
	Reason string
}

func (f Fault) Error() string {
	if f.Record == nil {
		return f.Way + ": " + f.Reason
	}
	return f.Way + ": " + play.Fault{Record: f.Record, Reason: f.Reason}.Error()
}

// Report is what came of a script.
type Report struct {
	Compared int // answers that were compared with the oracle's
	Faults   []Fault
}

// Run plays a script in all ways. An error says that a server is lost or refused
// to take part; answers that differ are in the report.
func Run(ctx context.Context, s *script.Script, oracle, peer Server, seed uint64) (*Report, error) {
	all, err := steps(s, oracle.Label, peer.Label)
	if err != nil {
		return nil, err
	}
	rep := &Report{}
	for i, w := range []struct {
		name string
		play func(*way) error
	}{
		{"SELECT", (*way).selects},
		{"view before the load", func(w *way) error { return w.views(true) }},
		{"view after the load", func(w *way) error { return w.views(false) }},
	} {
		err := run(ctx, &way{
			ctx: ctx, name: w.name, steps: all, rep: rep, made: map[string]bool{},
			oracle: side{Server: oracle}, peer: side{Server: peer},
			random: rand.New(rand.NewPCG(seed, uint64(i))),
		}, w.play)
		if err != nil {
			return rep, fmt.Errorf("%s: %s: %w", s.Path, w.name, err)
		}
	}
	return rep, nil
}

func run(ctx context.Context, w *way, play func(*way) error) error {
	for _, s := range []*side{&w.oracle, &w.peer} {
		if err := s.connect(ctx); err != nil {
			return err
		}
		defer s.conn.Close()
	}
	if err := play(w); err != nil {
		return err
	}
	for _, s := range []*side{&w.oracle, &w.peer} {
		for _, refused := range s.leave(ctx) {
			w.fault(nil, refused.Error())
		}
	}
	return nil
}

// way is one pass of a script on both servers.
type way struct {
	ctx          context.Context
	name         string
	steps        []step
	rep          *Report
	oracle, peer side
	random       *rand.Rand
	made         map[string]bool // the queries' views that the peer has
	dirty        bool            // a statement was executed since Settle
}

// side is one server in one way.
type side struct {
	Server
	conn    *play.Conn
	objects []object // what was made, in order
}

type object struct{ kind, name string }

func (s *side) connect(ctx context.Context) (err error) {
	s.conn, err = play.Dial(ctx, s.URL, s.Label)
	return err
}

// exec executes a statement and remembers what it made.
func (s *side) exec(ctx context.Context, sql string) (play.Result, error) {
	r, err := s.conn.Exec(ctx, sql)
	if m := creating.FindStringSubmatch(sql); m != nil && err == nil {
		kind := strings.ToUpper(strings.Join(strings.Fields(m[1]), " "))
		s.objects = append(s.objects, object{kind, m[2]})
	}
	return r, err
}

// leave drops what was made, the last first.
func (s *side) leave(ctx context.Context) (refused []error) {
	for i := len(s.objects) - 1; i >= 0; i-- {
		o := s.objects[i]
		if _, err := s.conn.Exec(ctx, fmt.Sprintf("DROP %s %s", o.kind, o.name)); err != nil {
			refused = append(refused, fmt.Errorf("%s: drop %s: %w", s.Label, o.name, err))
		}
	}
	s.objects = nil
	return refused
}

func (s *side) named(kind string) (names []string) {
	for _, o := range s.objects {
		if o.kind == kind {
			names = append(names, o.name)
		}
	}
	return names
}

func (w *way) fault(r *script.Record, reason string) {
	w.rep.Faults = append(w.rep.Faults, Fault{w.name, r, reason})
}

// lost is an error if a server is gone.
func (w *way) lost(r *script.Record) error {
	var gone []error
	for _, s := range []*side{&w.oracle, &w.peer} {
		if s.conn.Lost() {
			gone = append(gone, fmt.Errorf("%s:%d: %s is gone", r.Path, r.Line, s.Label))
		}
	}
	return errors.Join(gone...)
}

// settle lets the views catch up.
func (w *way) settle() error {
	if !w.dirty {
		return nil
	}
	w.dirty = false
	for _, s := range []*side{&w.oracle, &w.peer} {
		if s.Settle == nil {
			continue
		}
		if err := s.Settle(w.ctx, s.conn, s.named("MATERIALIZED VIEW")); err != nil {
			return fmt.Errorf("%s does not settle: %w", s.Label, err)
		}
	}
	return nil
}
