package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Registry knows functions, operators, casts, aggregates and set functions by
// name. It is a value that does not change: With makes another one.
type Registry struct {
	funcs map[string][]*Func
	ops   map[string][]*Func
	casts map[castKey]castRule
	aggs  map[string][]aggRule
	sets  map[string][]*SetFunc
}

// Builtins is the registry of what Weir has of PostgreSQL's functions. Making it takes
// about a millisecond; a server makes one.
func Builtins() *Registry {
	r := &Registry{
		funcs: make(map[string][]*Func, 512),
		ops:   make(map[string][]*Func, 64),
		casts: make(map[castKey]castRule, 128),
		aggs:  make(map[string][]aggRule, 16),
		sets:  make(map[string][]*SetFunc, 16),
	}
	for _, declare := range declarations() {
		declare(r)
	}
	return r
}

// clone copies the maps; their values are shared and never written.
func (r *Registry) clone() *Registry {
	return &Registry{maps.Clone(r.funcs), maps.Clone(r.ops), maps.Clone(r.casts), maps.Clone(r.aggs), maps.Clone(r.sets)}
}

// add appends to a name's overloads without touching a slice that another registry has.
func add[V any](m map[string][]V, name string, v V) {
	m[name] = append(slices.Clip(m[name]), v)
}

// fn declares a strict, immutable function by its signature: "lpad(text,int4,text) text".
// "variadic" before the last argument's type lets it repeat.
func (r *Registry) fn(signature string, build func(*site) kernel, opts ...option) *Func {
	f, err := parseSignature(signature)
	if err != nil {
		panic(err) // a declaration of this package, covered by its tests
	}
	f.Strict, f.build = true, build
	for _, o := range opts {
		o(f)
	}
	add(r.funcs, f.Name, f)
	return f
}

// op declares an operator and its function: "=", "int4eq(int4,int4) bool".
func (r *Registry) op(symbol, signature string, build func(*site) kernel, opts ...option) *Func {
	f := r.fn(signature, build, opts...)
	add(r.ops, symbol, f)
	return f
}

// parseSignature reads name(type,type,variadic type) type.
func parseSignature(s string) (*Func, error) {
	name, rest, ok := strings.Cut(s, "(")
	args, result, ok2 := strings.Cut(rest, ")")
	if !ok || !ok2 || name == "" {
		return nil, fmt.Errorf("expr: %q is no signature", s)
	}
	f := &Func{Name: name}
	for word := range strings.SplitSeq(args, ",") {
		if word == "" {
			continue
		}
		typ, variadic := strings.CutPrefix(word, "variadic ")
		oid, known := lookupType(typ)
		if !known {
			return nil, fmt.Errorf("expr: %q names no type %q", s, typ)
		}
		f.Args = append(f.Args, oid)
		f.Variadic = variadic
	}
	oid, known := lookupType(strings.TrimSpace(result))
	if !known {
		return nil, fmt.Errorf("expr: %q names no type %q", s, result)
	}
	f.Result = oid
	return f, nil
}
