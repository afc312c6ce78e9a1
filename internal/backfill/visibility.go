package backfill

import "slices"

// Visibility is a PostgreSQL snapshot (pg_snapshot): the transactions whose
// effects a chunk's rows include. Ids are 64-bit (xid8); the stream carries the
// low 32 bits, which Sees extends by the id nearest to Xmax.
type Visibility struct {
	Xmin uint64   `json:"xmin"`
	Xmax uint64   `json:"xmax"`
	Xip  []uint64 `json:"xip,omitempty"` // in progress, ascending
}

// Sees tells whether a committed transaction is visible.
func (v Visibility) Sees(xid uint64) bool {
	if xid>>32 == 0 {
		xid = extend(uint32(xid), v.Xmax)
	}
	switch {
	case xid < v.Xmin:
		return true
	case xid >= v.Xmax:
		return false
	default:
		_, running := slices.BinarySearch(v.Xip, xid)
		return !running
	}
}

// extend finds the 64-bit id with the given low half that lies nearest to ref:
// live ids are never 2^31 apart.
func extend(low uint32, ref uint64) uint64 {
	delta := int32(low - uint32(ref))
	if delta < 0 && uint64(-int64(delta)) > ref {
		return uint64(low)
	}
	return ref + uint64(int64(delta))
}
