package file

import (
	"bytes"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/weirerr"
)

// manifestName ends other than data files do.
const manifestName = "manifest.ndjson"

// manifest is what the records of a manifest file add up to.
type manifest struct {
	lane  record   // zero when there is no manifest
	term  uint64   // the highest
	files []record // the newest commit of every data file, in order
	last  record   // the newest commit; its End is the position. Zero when there is none
}

func (m *manifest) position() (pos feed.Position, ok bool) {
	return m.last.End.position(), m.last.End != nil
}

// add takes the next record in; the string says what is wrong with it.
func (m *manifest) add(r *record) string {
	switch {
	case m.lane.Kind == "" && r.Kind != kindLane:
		return "does not begin with its lane"
	case r.Kind == kindLane && m.lane.Kind != "":
		return "has two lanes"
	case r.Kind == kindLane:
		m.lane = *r
		return ""
	case r.Term < m.term:
		return "has a record of an older owner after a newer one's"
	}
	m.term = r.Term
	switch {
	case r.Kind == kindTerm:
		return ""
	case r.Kind != kindCommit || r.End == nil:
		return "has a record of an unknown kind"
	case m.last.End != nil && r.End.position().Less(m.last.End.position()):
		return "has a position that goes back"
	}
	m.last = *r
	if r.File == "" {
		return ""
	}
	if n := len(m.files); n > 0 && m.files[n-1].File == r.File {
		m.files[n-1] = *r
	} else {
		m.files = append(m.files, *r)
	}
	return ""
}

// parseManifest reads a manifest file. A reader takes only lines that have their
// newline; an owner, who holds the lock, also a last one without, if it is whole:
// its data is durable, and the owner makes it so again before it goes on. What is
// torn at the end is left out. Anything else that is wrong is damage.
func parseManifest(path string, text []byte, owner bool) (*manifest, error) {
	m := &manifest{}
	for n := 1; len(text) > 0; n++ {
		line, rest, complete := bytes.Cut(text, []byte{'\n'})
		if !complete && !owner {
			break
		}
		if !complete { // the newline itself may be damaged
			line = line[:bytes.LastIndexByte(line, '}')+1]
		}
		r, ok := parseRecord(line)
		if !ok && !complete {
			break
		}
		if !ok {
			return nil, damaged(path, "line %d of the manifest is damaged", n)
		}
		if r.Kind == kindLane && r.Format > formatVersion {
			return nil, weirerr.New(weirerr.FormatTooNew, "the manifest has format %d, this weir knows %d", r.Format, formatVersion).
				With("path", path).Hint("use the newer weir that wrote it")
		}
		if fault := m.add(&r); fault != "" {
			return nil, damaged(path, "the manifest %s, in line %d", fault, n)
		}
		text = rest
	}
	return m, nil
}

// text writes the manifest anew, one record a data file.
func (m *manifest) text() []byte {
	out := append(appendRecord(nil, &m.lane), '\n')
	for i := range m.files {
		out = append(appendRecord(out, &m.files[i]), '\n')
	}
	if m.last.End != nil && m.last.File == "" {
		out = append(appendRecord(out, &m.last), '\n')
	}
	return append(appendRecord(out, &record{Kind: kindTerm, Term: m.term}), '\n')
}
