package op

import (
	"time"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// PrintRows makes a RowPrinter for rows of these types: (1, two, NULL). Columns that a chunk does
// not have (nil) are left out.
func PrintRows(types []datum.TypeRef, zone *time.Location) RowPrinter {
	o := pgvalue.Options{Zone: zone}
	return func(dst []byte, in *zset.Chunk, i int) []byte {
		dst = append(dst, '(')
		first := true
		for k, v := range in.Cols {
			if v == nil || k >= len(types) {
				continue
			}
			if !first {
				dst = append(dst, ", "...)
			}
			first = false
			if v.Null(i) {
				dst = append(dst, "NULL"...)
			} else {
				dst = pgvalue.AppendText(dst, v, i, types[k], o)
			}
		}
		return append(dst, ')')
	}
}
