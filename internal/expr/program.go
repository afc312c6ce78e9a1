package expr

import (
	"cmp"
	"slices"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Env is what an evaluation may depend on beside its input.
type Env struct {
	Now      datum.Timestamp // of the statement, microseconds; stable over it
	Zone     *time.Location  // the session's, or stored with the view
	Params   []*zset.Vec     // one value each
	User     string
	Database string
	// Random gives 64 random bits for random() and gen_random_uuid(); nil: they fail. It is called by one
	// goroutine of an evaluation.
	Random func() uint64
	// Session is what functions from outside the package (External) depend on beside their arguments.
	Session any
}

// RowError is what went wrong in one row of a chunk.
type RowError struct {
	Row int
	Err *sql.Error
}

// Eval computes the expressions for every row of a chunk. Columns have c.N values. A row with an
// error is listed once, ascending; its values are of no interest.
func (p *Program) Eval(c *zset.Chunk, env *Env) ([]*zset.Vec, []RowError) {
	if c.N == 0 {
		return p.none(), nil
	}
	ev := p.begin(c, env)
	p.run(ev)
	out := make([]*zset.Vec, len(p.results))
	for i, reg := range p.results {
		v := ev.regs[reg]
		if v.N != c.N {
			v = v.Constant(0, c.N)
		} else if slices.Contains(ev.owned, v) {
			zeroNulls(v)
		}
		out[i] = v
	}
	return out, p.end(ev, out)
}

// none is the columns of no rows.
func (p *Program) none() []*zset.Vec {
	out := make([]*zset.Vec, len(p.kinds))
	for i, k := range p.kinds {
		out[i] = zset.NewVec(k, 0)
	}
	return out
}

// EvalFilter lists the rows that satisfy a condition compiled by CompileFilter, ascending. A row with
// an error is not among them.
func (p *Program) EvalFilter(c *zset.Chunk, env *Env) (sel []int32, errs []RowError) {
	if c.N == 0 {
		return nil, nil
	}
	ev := p.begin(c, env)
	p.run(ev)
	sel = rowsOf(c.N, ev.scopes[p.final])
	return sel, p.end(ev, nil)
}

// begin fills the registers that no step fills. No row is in a scope before it is entered.
func (p *Program) begin(c *zset.Chunk, env *Env) *evaluation {
	ev, ok := p.idle.Get().(*evaluation)
	if !ok {
		ev = &evaluation{
			regs:   make([]*zset.Vec, p.regs),
			scopes: make([][]uint64, p.scopes),
			state:  make([]any, len(p.steps)),
		}
	}
	ev.env, ev.n, ev.chunk = env, c.N, c
	for _, in := range p.columns {
		ev.regs[in.reg] = c.Cols[in.index]
	}
	for _, in := range p.params {
		ev.regs[in.reg] = env.Params[in.index]
	}
	for _, k := range p.consts {
		ev.regs[k.reg] = k.v
	}
	if p.scopes > 1 {
		none := complement(nil, c.N)
		for i := 1; i < p.scopes; i++ {
			ev.scopes[i] = none
		}
	}
	return ev
}

// end gives the evaluation back and its errors out.
func (p *Program) end(ev *evaluation, results []*zset.Vec) []RowError {
	errs := ev.errs
	slices.SortFunc(errs, func(a, b RowError) int { return cmp.Compare(a.Row, b.Row) })
	ev.release(results)
	p.idle.Put(ev)
	return errs
}

// Constant is the value of an expression without columns and parameters that depends on nothing
// else; false when it has them, is not Immutable, or fails.
func Constant(e Expr) (*Const, bool) {
	c := newCompiler()
	reg := c.emit(e, 0)
	v := c.consts[reg]
	if v == nil {
		if len(c.p.columns)+len(c.p.params) > 0 || volatilityOf(e) != Immutable {
			return nil, false
		}
		c.p.results = []int{reg}
		out, errs := c.p.Eval(&zset.Chunk{N: 1}, &Env{Zone: time.UTC})
		if errs != nil {
			return nil, false
		}
		v = out[0]
	}
	return &Const{T: e.Type(), V: v, Pos: posOf(e)}, true
}

// volatilityOf is the worst of an expression's functions.
func volatilityOf(e Expr) (worst Volatility) {
	Walk(e, func(e Expr) {
		if c, ok := e.(*Call); ok {
			worst = max(worst, c.Fn.Volatility)
		}
	})
	return worst
}

// VolatilityOf tells whether an expression may stand in a view (Immutable), depends on the
// statement (Stable), or on nothing at all (Volatile).
func VolatilityOf(e Expr) Volatility { return volatilityOf(e) }

// Walk visits an expression and all within it, from the outside in.
func Walk(e Expr, visit func(Expr)) {
	visit(e)
	for _, x := range operands(e) {
		Walk(x, visit)
	}
}

func operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Call:
		return e.Args
	case *And:
		return e.Args
	case *Or:
		return e.Args
	case *Coalesce:
		return e.Args
	case *Case:
		xs := make([]Expr, 0, 2*len(e.Whens)+1)
		for _, w := range e.Whens {
			xs = append(xs, w.Cond, w.Then)
		}
		return append(xs, e.Else)
	}
	return nil
}
