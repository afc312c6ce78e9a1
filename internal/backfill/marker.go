package backfill

import (
	"encoding/json"
	"fmt"

	"github.com/weirstream/weir/internal/row"
)

// Marker says, in a source's channel, where one chunk of a consumer's snapshot
// takes effect: right after the snapshot was taken, while the rows are still
// being read. They follow on the consumer's side channel, as the outcome of Read,
// unless the reading fails: then the marker is void.
type Marker struct {
	Consumer string      `json:"consumer"` // changefeed id and incarnation, see Consumer
	Table    row.TableID `json:"table"`
	// Attempt counts the table's snapshots: a TRUNCATE in the middle begins a new one.
	Attempt int `json:"attempt"`
	// Chunk is the chunk's index in key order, from 0.
	Chunk   int        `json:"chunk"`
	Lo      row.Tuple  `json:"lo,omitempty"` // exclusive; nil: open
	Hi      row.Tuple  `json:"hi,omitempty"` // inclusive; nil: open, the last chunk
	Version uint32     `json:"version"`      // of the schema the rows are in
	Visible Visibility `json:"visible"`
	// End: transactions whose position lies above it are not visible to the chunk.
	End []byte `json:"end"`
	// Read names this reading of the chunk; no other ever has the same.
	Read uint64 `json:"read"`
}

// Encode gives the bytes of a KindMarker entry.
func (m *Marker) Encode() []byte {
	b, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("backfill: a marker always encodes: %v", err))
	}
	return b
}

// DecodeMarker reads a KindMarker entry.
func DecodeMarker(b []byte) (Marker, error) {
	var m Marker
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("backfill: malformed marker: %w", err)
	}
	return m, nil
}
