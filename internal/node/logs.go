package node

import (
	"strings"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/wal"
)

// logs tells about the channels. It implements control.Log.
type logs struct {
	log  wal.Log
	pins *pins
}

var _ control.Log = (*logs)(nil)

// Channels implements control.Log.
func (l *logs) Channels() ([]control.ChannelStatus, error) {
	names, err := l.log.Channels()
	if err != nil {
		return nil, err
	}
	var all []control.ChannelStatus
	for _, name := range names {
		channel, err := l.log.Channel(name)
		if err != nil {
			return nil, err
		}
		all = append(all, l.describe(channel))
	}
	return all, nil
}

func (l *logs) describe(channel wal.Channel) control.ChannelStatus {
	st := channel.Status()
	out := control.ChannelStatus{
		Channel: channel.Name(), Term: st.Term, FirstTs: st.First, LastTs: st.Durable, ResolvedTs: st.Resolved,
		TruncatedTs: st.Truncated, Bytes: st.Bytes, Segments: st.Segments, Repaired: st.Repaired, Pins: []control.Pin{},
	}
	if capture.IsSourceChannel(channel.Name()) {
		out.Source = strings.TrimPrefix(channel.Name(), capture.ChannelName(""))
	}
	c := l.pins.of(channel.Name())
	if c == nil {
		return out
	}
	kept := c.Status()
	out.CheckpointTs = kept.Checkpoint
	for _, h := range kept.Pins {
		out.Pins = append(out.Pins, control.Pin{Owner: h.Owner, Ts: h.Ts, Since: h.Since, Bytes: h.Bytes})
	}
	if len(out.Pins) > 0 {
		out.Holder = &out.Pins[0]
	}
	return out
}
