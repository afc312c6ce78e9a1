package blackhole

import "github.com/weirstream/weir/internal/feed"

var _ feed.Forgetful = (*sink)(nil)

// Forgetful implements feed.Forgetful: after a restart of the process the
// changefeed goes on from its own checkpoint.
func (*sink) Forgetful() {}
