package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
)

// maxShownValue is how much of a value an inspection prints, in bytes.
const maxShownValue = 200

// maxShownChanges is how many changes of one large transaction it prints.
const maxShownChanges = 1000

// VerifyLocal is Programs.VerifyLog for the local log in dir.
func VerifyLocal(_ context.Context, dir string) ([]LogReport, error) {
	found, err := local.Verify(dir)
	if err != nil {
		return nil, err
	}
	out := make([]LogReport, 0, len(found.Channels))
	for _, c := range found.Channels {
		r := LogReport{
			Channel: c.Channel, OK: true, FirstTs: c.First, LastTs: c.Last, Entries: c.Entries,
			Bytes: c.Bytes, Segments: c.Segments, Faults: []string{}, Notes: []string{},
		}
		for _, f := range c.Findings {
			if f.Damage != nil {
				r.OK, r.Faults = false, append(r.Faults, f.String())
			} else {
				r.Notes = append(r.Notes, f.String())
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// InspectLocal is Programs.InspectLog for the local log in dir.
func InspectLocal(ctx context.Context, dir string, which LogSelection, each func(LogEntry) error) error {
	channels := []string{which.Channel}
	if which.Channel == "" {
		var err error
		if channels, err = local.Channels(dir); err != nil {
			return err
		}
	}
	for _, channel := range channels {
		err := local.Inspect(dir, channel, which.After, func(item local.Item) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if item.Damage != nil {
				return each(LogEntry{Channel: channel, Kind: "damage", Damage: item.Damage.Error()})
			}
			e, err := entryOf(dir, channel, item.Entry, which.Changes)
			if err != nil {
				return err
			}
			return each(e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func entryOf(dir, channel string, e *wal.Entry, withChanges bool) (LogEntry, error) {
	out := LogEntry{
		Channel: channel, Ts: e.Ts, Term: e.Term, Position: hex.EncodeToString(e.Position), Xid: e.Xid,
		CommitUs: e.CommitUs, Bytes: int64(len(e.Changes)),
	}
	switch {
	case e.Kind == wal.KindMarker:
		out.Kind, out.Count = "marker", 1
		if withChanges {
			out.Changes = []string{markerText(e.Changes)}
		}
		return out, nil
	case e.Kind != wal.KindTxn:
		out.Kind, out.Count = fmt.Sprintf("kind %q", rune(e.Kind)), -1
		return out, nil
	}
	out.Kind = "transaction"
	if e.Large != nil {
		out.Large, out.Bytes, out.Count = true, e.Large.Bytes, e.Large.Changes
		if !withChanges {
			return out, nil
		}
		var err error
		out.Changes, err = largeChanges(dir, channel, e.Large)
		return out, err
	}
	it := row.Changes(e.Changes)
	for it.Next() {
		out.Count++
		if withChanges {
			out.Changes = append(out.Changes, changeText(&it.Change))
		}
	}
	return out, it.Err()
}

// largeChanges prints the first changes of a large transaction.
func largeChanges(dir, channel string, ref *wal.LargeRef) ([]string, error) {
	parts, err := local.ReadParts(dir, channel, ref)
	if err != nil {
		return nil, err
	}
	defer parts.Close()
	var out []string
	for {
		_, changes, err := parts.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for it := row.Changes(changes); it.Next(); {
			if len(out) == maxShownChanges {
				return append(out, "…"), nil
			}
			out = append(out, changeText(&it.Change))
		}
	}
}

var opNames = map[row.Op]string{
	row.Insert: "insert", row.Update: "update", row.Delete: "delete", row.Read: "read",
	row.Truncate: "truncate", row.SchemaChange: "schema",
}

// changeText prints a change: the table by its id, since names are in the metadata.
func changeText(c *row.Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s table %d version %d", opNames[c.Op], c.Table, c.Version)
	if c.OldKind != row.OldNone {
		b.WriteString(" old ")
		writeTuple(&b, c.Old)
	}
	if c.New != nil {
		b.WriteString(" new ")
		writeTuple(&b, c.New)
	}
	if c.Schema != nil {
		b.WriteByte(' ')
		b.Write(c.Schema)
	}
	return b.String()
}

func writeTuple(b *strings.Builder, t row.Tuple) {
	b.WriteByte('(')
	first := true
	for it := t.Iter(); it.Next(); first = false {
		if !first {
			b.WriteString(", ")
		}
		switch it.State {
		case row.Null:
			b.WriteString("NULL")
		case row.Unchanged:
			b.WriteString("unchanged")
		default:
			b.WriteString(shownValue(it.Value))
		}
	}
	b.WriteByte(')')
}

func shownValue(v []byte) string {
	cut := ""
	if len(v) > maxShownValue {
		v, cut = v[:maxShownValue], "…"
		for len(v) > 0 && !utf8.Valid(v) && len(v) > maxShownValue-utf8.UTFMax {
			v = v[:len(v)-1]
		}
	}
	return fmt.Sprintf("%q%s", v, cut)
}

func markerText(content []byte) string {
	m, err := backfill.DecodeMarker(content)
	if err != nil {
		return fmt.Sprintf("unreadable: %q", bytes.ToValidUTF8(content[:min(len(content), maxShownValue)], []byte("?")))
	}
	return fmt.Sprintf("snapshot of %s: table %d attempt %d chunk %d, reading %d", m.Consumer, m.Table, m.Attempt, m.Chunk, m.Read)
}
