package expr

func declareRegexpReplace(r *Registry) {
	r.fn("regexp_replace(text,text,text) text", perRow(regexpReplace))
	r.fn("regexp_replace(text,text,text,text) text", perRow(regexpReplace))
	r.fn("regexp_replace(text,text,text,int4) text", perRow(regexpReplaceFrom))
	r.fn("regexp_replace(text,text,text,int4,int4) text", perRow(regexpReplaceFrom))
	r.fn("regexp_replace(text,text,text,int4,int4,text) text", perRow(regexpReplaceFrom))
}

// regexpReplace replaces the first match, or all with the letter g.
func regexpReplace(r *Row) error {
	if r.Len() == 4 && len(r.Bytes(3)) > 0 && r.Bytes(3)[0] >= '0' && r.Bytes(3)[0] <= '9' {
		_, err := regexpFlags(r.Bytes(3))
		return withHint(asError(err), "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
	}
	p, err := r.pattern(1, 3)
	if err != nil {
		return err
	}
	n := int64(1)
	if p.flags.Global {
		n = 0
	}
	return r.replaced(p, 0, n)
}

// regexpReplaceFrom replaces the nth match from a character on, all when n is 0.
func regexpReplaceFrom(r *Row) error {
	at, err := r.startAt(3)
	if err != nil {
		return err
	}
	n, err := r.intArg(4, "n", 1, 0)
	if err != nil {
		return err
	}
	p, err := r.pattern(1, 5)
	if err != nil {
		return err
	}
	if r.Len() == 4 && p.flags.Global {
		n = 0
	}
	return r.replaced(p, at, n)
}

// replaced writes argument 0 with its nth match replaced (0: all of them).
func (r *Row) replaced(p *pattern, at int, n int64) error {
	s, with := r.Bytes(0), r.Bytes(2)
	dst, end := r.data(), 0
	start := len(dst)
	var all [][]int
	switch {
	case at > len(s):
	case n == 1:
		if p.loc = p.Find(p.loc, s, at); p.loc != nil {
			all = [][]int{p.loc}
		}
	default:
		all = p.All(s, at)
	}
	for i, loc := range all {
		if n > 0 && int64(i+1) != n {
			continue
		}
		dst = appendReplacement(append(dst, s[end:loc[0]]...), with, s, loc)
		end = loc[1]
		if len(dst)-start > maxValue {
			return errTooLong
		}
	}
	r.set(append(dst, s[end:]...))
	return nil
}

// appendReplacement appends a replacement's text: \1 to \9 are groups, \& the match, \\ a backslash.
func appendReplacement(dst, with, s []byte, loc []int) []byte {
	for i := 0; i < len(with); i++ {
		c := with[i]
		if c != '\\' || i+1 == len(with) {
			dst = append(dst, c)
			continue
		}
		i++
		group := -1
		switch c = with[i]; {
		case c >= '1' && c <= '9':
			group = int(c - '0')
		case c == '&':
			group = 0
		case c == '\\':
			dst = append(dst, c)
			continue
		default:
			dst = append(dst, '\\', c)
			continue
		}
		if 2*group < len(loc) && loc[2*group] >= 0 {
			dst = append(dst, s[loc[2*group]:loc[2*group+1]]...)
		}
	}
	return dst
}
