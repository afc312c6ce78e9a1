package pgvalue

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// maxElements bounds an array, as PostgreSQL does.
const maxElements = 134217727

// appendArrayBinary appends dimensions, whether there are NULLs, the element type, then
// each element's length and binary form.
func appendArrayBinary(dst []byte, elem uint32, text []byte) ([]byte, error) {
	a, err := datum.ParseArray(text, datum.Delim(elem))
	if err != nil {
		return dst, fault(datum.CodeInvalidText, "malformed array literal: \"%s\"", text)
	}
	start := len(dst)
	dst = binary.BigEndian.AppendUint32(dst, uint32(a.NDim))
	dst = binary.BigEndian.AppendUint32(dst, 0)
	dst = binary.BigEndian.AppendUint32(dst, elem)
	for _, d := range a.Dims[:a.NDim] {
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Len))
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Lower))
	}
	one := zset.NewVec(zset.KindOf(elem), 1)
	for it := a.Iter(nil); it.Next(); {
		if it.Null {
			binary.BigEndian.PutUint32(dst[start+4:], 1)
			dst = binary.BigEndian.AppendUint32(dst, ^uint32(0))
			continue
		}
		one.Reset()
		if err := AppendValue(one, datum.Ref(elem), it.Value, Options{}); err != nil {
			return dst[:start], err
		}
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		if dst, err = AppendBinary(dst, one, 0, datum.Ref(elem)); err != nil {
			return dst[:start], err
		}
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, nil
}

// binaryArray is the head of an array in binary.
type binaryArray struct {
	dims  []datum.Dim
	total int
	rest  []byte
}

func readArrayHead(b []byte, elem uint32) (a binaryArray, err error) {
	if len(b) < 12 {
		return a, badBinary()
	}
	ndim, flags := be32(b), be32(b[4:])
	switch {
	case ndim > datum.MaxDims:
		return a, fault(datum.CodeProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", ndim, datum.MaxDims)
	case flags > 1:
		return a, fault(datum.CodeInvalidBinary, "invalid array flags")
	case be32(b[8:]) != elem:
		return a, fault("42804", "binary data has array element type %d (%s) instead of expected %d (%s)",
			be32(b[8:]), typeName(be32(b[8:])), elem, typeName(elem))
	}
	a.rest, a.total = b[12:], 1
	for range ndim {
		if len(a.rest) < 8 {
			return a, badBinary()
		}
		d := datum.Dim{Len: int32(be32(a.rest)), Lower: int32(be32(a.rest[4:]))}
		a.rest = a.rest[8:]
		if d.Len < 0 || a.total*int(d.Len) > maxElements || int64(d.Lower)+int64(d.Len) > 1<<31-1 {
			return a, fault(datum.CodeProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxElements)
		}
		a.total *= int(d.Len)
		a.dims = append(a.dims, d)
	}
	if len(a.dims) == 0 {
		a.total = 0
	}
	if a.total > len(a.rest)/4 {
		return a, badBinary()
	}
	return a, nil
}

func arrayFromBinary(v *zset.Vec, elem uint32, mod int32, b []byte) error {
	a, err := readArrayHead(b, elem)
	if err != nil {
		return err
	}
	t := datum.TypeRef{OID: elem, Mod: mod}
	one := zset.NewVec(zset.KindOf(elem), 1)
	w := arrayWriter{dst: v.Data, dims: a.dims, elem: elem}
	off := len(v.Data)
	w.start()
	for range a.total {
		if len(a.rest) < 4 {
			return badBinary()
		}
		size := int32(be32(a.rest))
		a.rest = a.rest[4:]
		if size == -1 {
			w.null()
			continue
		}
		if size < 0 || int(size) > len(a.rest) {
			return badBinary()
		}
		one.Reset()
		if err := ParseBinary(one, t, a.rest[:size]); err != nil {
			return err
		}
		a.rest = a.rest[size:]
		w.value(one)
	}
	if len(a.rest) > 0 {
		return badBinary()
	}
	v.Data = w.finish()
	v.AppendTail(off)
	return nil
}
