package planrun

import (
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// join pairs the rows of l and r whose keys are equal, then asks the residual about each pair.
func (r *runner) join(n *plan.Join, l, rt *zset.Chunk) (*zset.Chunk, error) {
	if n.Kind == plan.NullAnti {
		return nullAnti(n, l, rt), nil
	}
	var li, ri []int32
	rows := matchable(n, rt, n.RKeys)
	for i, k := range keysOf(n, l, n.LKeys) {
		if k == "" {
			continue
		}
		for _, j := range rows[k] {
			li, ri = append(li, int32(i)), append(ri, j)
		}
	}
	if n.Residual != nil {
		pairs := beside(l.Gather(li), rt.Gather(ri))
		sel, err := r.residual(n, pairs)
		if err != nil {
			return nil, err
		}
		li, ri = pick(li, sel), pick(ri, sel)
	}
	matchedL, matchedR := make([]bool, l.N), make([]bool, rt.N)
	for k := range li {
		matchedL[li[k]], matchedR[ri[k]] = true, true
	}
	if n.Kind == plan.Semi || n.Kind == plan.Anti {
		return l.Gather(where(matchedL, n.Kind == plan.Semi)), nil
	}
	out := empty(n)
	for k := range li {
		appendPair(out, l, rt, int(li[k]), int(ri[k]))
	}
	if n.Kind == plan.Left || n.Kind == plan.Full {
		for _, i := range where(matchedL, false) {
			appendPair(out, l, rt, int(i), -1)
		}
	}
	if n.Kind == plan.Right || n.Kind == plan.Full {
		for _, j := range where(matchedR, false) {
			appendPair(out, l, rt, -1, int(j))
		}
	}
	return out, nil
}

// keysOf has each row's key; "" for one that matches nothing, for a NULL in it.
func keysOf(n *plan.Join, c *zset.Chunk, cols []int) []string {
	out := make([]string, c.N)
	for i := range out {
		none := false
		for k, col := range cols {
			none = none || !n.NullSafe[k] && c.Cols[col].Null(i)
		}
		if !none {
			out[i] = "=" + key(c, cols, i)
		}
	}
	return out
}

// matchable are the rows by key.
func matchable(n *plan.Join, c *zset.Chunk, cols []int) map[string][]int32 {
	rows := map[string][]int32{}
	for i, k := range keysOf(n, c, cols) {
		rows[k] = append(rows[k], int32(i))
	}
	return rows
}

func (r *runner) residual(n *plan.Join, pairs *zset.Chunk) ([]int32, error) {
	ids := zset.NewVec(zset.Int, pairs.N)
	for i := range pairs.N {
		ids.AppendInt(int64(i))
	}
	c := &zset.Chunk{N: pairs.N, Cols: append(pairs.Cols[:len(pairs.Cols):len(pairs.Cols)], ids)}
	kept, err := r.filter(n.Residual, c)
	if err != nil {
		return nil, err
	}
	sel := make([]int32, kept.N)
	for i := range sel {
		sel[i] = int32(kept.Cols[len(kept.Cols)-1].Ints[i])
	}
	return sel, nil
}

func beside(l, r *zset.Chunk) *zset.Chunk {
	return &zset.Chunk{N: l.N, Cols: append(l.Cols[:len(l.Cols):len(l.Cols)], r.Cols...)}
}

func pick(s, sel []int32) []int32 {
	out := make([]int32, len(sel))
	for i, k := range sel {
		out[i] = s[k]
	}
	return out
}

func where(set []bool, want bool) (sel []int32) {
	for i, b := range set {
		if b == want {
			sel = append(sel, int32(i))
		}
	}
	return sel
}

// appendPair appends a row of l beside one of r; -1 stands for NULLs.
func appendPair(out, l, r *zset.Chunk, i, j int) {
	for k, v := range l.Cols {
		appendOrNull(out.Cols[k], v, i)
	}
	for k, v := range r.Cols {
		appendOrNull(out.Cols[len(l.Cols)+k], v, j)
	}
	out.N++
}

func appendOrNull(dst, src *zset.Vec, i int) {
	if i < 0 {
		dst.AppendNull()
		return
	}
	dst.AppendFrom(src, i)
}

// nullAnti keeps the rows of l for which keys NOT IN (r) is true: every row of r
// differs for certain, in some column where neither side is NULL.
func nullAnti(n *plan.Join, l, r *zset.Chunk) *zset.Chunk {
	var sel []int32
	for i := range l.N {
		keep := true
		for j := range r.N {
			differs := false
			for k := range n.LKeys {
				a, b := []int{n.LKeys[k]}, []int{n.RKeys[k]}
				differs = differs || !hasNull(l, a, i) && !hasNull(r, b, j) && key(l, a, i) != key(r, b, j)
			}
			keep = keep && differs
		}
		if keep {
			sel = append(sel, int32(i))
		}
	}
	return l.Gather(sel)
}
