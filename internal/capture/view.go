package capture

import (
	"context"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
)

// Channel is the source's log channel.
func (s *Source) Channel() wal.Channel { return s.channel }

// Schema is one version of a table's shape.
func (s *Source) Schema(table row.TableID, version uint32) (*row.Schema, error) {
	return s.schemas.Schema(table, version)
}

// Locate says for each key tuple how many of the ascending bounds lie below it.
func (s *Source) Locate(ctx context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error) {
	return s.opts.Upstream.Locate(ctx, table, bounds, keys)
}

// Fetch reads one row by its key as it is now upstream.
func (s *Source) Fetch(ctx context.Context, shape *row.Schema, key row.Tuple) (row.Tuple, bool, error) {
	return s.opts.Upstream.Fetch(ctx, shape, key)
}
