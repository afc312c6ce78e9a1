package expr

import (
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// connect computes AND or OR of registers, each valid in its own scope: rows that an earlier
// operand has decided are not in the scope of a later one.
func (ev *evaluation) connect(s *step) *zset.Vec {
	if v := ev.connectPlain(s); v != nil {
		return v
	}
	n := ev.n
	decided := make([]uint64, words(n)) // false of AND, true of OR
	unknown := make([]uint64, words(n))
	for _, b := range s.join {
		v := ev.regs[b.reg]
		if v == nil {
			continue
		}
		value, nulls := ev.truth(v)
		skip := ev.scopes[b.scope]
		for i := range decided {
			t, null, active := value[i], uint64(0), ^uint64(0)
			if nulls != nil {
				null = nulls[i]
			}
			if skip != nil {
				active = ^skip[i]
			}
			if s.do == doAnd {
				t = ^t
			}
			decided[i] |= t &^ null & active
			unknown[i] |= null & active
		}
	}
	out := ev.column(zset.Int, n)
	anyNull := false
	for i := range decided {
		unknown[i] &^= decided[i]
		anyNull = anyNull || unknown[i] != 0
	}
	hit, miss := int64(1), int64(0)
	if s.do == doAnd {
		hit, miss = 0, 1
	}
	for i := range out.Ints {
		if decided[i>>6]>>(i&63)&1 != 0 {
			out.Ints[i] = hit
		} else {
			out.Ints[i] = miss
		}
	}
	if anyNull {
		out.Nulls = unknown
	}
	return out
}

// connectPlain is for operands without NULLs, all in one scope; nil when they are not.
func (ev *evaluation) connectPlain(s *step) *zset.Vec {
	for _, b := range s.join {
		v := ev.regs[b.reg]
		if v == nil || b.scope != s.scope || v.Nulls != nil {
			return nil
		}
	}
	out := ev.column(zset.Int, ev.n)
	start := int64(0)
	if s.do == doAnd {
		start = 1
	}
	for i := range out.Ints {
		out.Ints[i] = start
	}
	for _, b := range s.join {
		v := ev.regs[b.reg]
		mask := argumentOf(v, ev.n).mask
		if s.do == doAnd {
			for i := range out.Ints {
				out.Ints[i] &= v.Ints[i&mask]
			}
		} else {
			for i := range out.Ints {
				out.Ints[i] |= v.Ints[i&mask]
			}
		}
	}
	return out
}

// join puts together a column of which each branch has computed some rows.
func (ev *evaluation) join(s *step) *zset.Vec {
	if v := ev.onlyBranch(s); v != nil {
		return v
	}
	out := ev.column(s.kind, ev.n)
	if s.kind != zset.Bytes && s.kind != zset.Interval {
		zero(out)
	}
	for _, b := range s.join {
		if v := ev.regs[b.reg]; v != nil {
			copyRows(ev.n, out, v, ev.scopes[b.scope])
		}
	}
	return out
}

// onlyBranch is the branch that all rows took, when there is one.
func (ev *evaluation) onlyBranch(s *step) *zset.Vec {
	var only *zset.Vec
	for _, b := range s.join {
		skip := ev.scopes[b.scope]
		if ev.regs[b.reg] == nil || isFull(skip, ev.n) {
			continue
		}
		if only != nil || skip != nil && !isEmpty(skip, ev.n) {
			return nil
		}
		only = ev.regs[b.reg]
	}
	return only
}

// copyRows copies the rows that are not in skip. One value for all rows is stored once.
func copyRows(n int, out, v *zset.Vec, skip []uint64) {
	mask := argumentOf(v, n).mask
	if v.Nulls != nil {
		eachRow(n, skip, func(i int) {
			if v.Null(i & mask) {
				out.SetNull(i)
			}
		})
	}
	switch v.Kind {
	case zset.Int:
		eachRow(n, skip, func(i int) { out.Ints[i] = v.Ints[i&mask] })
	case zset.Float:
		eachRow(n, skip, func(i int) { out.Floats[i] = v.Floats[i&mask] })
	case zset.Interval:
		eachRow(n, skip, func(i int) { out.Intervals[i] = v.Intervals[i&mask] })
	case zset.Numeric:
		eachRow(n, skip, func(i int) { setNum(out, i, v, i&mask) })
	case zset.Bytes:
		copyBytes(n, out, v, mask, skip)
	}
}

// copyBytes shares Data where out has none yet.
func copyBytes(n int, out, v *zset.Vec, mask int, skip []uint64) {
	if mask == 0 {
		off := len(out.Data)
		out.Data = append(out.Data, v.Bytes(0)...)
		ref := zset.Ref{Off: uint32(off), Len: v.Refs[0].Len}
		eachRow(n, skip, func(i int) { out.Refs[i] = ref })
		return
	}
	if len(out.Data) == 0 {
		out.Data = v.Data[:len(v.Data):len(v.Data)]
		eachRow(n, skip, func(i int) { out.Refs[i] = v.Refs[i] })
		return
	}
	eachRow(n, skip, func(i int) {
		off := len(out.Data)
		out.Data = append(out.Data, v.Bytes(i)...)
		out.Refs[i] = zset.Ref{Off: uint32(off), Len: v.Refs[i].Len}
	})
}

// setNum copies a number, with its text when it is Big.
func setNum(out *zset.Vec, i int, v *zset.Vec, k int) {
	num := v.Nums[k]
	if num.Form == numeric.Big {
		num, out.Data = numeric.Copy(out.Data, v.Num(k))
	}
	out.Nums[i] = num
}
