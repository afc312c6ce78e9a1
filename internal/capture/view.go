package capture

import (
	"context"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
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

// At finds where an upstream position lies in the channel: everything with a Ts
// <= the result is at or below it, and everything at or below it has a Ts <= the
// result. after is a Ts that is known not to lie above it. It waits until the
// stream has passed the position.
func (s *Source) At(ctx context.Context, after ts.Ts, position []byte) (ts.Ts, error) {
	end, err := s.Passed(ctx, position)
	if err != nil {
		return 0, err
	}
	rd, err := s.channel.Read(after)
	if err != nil {
		return 0, err
	}
	defer rd.Close()
	for {
		b, err := rd.Next(ctx)
		if err != nil {
			return 0, err
		}
		for i := range b.Entries {
			if e := &b.Entries[i]; len(e.Position) > 0 && above(e.Position, position) {
				return e.Ts - 1, nil
			}
		}
		if b.Resolved >= end {
			return end, nil
		}
	}
}
