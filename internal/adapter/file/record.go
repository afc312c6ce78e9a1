package file

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/ts"
)

// formatVersion is of the manifest; a newer one is refused.
const formatVersion = 1

// Kinds of record.
const (
	kindLane   = "lane"   // the first: whose manifest this is
	kindTerm   = "term"   // an owner took over
	kindCommit = "commit" // the commit point of everything up to its position
)

// record is one line of the manifest. Its last member, crc, is the CRC-32C of all
// bytes before it, so a line is checked without knowing its members.
type record struct {
	Kind string `json:"kind"`

	// Of a lane.
	Format      int    `json:"format,omitempty"`
	Cluster     string `json:"cluster,omitempty"`
	Changefeed  string `json:"changefeed,omitempty"`
	Incarnation uint64 `json:"incarnation,omitempty"`
	Lane        int    `json:"lane,omitempty"`

	Term uint64 `json:"term,omitempty"`

	// Of a commit: the position, and the upstream LSNs of the newest transaction and
	// the one before.
	End     *place `json:"end,omitempty"`
	LSN     uint64 `json:"lsn,omitempty"`
	LastLSN uint64 `json:"last_lsn,omitempty"`
	// The data file it ends in, and what counts of it since its beginning. A commit
	// without data has no file.
	File  string `json:"file,omitempty"`
	Begin *place `json:"begin,omitempty"`
	Lines int64  `json:"lines,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
	CRC32 uint32 `json:"crc32c,omitempty"` // of those bytes
}

// place is a feed.Position; Ts is a string, since JSON's numbers end at 53 bits.
type place struct {
	Ts     uint64 `json:"ts,string"`
	Offset uint64 `json:"offset,omitempty"`
}

func placeOf(p feed.Position) *place { return &place{uint64(p.Ts), p.Offset} }

func (p *place) position() feed.Position {
	if p == nil {
		return feed.Position{}
	}
	return feed.Position{Ts: ts.Ts(p.Ts), Offset: p.Offset}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const crcLabel = `,"crc":"`

// appendRecord appends the record's line, without the newline.
func appendRecord(dst []byte, r *record) []byte {
	start := len(dst)
	text, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("file: a record of plain fields cannot be encoded: %v", err))
	}
	dst = append(dst, text[:len(text)-1]...)
	sum := crc32.Checksum(dst[start:], castagnoli)
	return fmt.Appendf(dst, `%s%08x"}`, crcLabel, sum)
}

// parseRecord reads a line; false when it is damaged or torn.
func parseRecord(line []byte) (r record, ok bool) {
	const tail = len(crcLabel) + 8 + len(`"}`)
	cut := len(line) - tail
	if cut <= 0 || !bytes.HasPrefix(line[cut:], []byte(crcLabel)) || string(line[len(line)-2:]) != `"}` {
		return r, false
	}
	want := fmt.Sprintf("%08x", crc32.Checksum(line[:cut], castagnoli))
	if string(line[cut+len(crcLabel):len(line)-2]) != want {
		return r, false
	}
	return r, json.Unmarshal(line, &r) == nil
}

// fileName names a data file so that names sort as positions do: a whole entry
// ("end") comes after every offset inside it.
func fileName(begin feed.Position, term uint64) string {
	offset := "end"
	if begin.Offset > 0 {
		offset = fmt.Sprintf("%012d", begin.Offset)
	}
	return fmt.Sprintf("%020d-%s-t%d%s", uint64(begin.Ts), offset, term, dataSuffix)
}

const dataSuffix = ".ndjson"
