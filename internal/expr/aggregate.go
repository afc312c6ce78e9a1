package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// AggKind is how an aggregate is kept.
type AggKind uint8

// Kinds of aggregate.
const (
	AggCount AggKind = iota // count(x); count(*) has no argument
	AggSum
	AggAvg
	AggMin
	AggMax
	AggBoolAnd // every
	AggBoolOr
	AggArray  // array_agg, over items that ListItem makes
	AggString // string_agg, so too
)

// Aggregate is a resolved aggregate function: its argument's type (after the
// casts that resolution inserted) and its result's, both PostgreSQL's.
type Aggregate struct {
	Name   string
	Kind   AggKind
	Arg    datum.TypeRef // of count(*): zero
	Result datum.TypeRef
}

// aggRule is one overload: its signature as a function that is never called.
type aggRule struct {
	kind AggKind
	fn   *Func
}

// agg declares an aggregate: "sum(int4) int8".
func (r *Registry) agg(kind AggKind, signature string) {
	f, err := parseSignature(signature)
	if err != nil {
		panic(err) // a declaration of this package, covered by its tests
	}
	add(r.aggs, f.Name, aggRule{kind, f})
}

func declareAggregates(r *Registry) {
	r.agg(AggCount, "count(any) int8")
	for _, signature := range []string{
		"sum(int2) int8", "sum(int4) int8", "sum(int8) numeric", "sum(float4) float4", "sum(float8) float8",
		"sum(numeric) numeric", "sum(interval) interval", "sum(money) money",
	} {
		r.agg(AggSum, signature)
	}
	for _, signature := range []string{
		"avg(int2) numeric", "avg(int4) numeric", "avg(int8) numeric", "avg(float4) float8", "avg(float8) float8",
		"avg(numeric) numeric", "avg(interval) interval",
	} {
		r.agg(AggAvg, signature)
	}
	for _, t := range []string{
		"int2", "int4", "int8", "oid", "float4", "float8", "numeric", "money", "text", "bpchar",
		"date", "time", "timestamp", "timestamptz", "interval", "anyarray", "anyenum",
	} {
		r.agg(AggMin, "min("+t+") "+t)
		r.agg(AggMax, "max("+t+") "+t)
	}
	r.agg(AggBoolAnd, "bool_and(bool) bool")
	r.agg(AggBoolAnd, "every(bool) bool")
	r.agg(AggBoolOr, "bool_or(bool) bool")
	r.agg(AggArray, "array_agg(anynonarray) anyarray")
	r.agg(AggArray, "array_agg(anyarray) anyarray")
	r.agg(AggString, "string_agg(text,text) text")
	r.agg(AggString, "string_agg(bytea,bytea) bytea")
}

// IsAggregate tells whether a name is an aggregate function's.
func (r *Registry) IsAggregate(name string) bool { return r.aggs[name] != nil }

// ResolveAggregate finds an aggregate and converts its argument. count(*) is star.
func (r *Registry) ResolveAggregate(name string, args []Expr, star bool, pos int) (*Aggregate, []Expr, error) {
	rules := r.aggs[name]
	if star {
		if name != "count" {
			return nil, nil, fail(sql.WrongObjectType, pos, "%s(*) specified, but %s is not an aggregate function that takes no arguments", name, name)
		}
		return &Aggregate{Name: name, Kind: AggCount, Result: datum.Ref(datum.OIDInt8)}, nil, nil
	}
	if name == "count" && len(args) == 0 {
		return nil, nil, fail(sql.WrongObjectType, pos, "count(*) must be used to call a parameterless aggregate function")
	}
	fns := make([]*Func, len(rules))
	for i := range rules {
		fns[i] = rules[i].fn
	}
	best, none := r.choose(spread(fns, len(args)), typesOf(args))
	switch {
	case none:
		return nil, nil, withHint(fail(sql.UndefinedFunction, pos, "function %s(%s) does not exist", name, formatTypes(args)), hintNoFunction)
	case best == nil:
		return nil, nil, withHint(fail(sql.AmbiguousFunction, pos, "function %s(%s) is not unique", name, formatTypes(args)), hintAmbiguousFn)
	}
	e, err := r.call(*best, args, pos)
	if err != nil {
		return nil, nil, err
	}
	c := e.(*Call)
	found := &Aggregate{Name: name, Arg: c.Args[0].Type(), Result: c.T}
	for _, rule := range rules {
		if rule.fn == best.fn {
			found.Kind = rule.kind
		}
	}
	return found, c.Args, nil
}
