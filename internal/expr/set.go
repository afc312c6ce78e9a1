package expr

import "github.com/weirstream/weir/internal/zset"

// SetFunc is a set-returning function: generate_series, unnest, regexp_split_to_table,
// json_array_elements and their like.
type SetFunc struct {
	Name   string
	Args   []uint32
	Result uint32
	expand func(env *evaluation, args []*zset.Vec, i int, out *zset.Vec) int
}
