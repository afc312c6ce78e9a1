package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

func declareRegexpMatch(r *Registry) {
	match := perRow(regexpMatch)
	r.fn("regexp_match(text,text) text[]", match)
	r.fn("regexp_match(text,text,text) text[]", match)
	split := perRow(func(r *Row) error {
		parts, err := regexpSplit(r, "regexp_split_to_array")
		if err == nil {
			r.setArray(list(datum.OIDText, parts))
		}
		return err
	})
	r.fn("regexp_split_to_array(text,text) text[]", split)
	r.fn("regexp_split_to_array(text,text,text) text[]", split)
	r.fn("regexp_count(text,text) int4", perRow(regexpCount))
	r.fn("regexp_count(text,text,int4) int4", perRow(regexpCount))
	r.fn("regexp_count(text,text,int4,text) int4", perRow(regexpCount))
	signature, instr, substr := "(text,text", perRow(regexpInstr), slicingOrNull(regexpSubstr)
	for _, more := range []string{"", ",int4", ",int4", ",int4", ",text", ",int4"} {
		signature += more
		r.fn("regexp_instr"+signature+") int4", instr)
	}
	signature = "(text,text"
	for _, more := range []string{"", ",int4", ",int4", ",text", ",int4"} {
		signature += more
		r.fn("regexp_substr"+signature+") text", substr)
	}
	matches := func(s *site) func(r *Row) error { return regexpMatches }
	r.set("regexp_matches(text,text) text[]", matches)
	r.set("regexp_matches(text,text,text) text[]", matches)
	table := func(s *site) func(r *Row) error {
		return func(r *Row) error {
			parts, err := regexpSplit(r, "regexp_split_to_table")
			if err == nil {
				r.out.AppendAll(parts)
			}
			return err
		}
	}
	r.set("regexp_split_to_table(text,text) text", table)
	r.set("regexp_split_to_table(text,text,text) text", table)
}

// groups are the texts of a match's groups, or of the match when it has none.
func groups(s []byte, loc []int) array {
	if len(loc) > 2 {
		loc = loc[2:]
	}
	v := zset.NewVec(zset.Bytes, len(loc)/2)
	for i := 0; i < len(loc); i += 2 {
		if loc[i] < 0 {
			v.AppendNull()
		} else {
			v.AppendBytes(s[loc[i]:loc[i+1]])
		}
	}
	return list(datum.OIDText, v)
}

func regexpMatch(r *Row) error {
	p, err := r.pattern(1, 2)
	if err == nil {
		err = noGlobal(p.flags, "regexp_match", "Use the regexp_matches function instead.")
	}
	if err != nil {
		return err
	}
	p.loc = p.Find(p.loc, r.Bytes(0), 0)
	if p.loc == nil {
		r.SetNull()
		return nil
	}
	r.setArray(groups(r.Bytes(0), p.loc))
	return nil
}

// regexpMatches gives one row for the first match, or for each with the letter g.
func regexpMatches(r *Row) error {
	p, err := r.pattern(1, 2)
	if err != nil {
		return err
	}
	s := r.Bytes(0)
	var all [][]int
	if p.flags.Global {
		all = p.All(s, 0)
	} else if loc := p.Find(nil, s, 0); loc != nil {
		all = [][]int{loc}
	}
	for _, loc := range all {
		a := groups(s, loc)
		r.out.AppendBytes(a.append(nil))
	}
	return nil
}

// regexpSplit is what is between the matches. Matches of nothing count only within the text, and not right after another.
func regexpSplit(r *Row, name string) (*zset.Vec, error) {
	p, err := r.pattern(1, 2)
	if err == nil {
		err = noGlobal(p.flags, name, "")
	}
	if err != nil {
		return nil, err
	}
	s, out, end := r.Bytes(0), zset.NewVec(zset.Bytes, 4), 0
	for _, loc := range p.All(s, 0) {
		if loc[0] == loc[1] && (loc[0] == end || loc[0] >= len(s)) {
			continue
		}
		out.AppendBytes(s[end:loc[0]])
		end = loc[1]
	}
	out.AppendBytes(s[end:])
	return out, nil
}

// intArg is argument k, or what it is when not given; less than least is an error that names it.
func (r *Row) intArg(k int, name string, otherwise, least int64) (int64, error) {
	if k >= r.Len() {
		return otherwise, nil
	}
	if v := r.Int(k); v >= least {
		return v, nil
	}
	return 0, rowFail(sql.InvalidParameter, "invalid value for parameter \"%s\": %d", name, r.Int(k))
}

// startAt is the octet where the character of argument k begins; beyond the end it is past the text.
func (r *Row) startAt(k int) (at int, err error) {
	start, err := r.intArg(k, "start", 1, 1)
	if err != nil {
		return 0, err
	}
	s := r.Bytes(0)
	if n := int64(charCount(s)); start > n+1 {
		return len(s) + 1, nil
	}
	return charEnd(s, int(start-1)), nil
}

func regexpCount(r *Row) error {
	at, err := r.startAt(2)
	if err != nil {
		return err
	}
	p, err := r.pattern(1, 3)
	if err == nil {
		err = noGlobal(p.flags, "regexp_count", "")
	}
	if err == nil && at <= len(r.Bytes(0)) {
		r.SetInt(int64(len(p.All(r.Bytes(0), at))))
	}
	return err
}

// nth is the bounds of group sub (0: all) of the nth match, both counted from 1; -1 when there is none.
func (r *Row) nth(p *pattern, at int, n, sub int64) (lo, hi int) {
	if at > len(r.Bytes(0)) || sub > int64(p.Groups()) {
		return -1, -1
	}
	all := p.All(r.Bytes(0), at)
	if n > int64(len(all)) {
		return -1, -1
	}
	loc := all[n-1]
	return loc[2*sub], loc[2*sub+1]
}

func regexpInstr(r *Row) error {
	at, err := r.startAt(2)
	if err != nil {
		return err
	}
	n, err := r.intArg(3, "n", 1, 1)
	if err != nil {
		return err
	}
	end, err := r.intArg(4, "endoption", 0, 0)
	if err == nil && end > 1 {
		err = rowFail(sql.InvalidParameter, "invalid value for parameter \"endoption\": %d", end)
	}
	if err != nil {
		return err
	}
	sub, err := r.intArg(6, "subexpr", 0, 0)
	if err != nil {
		return err
	}
	p, err := r.pattern(1, 5)
	if err == nil {
		err = noGlobal(p.flags, "regexp_instr", "")
	}
	if err != nil {
		return err
	}
	if lo, hi := r.nth(p, at, n, sub); lo >= 0 {
		if end == 1 {
			lo = hi
		}
		r.SetInt(int64(charCount(r.Bytes(0)[:lo])) + 1)
	}
	return nil
}

func regexpSubstr(r *Row, _ []byte) (lo, hi int, err error) {
	at, err := r.startAt(2)
	if err != nil {
		return 0, 0, err
	}
	n, err := r.intArg(3, "n", 1, 1)
	if err != nil {
		return 0, 0, err
	}
	sub, err := r.intArg(5, "subexpr", 0, 0)
	if err != nil {
		return 0, 0, err
	}
	p, err := r.pattern(1, 4)
	if err == nil {
		err = noGlobal(p.flags, "regexp_substr", "")
	}
	if err != nil {
		return 0, 0, err
	}
	lo, hi = r.nth(p, at, n, sub)
	return lo, hi, nil
}

// groupFunc is (regexp_match(text, pattern))[n] without an array in between; nil when call is no such call.
func groupFunc(call Expr) *Func {
	c, ok := call.(*Call)
	if !ok || c.Fn.Name != "regexp_match" {
		return nil
	}
	n := len(c.Args) // the index follows the arguments
	return &Func{
		Name: "regexp_match element", Args: append(append([]uint32{}, c.Fn.Args...), datum.OIDInt4), Result: datum.OIDText, Strict: true,
		build: slicingOrNull(func(r *Row, s []byte) (int, int, error) {
			p, err := r.pattern(1, flagsBefore(n))
			if err == nil {
				err = noGlobal(p.flags, "regexp_match", "Use the regexp_matches function instead.")
			}
			if err != nil {
				return 0, 0, err
			}
			p.loc = p.Find(p.loc, s, 0)
			i := r.Int(n)
			if p.Groups() == 0 {
				i--
			}
			if p.loc == nil || i < 0 || i >= int64(len(p.loc)/2) || i == 0 && p.Groups() > 0 {
				return -1, -1, nil
			}
			return p.loc[2*i], p.loc[2*i+1], nil
		}),
	}
}

// flagsBefore is the argument with the option letters, -1 when there are but text and pattern.
func flagsBefore(n int) int {
	if n == 3 {
		return 2
	}
	return -1
}
