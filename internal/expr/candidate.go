package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
)

// candidate is a function with the declared types spread over the arguments of one call.
type candidate struct {
	fn   *Func
	args []uint32
}

// spread gives the candidates of a name that take n arguments. A variadic one repeats its
// last type; where a plain function has the same types, it is left out.
func spread(fns []*Func, n int) (found []candidate) {
	for _, f := range fns {
		switch {
		case !f.Variadic && len(f.Args) == n:
			found = append(found, candidate{f, f.Args})
		case f.Variadic && n >= len(f.Args):
			args := make([]uint32, n)
			for i := range args {
				args[i] = f.Args[min(i, len(f.Args)-1)]
			}
			found = append(found, candidate{f, args})
		}
	}
	return found
}

// choose picks the function for arguments of the given types. none tells that no function takes
// them; otherwise a nil candidate means that several do and no rule prefers one.
func (r *Registry) choose(fns []candidate, types []uint32) (best *candidate, none bool) {
	for i := range fns {
		if exact(fns[i].args, types) {
			return &fns[i], false
		}
	}
	fitting := r.fitting(fns, types)
	switch len(fitting) {
	case 0:
		return nil, true
	case 1:
		return &fitting[0], false
	}
	return r.prefer(fitting, types), false
}

func anyExact(fns []candidate, types []uint32) bool {
	return slices.ContainsFunc(fns, func(c candidate) bool { return exact(c.args, types) })
}

func exact(declared, types []uint32) bool {
	for i, d := range declared {
		if d != types[i] {
			return false
		}
	}
	return true
}

// fitting keeps the functions whose declared types the arguments can become.
func (r *Registry) fitting(fns []candidate, types []uint32) (fit []candidate) {
	for _, c := range fns {
		if r.fits(c.args, types) {
			fit = append(fit, c)
		}
	}
	return fit
}

func (r *Registry) fits(declared, types []uint32) bool {
	generic := false
	for i, d := range declared {
		if !r.coercible(types[i], d, Implicit) {
			return false
		}
		generic = generic || isPolymorphic(d)
	}
	if generic {
		_, err := r.settle(declared, types)
		return err == nil
	}
	return true
}

// prefer applies PostgreSQL's rules for overloads, one after the other, to functions that
// all fit. It gives nil when they leave more than one.
func (r *Registry) prefer(fns []candidate, types []uint32) *candidate {
	unknowns := 0
	for _, t := range types {
		if t == OIDUnknown {
			unknowns++
		}
	}
	fns = mostMatches(fns, types, func(declared, t uint32) bool { return declared == t })
	if len(fns) == 1 {
		return &fns[0]
	}
	fns = mostMatches(fns, types, func(declared, t uint32) bool {
		return declared == t || isPreferred(declared) && categoryOf(declared) == categoryOf(t)
	})
	if len(fns) == 1 {
		return &fns[0]
	}
	if unknowns == 0 {
		return nil
	}
	if fns = byCategory(fns, types); len(fns) == 1 {
		return &fns[0]
	}
	if unknowns < len(types) {
		return r.likeTheKnown(fns, types)
	}
	return nil
}

// mostMatches keeps the functions with the most known arguments that match.
func mostMatches(fns []candidate, types []uint32, match func(declared, t uint32) bool) []candidate {
	var kept []candidate
	best := 0
	for _, c := range fns {
		n := 0
		for i, t := range types {
			if t != OIDUnknown && match(c.args[i], t) {
				n++
			}
		}
		if n > best || kept == nil {
			best, kept = n, nil
		}
		if n == best {
			kept = append(kept, c)
		}
	}
	return kept
}

// byCategory decides for each unknown argument what category it should have: strings if any
// function takes one, else the one that all agree on; and keeps what agrees.
func byCategory(fns []candidate, types []uint32) []candidate {
	categories := make([]byte, len(types))
	preferred := make([]bool, len(types))
	for i, t := range types {
		if t != OIDUnknown {
			continue
		}
		conflict := false
		for _, c := range fns {
			switch cat := categoryOf(c.args[i]); {
			case categories[i] == 0, cat != categories[i] && cat == 'S':
				categories[i], preferred[i] = cat, isPreferred(c.args[i])
			case cat == categories[i]:
				preferred[i] = preferred[i] || isPreferred(c.args[i])
			default:
				conflict = true
			}
		}
		if conflict && categories[i] != 'S' {
			return fns
		}
	}
	var kept []candidate
	for _, c := range fns {
		keep := true
		for i, t := range types {
			if t == OIDUnknown && (categoryOf(c.args[i]) != categories[i] || preferred[i] && !isPreferred(c.args[i])) {
				keep = false
			}
		}
		if keep {
			kept = append(kept, c)
		}
	}
	if kept == nil {
		return fns
	}
	return kept
}

// likeTheKnown takes unknown arguments for what the known ones are, if those are all of one type.
func (r *Registry) likeTheKnown(fns []candidate, types []uint32) *candidate {
	known := OIDUnknown
	for _, t := range types {
		if t == OIDUnknown || t == known {
			continue
		}
		if known != OIDUnknown {
			return nil
		}
		known = t
	}
	same := make([]uint32, len(types))
	for i := range same {
		same[i] = known
	}
	fit := r.fitting(fns, same)
	if len(fit) != 1 {
		return nil
	}
	return &fit[0]
}

// chooseOperator is choose with the rule that operators have beside: an unknown argument of a
// binary operator is first taken for the other's type.
func (r *Registry) chooseOperator(fns []candidate, types []uint32) (best *candidate, none bool) {
	if len(types) == 2 && types[0] != types[1] {
		same := []uint32{types[0], types[1]}
		if same[0] == OIDUnknown {
			same[0] = same[1]
		} else if same[1] == OIDUnknown {
			same[1] = same[0]
		}
		for i := range fns {
			if exact(fns[i].args, same) {
				return &fns[i], false
			}
		}
	}
	return r.choose(fns, types)
}

// typesOf are the types of expressions.
func typesOf(args []Expr) []uint32 {
	types := make([]uint32, len(args))
	for i, a := range args {
		types[i] = a.Type().OID
	}
	return types
}

// refsOf are types without modifiers.
func refsOf(oids []uint32) []datum.TypeRef {
	refs := make([]datum.TypeRef, len(oids))
	for i, o := range oids {
		refs[i] = datum.Ref(o)
	}
	return refs
}
