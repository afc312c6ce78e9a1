package types

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

var weirBin string

func TestMain(m *testing.M) { os.Exit(rig.Built(m, &weirBin).Run()) }

const settle = 3 * time.Minute

// streamed is added to the id of a row that is written a second time, while weir
// streams.
const streamed = 1_000_000

var notWord = regexp.MustCompile(`\W+`)

// table is the SQL name of a type's table.
func (ty *typed) table() string {
	spelled := strings.NewReplacer("[]", "_array", "-", "minus").Replace(ty.name)
	return strings.Trim("t_"+notWord.ReplaceAllString(spelled, "_"), "_")
}

// create makes the table: a value, an array of values, and an untouched large
// column beside them, which an update sends as unchanged.
func (ty *typed) create() string {
	array := ""
	if !ty.noArray {
		array = ", a " + ty.name + "[]"
	}
	return fmt.Sprintf("CREATE TABLE %s (id int PRIMARY KEY, v %s%s, big text, n int NOT NULL DEFAULT 0);\nALTER TABLE %[1]s ALTER big SET STORAGE EXTERNAL;\n",
		ty.table(), ty.name, array)
}

// insert writes every value once, the NULLs last, with ids from base on.
func (ty *typed) insert(base int) string {
	var b strings.Builder
	columns, into := "id, v, big", "%d, %s, repeat('unchanged ', 1000)"
	for i, v := range append(ty.values[:len(ty.values):len(ty.values)], "") {
		value := quote(v) + "::" + ty.name
		if i == len(ty.values) {
			if ty.name == "short_text" {
				continue // a domain that is NOT NULL
			}
			value = "NULL"
		}
		if ty.noArray {
			fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES ("+into+");\n", ty.table(), columns, base+i, value)
		} else {
			fmt.Fprintf(&b, "INSERT INTO %s (%s, a) VALUES ("+into+", ARRAY[%[4]s, %[5]s, %[4]s]::%[6]s[]);\n",
				ty.table(), columns, base+i, value, ty.null(), ty.name)
		}
	}
	return b.String()
}

// null is what an array has in its middle.
func (ty *typed) null() string {
	if ty.name == "short_text" {
		return quote("mid")
	}
	return "NULL"
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// TestG7SameBytesBySnapshotAndByStream sends every type through both ways.
func TestG7SameBytesBySnapshotAndByStream(t *testing.T) {
	src, dst := pgtest.Start(t, pgtest.Config("timezone=America/Caracas", "datestyle=SQL, DMY", "intervalstyle=sql_standard", "bytea_output=escape", "extra_float_digits=-15")), pgtest.Start(t)
	sourceURL, targetURL := src.CreateDB(t, "types"), dst.CreateDB(t, "types")
	const plain = "SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; SET standard_conforming_strings = on;\n"
	var create, first, second, touch strings.Builder
	var tables []string
	for i := range catalog {
		ty := &catalog[i]
		tables = append(tables, "public."+ty.table())
		create.WriteString(ty.create())
		first.WriteString(ty.insert(1))
		second.WriteString(ty.insert(streamed + 1))
		// The large column stays as it is: the stream carries it as unchanged.
		fmt.Fprintf(&touch, "UPDATE %s SET n = n + 1 WHERE id %% 2 = 0;\n", ty.table())
	}
	src.Exec(t, "types", plain+definitions+create.String())
	src.Exec(t, "types", plain+first.String())

	files := filepath.Join(t.TempDir(), "files")
	w, err := rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(t.TempDir(), "data")})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", w.Log())
		}
		if err := w.Kill(); err != nil {
			t.Error(err)
		}
	})
	must := func(args ...string) {
		t.Helper()
		if _, err := w.CLI(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	must("source", "create", "types", "--url", sourceURL)
	must("changefeed", "create", "db", "--source", "types", "--tables", "public.*", "--sink", targetURL)
	must("changefeed", "create", "files", "--source", "types", "--tables", "public.*", "--sink", "file://"+files)
	for _, cf := range []string{"db", "files"} {
		if _, err := w.AwaitFeed(t.Context(), cf, settle, func(f rig.Feed) bool { return f.Consistent() }); err != nil {
			t.Fatal(err)
		}
	}
	src.Exec(t, "types", plain+second.String())
	src.Exec(t, "types", touch.String())
	for _, cf := range []string{"db", "files"} {
		if err := w.Wait(t.Context(), cf, settle); err != nil {
			t.Fatal(err)
		}
	}

	diffs, err := rig.Compare(t.Context(), sourceURL, targetURL, tables...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range diffs {
		if !diffs[i].Equal() || diffs[i].Source == 0 {
			t.Errorf("G7: %s", diffs[i].String())
		}
	}
	sameInFiles(t, files)
	must("changefeed", "verify", "db")
}

// sameInFiles compares, in the files, each row that a snapshot read with its
// twin that the stream inserted.
func sameInFiles(t *testing.T, dir string) {
	t.Helper()
	bySnapshot, byStream := map[string]string{}, map[string]string{}
	err := rig.ReadLines(dir, func(l *rig.Line) error {
		images := map[string]map[string]string{"r": nil, "c": nil}
		if _, wanted := images[l.Op]; !wanted {
			return nil
		}
		var row map[string]json.RawMessage
		if err := json.Unmarshal(l.After, &row); err != nil {
			return err
		}
		id, err := strconv.Atoi(string(row["id"]))
		if err != nil {
			return err
		}
		into := bySnapshot
		if id > streamed {
			into, id = byStream, id-streamed
		}
		into[l.Source.Table+" "+strconv.Itoa(id)] = string(withoutID(l.After))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(bySnapshot) == 0 || len(bySnapshot) != len(byStream) {
		t.Errorf("G7: the files have %d rows by snapshot and %d by stream", len(bySnapshot), len(byStream))
	}
	for row, a := range bySnapshot {
		if b := byStream[row]; a != b {
			t.Errorf("G7: %s\n  by snapshot %.300s\n  by stream   %.300s", row, a, b)
		}
	}
}

var idField = regexp.MustCompile(`"id":\d+`)

func withoutID(image []byte) []byte {
	return bytes.TrimSpace(idField.ReplaceAll(image, []byte(`"id":0`)))
}
