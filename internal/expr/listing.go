package expr

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Operator is an operator and the function it calls.
type Operator struct {
	Symbol string
	Fn     *Func
}

// Functions lists the scalar functions, those of operators and casts included, by name and arguments.
func (r *Registry) Functions() []*Func {
	var all []*Func
	for _, name := range slices.Sorted(maps.Keys(r.funcs)) {
		all = append(all, r.funcs[name]...)
	}
	return all
}

// Operators lists the operators by symbol.
func (r *Registry) Operators() []Operator {
	var all []Operator
	for _, symbol := range slices.Sorted(maps.Keys(r.ops)) {
		for _, f := range r.ops[symbol] {
			all = append(all, Operator{symbol, f})
		}
	}
	return all
}

// CastInfo is a cast between two types; Fn is nil when the bytes stay the same.
type CastInfo struct {
	From, To uint32
	How      How
	Fn       *Func
}

// Casts lists the casts by their types. What goes through text is not listed.
func (r *Registry) Casts() []CastInfo {
	var all []CastInfo
	for key, rule := range r.casts {
		all = append(all, CastInfo{key.from, key.to, rule.how, rule.fn})
	}
	slices.SortFunc(all, func(a, b CastInfo) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return all
}

// AggregateSignatures and SetSignatures list the overloads, as Signature writes them.
func (r *Registry) AggregateSignatures() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.aggs)) {
		for _, rule := range r.aggs[name] {
			all = append(all, rule.fn.Signature())
		}
	}
	return all
}

// SetSignatures is AggregateSignatures of the set functions.
func (r *Registry) SetSignatures() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.sets)) {
		if strings.Contains(name, " ") {
			continue // a further column of the one before
		}
		columns, functions := SetColumns(name)
		for i, f := range r.sets[name] {
			text := (&Func{Name: f.Name, Args: f.Args, Result: f.Result}).Signature()
			if columns != nil {
				var of []string
				for k, c := range columns {
					of = append(of, c+" "+nameOf(r.sets[functions[k]][i].Result))
				}
				text = fmt.Sprintf("%s(%s) (%s)", name, nameOf(f.Args[0]), strings.Join(of, ", "))
			}
			all = append(all, text)
		}
	}
	return all
}

// Signature is name(argument types) result type, with SQL's names: lpad(text, integer, text) text.
func (f *Func) Signature() string {
	args := make([]string, len(f.Args))
	for i, a := range f.Args {
		args[i] = nameOf(a)
		if f.Variadic && i == len(f.Args)-1 {
			args[i] = "VARIADIC " + args[i]
		}
	}
	return f.Name + "(" + strings.Join(args, ", ") + ") " + nameOf(f.Result)
}
