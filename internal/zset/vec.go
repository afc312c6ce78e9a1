package zset

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

// Kind is the physical form of a column's values.
type Kind uint8

// Kinds.
//
//	Int       bool (0, 1), int2, int4, int8, oid, money, date (datum.Date), time,
//	          timestamp, timestamptz (datum.Timestamp), in Ints
//	Float     float4 (rounded to it), float8, in Floats
//	Numeric   numeric, in Nums
//	Interval  interval, in Intervals
//	Bytes     text, varchar, bpchar (blank padded), name: UTF-8; bytea: octets; uuid: 16 octets;
//	          every other type, arrays, json and jsonb: PostgreSQL's canonical text
const (
	Int Kind = iota
	Float
	Numeric
	Interval
	Bytes
)

// KindOf is how values of a type are held.
func KindOf(oid uint32) Kind {
	switch oid {
	case datum.OIDBool, datum.OIDInt2, datum.OIDInt4, datum.OIDInt8, datum.OIDOID, datum.OIDMoney,
		datum.OIDDate, datum.OIDTime, datum.OIDTimestamp, datum.OIDTimestampTZ:
		return Int
	case datum.OIDFloat4, datum.OIDFloat8:
		return Float
	case datum.OIDNumeric:
		return Numeric
	case datum.OIDInterval:
		return Interval
	}
	return Bytes
}

// Ref is where a value of Bytes lies in Vec.Data.
type Ref struct{ Off, Len uint32 }

// Vec is a column of N values of one Kind. Only the slice of its Kind is set.
// The value under a NULL is zero.
type Vec struct {
	Kind      Kind
	N         int
	Nulls     []uint64 // bit i set: value i is NULL; nil: none is
	Ints      []int64
	Floats    []float64
	Nums      []numeric.Num
	Intervals []datum.Interval
	Refs      []Ref
	Data      []byte // of Refs, and the arena of Big Nums; append only, shared by Vecs made from this one
}

// Null tells whether value i is NULL.
func (v *Vec) Null(i int) bool {
	return v.Nulls != nil && v.Nulls[i>>6]&(1<<(i&63)) != 0
}

// Bytes is value i of a Bytes column, borrowed.
func (v *Vec) Bytes(i int) []byte {
	r := v.Refs[i]
	return v.Data[r.Off : r.Off+r.Len : r.Off+r.Len]
}

// Bool is value i of a boolean column.
func (v *Vec) Bool(i int) bool { return v.Ints[i] != 0 }

// Chunk is a batch of weighted rows in columns.
type Chunk struct {
	N    int
	Cols []*Vec
	W    []int64 // nil: every weight is +1
}

// Weight is the weight of row i.
func (c *Chunk) Weight(i int) int64 {
	if c.W == nil {
		return 1
	}
	return c.W[i]
}
