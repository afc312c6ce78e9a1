package planrun

import (
	"math"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// hop gives each row once for every window [start, start+Size) that holds its time;
// starts are Slide apart, from Offset.
func hop(n *plan.Hop, in *zset.Chunk) *zset.Chunk {
	out := empty(n)
	v := in.Cols[n.Time]
	for i := range in.N {
		if v.Null(i) {
			continue
		}
		t := v.Ints[i]
		if n.In.Columns()[n.Time].Type.OID == datum.OIDDate {
			t *= 24 * 3600 * 1_000_000
		}
		first := t - n.Size + 1
		start := first - mod(first-n.Offset, n.Slide)
		if start < first {
			start += n.Slide
		}
		for ; start <= t; start += n.Slide {
			for k, c := range in.Cols {
				out.Cols[k].AppendFrom(c, i)
			}
			out.Cols[len(in.Cols)].AppendInt(start)
			out.Cols[len(in.Cols)+1].AppendInt(start + n.Size)
			out.N++
		}
	}
	return out
}

func mod(a, b int64) int64 { return ((a % b) + b) % b }

// projectSet expands set functions side by side; the shorter ones end in NULLs.
func (r *runner) projectSet(n *plan.ProjectSet, in *zset.Chunk) (*zset.Chunk, error) {
	out := empty(n)
	for i := range in.N {
		row := in.Gather([]int32{int32(i)})
		sets, longest := make([]*zset.Vec, len(n.Funcs)), 0
		for k := range n.Funcs {
			f := &n.Funcs[k]
			args, err := r.eval(f.Args, row)
			if err != nil {
				return nil, err
			}
			sets[k] = zset.NewVec(zset.KindOf(f.T.OID), 0)
			types := make([]datum.TypeRef, len(f.Args))
			for i, a := range f.Args {
				types[i] = a.Type()
			}
			count, _, failed := f.Fn.NewExpander(types).Expand(r.env, args.Cols, 0, 0, math.MaxInt32, sets[k])
			if failed != nil {
				return nil, failed
			}
			longest = max(longest, count)
		}
		for at := range longest {
			for k, c := range in.Cols {
				out.Cols[k].AppendFrom(c, i)
			}
			for k, set := range sets {
				if at >= set.N {
					appendOrNull(out.Cols[len(in.Cols)+k], set, -1)
					continue
				}
				out.Cols[len(in.Cols)+k].AppendFrom(set, at)
			}
			if n.Ordinality {
				out.Cols[len(in.Cols)+len(sets)].AppendInt(int64(at) + 1)
			}
			out.N++
		}
	}
	return out, nil
}
