package op

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// Group is how much of an entry's key, from the bucket on, its group has: the
// entries of a group follow each other.
func (s *Stored) Group(key []byte) ([]byte, error) {
	if s.Key == nil || len(key) == 0 {
		return key, nil
	}
	rest := key[1:]
	for _, c := range s.Key {
		var err error
		if rest, err = zset.SkipKey(s.Kinds[c], rest, zset.Order{}); err != nil {
			return nil, err
		}
	}
	return key[:len(key)-len(rest)], nil
}

// AppendGroup appends bucket and group of the entry of row i of c, which has all columns.
func (s *Stored) AppendGroup(dst []byte, c *zset.Chunk, i int) []byte {
	at := len(dst)
	dst = append(dst, 0)
	if s.Key == nil {
		dst[at] = arrange.BucketOf(arrange.Hash(appendRowKey(nil, c.Cols, i)))
		return zset.AppendExactRow(dst, c.Cols, i)
	}
	for _, k := range s.Key {
		dst = zset.AppendKey(dst, c.Cols[k], i, zset.Order{})
	}
	dst[at] = arrange.BucketOf(arrange.Hash(dst[at+1:]))
	return dst
}
