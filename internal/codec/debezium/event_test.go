package debezium

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// tuple makes a row image: NULL and ~ (unchanged) are words of their own.
func tuple(words ...string) row.Tuple {
	t := row.AppendTupleHeader(nil, len(words))
	for _, w := range words {
		switch w {
		case "NULL":
			t = row.AppendNull(t)
		case "~":
			t = row.AppendUnchanged(t)
		default:
			t = row.AppendValue(t, []byte(w))
		}
	}
	return t
}

func users(identity row.Identity) *row.Schema {
	return &row.Schema{Table: 16384, Version: 1, Namespace: "public", Name: "users", Identity: identity, Columns: []row.Column{
		{ID: 1, Name: "id", Type: datum.OIDInt4, Typmod: -1, Key: true, NotNull: true},
		{ID: 2, Name: "name", Type: datum.OIDText, Typmod: -1, NotNull: true},
		{ID: 3, Name: `od"d`, Type: datum.OIDNumeric, Typmod: numericMod(5, 2)},
	}}
}

var testInfo = Info{NowNs: 1709210096790123456, CommitUs: 1709210096789012, Xid: 571, LSN: 53195829, LastLSN: 53195700}

// The script's commands are changes; the output is every event's key and value.
//
//	insert|read|update|delete|truncate [identity=full] [keyless] [schemas] [snapshot=true]
//	old: words
//	new: words
func TestGolden(t *testing.T) {
	datadriven.RunTest(t, "testdata/events", func(t *testing.T, d *datadriven.TestData) string {
		s, info := users(row.IdentityDefault), testInfo
		if d.HasArg("identity") {
			s.Identity = row.IdentityFull
		}
		if d.HasArg("keyless") {
			s.Columns[0].Key = false
		}
		if d.HasArg("snapshot") {
			info = Info{NowNs: info.NowNs, CommitUs: info.CommitUs, Snapshot: InSnapshot}
		}
		e, err := New(Options{Source: Source{Version: "0.1.0", Name: "shop", DB: "inventory"}, Schemas: d.HasArg("schemas")})
		if err != nil {
			t.Fatal(err)
		}
		return tellAll(t, e, parseChange(t, d, s), s, &info, d.HasArg("schemas"))
	})
}

func parseChange(t *testing.T, d *datadriven.TestData, s *row.Schema) *row.Change {
	ops := map[string]row.Op{"insert": row.Insert, "read": row.Read, "update": row.Update, "delete": row.Delete, "truncate": row.Truncate}
	c := &row.Change{Op: ops[d.Cmd], Table: s.Table, Version: s.Version}
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		side, words, _ := strings.Cut(line, ": ")
		switch side {
		case "old":
			c.Old, c.OldKind = tuple(strings.Fields(words)...), row.OldKey
			if s.Identity == row.IdentityFull {
				c.OldKind = row.OldFull
			}
		case "new":
			c.New = tuple(strings.Fields(words)...)
		case "":
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	return c
}

func tellAll(t *testing.T, e *Encoder, c *row.Change, s *row.Schema, in *Info, indent bool) string {
	var out strings.Builder
	for _, ev := range Events(c, s) {
		key, err := e.AppendKey(nil, ev, c, s)
		value, err2 := e.AppendValue(nil, ev, c, s, in)
		if err != nil || err2 != nil {
			return fmt.Sprintf("error: %v\n", errors.Join(err, err2))
		}
		for _, b := range [][]byte{key, value} {
			if !json.Valid(b) || bytes.ContainsRune(b, '\n') {
				t.Errorf("not one line of JSON: %s", b)
			}
			if indent {
				var nice bytes.Buffer
				json.Indent(&nice, b, "", "  ")
				b = nice.Bytes()
			}
			fmt.Fprintf(&out, "%s\n", b)
		}
		if ev.Tombstone() {
			out.WriteString("tombstone\n")
		}
	}
	return out.String()
}

func TestErrorsNameTableAndColumnAndLeaveTheBufferAsItWas(t *testing.T) {
	e, _ := New(Options{})
	s := users(row.IdentityDefault)
	for _, c := range []row.Change{
		{Op: row.Insert, New: tuple("1", "a", "bad")},
		{Op: row.Insert, New: tuple("1", "a")},
		{Op: row.Insert, New: tuple("1", "a", "1", "2")},
		{Op: row.Insert, New: row.Tuple("\x03\xff")},
		{Op: row.Insert},
	} {
		buf, err := e.AppendValue([]byte("kept"), Create, &c, s, &testInfo)
		if weirerr.CodeOf(err) != weirerr.BadRow || !strings.Contains(err.Error(), "public.users") || string(buf) != "kept" {
			t.Errorf("%x: %q, %v", c.New, buf, err)
		}
	}
	_, err := e.AppendValue(nil, Create, &row.Change{Op: row.Insert, New: tuple("1", "a", "bad")}, s, &testInfo)
	if !strings.Contains(err.Error(), `column od"d`) || !strings.Contains(err.Error(), `"bad"`) {
		t.Errorf("the error does not name column and value: %v", err)
	}
	if buf, err := e.AppendKey([]byte("kept"), Create, &row.Change{Op: row.Insert, New: tuple("x", "a", "1")}, s); err == nil || string(buf) != "kept" {
		t.Errorf("%q, %v", buf, err)
	}
}

func TestANewVersionOfATableIsWrittenInItsShape(t *testing.T) {
	e, _ := New(Options{})
	v1, v2 := users(row.IdentityDefault), users(row.IdentityDefault)
	v2.Version, v2.Columns = 2, v2.Columns[:1]
	for _, c := range []struct {
		s    *row.Schema
		new  row.Tuple
		want string
	}{
		{v1, tuple("1", "a", "NULL"), `"after":{"id":1,"name":"a","od\"d":null}`},
		{v2, tuple("2"), `"after":{"id":2}`},
		{v1, tuple("3", "c", "NULL"), `"after":{"id":3,"name":"c","od\"d":null}`}, // a snapshot's rows may be older
	} {
		got, err := e.AppendValue(nil, Create, &row.Change{Op: row.Insert, New: c.new}, c.s, &testInfo)
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
}

func TestSchemaChangesAreNotEvents(t *testing.T) {
	if ev := Events(&row.Change{Op: row.SchemaChange}, users(row.IdentityDefault)); len(ev) != 0 {
		t.Errorf("%s", ev)
	}
}
