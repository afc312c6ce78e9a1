package op

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// Group is how much of an entry's key, from the prefix on, its group has: the
// entries of a group follow each other.
func (s *Stored) Group(key []byte) ([]byte, error) {
	if s.Key == nil || len(key) < arrange.PrefixLen {
		return key, nil
	}
	rest := key[arrange.PrefixLen:]
	for _, c := range s.Key {
		var err error
		if rest, err = zset.SkipKey(s.Kinds[c], rest, zset.Order{}); err != nil {
			return nil, err
		}
	}
	return key[:len(key)-len(rest)], nil
}

// AppendGroup appends prefix and group of the entry of row i of c, which has all columns.
func (s *Stored) AppendGroup(dst []byte, c *zset.Chunk, i int) []byte {
	if s.Key == nil {
		bucket := arrange.BucketOf(arrange.Hash(appendRowKey(nil, c.Cols, i)))
		row := zset.AppendExactRow(nil, c.Cols, i)
		return append(arrange.AppendPrefix(dst, bucket, arrange.Hash(row)), row...)
	}
	var key []byte
	for _, k := range s.Key {
		key = zset.AppendKey(key, c.Cols[k], i, zset.Order{})
	}
	return arrange.AppendGroup(dst, key)
}
