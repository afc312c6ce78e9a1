package pgwire_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
)

// table prints the committed rows.
func (w *world) table() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, r := range w.rows {
		if r.z {
			fmt.Fprintf(&b, "%d NULL;", r.a)
		} else {
			fmt.Fprintf(&b, "%d %q;", r.a, r.b)
		}
	}
	return b.String()
}

// pieces gives its data a few bytes a read.
type pieces struct {
	data []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, fmt.Errorf("EOF")
	}
	n := copy(b[:min(p.n, len(b))], p.data)
	p.data = p.data[n:]
	return n, nil
}

func TestCopyFrom(t *testing.T) {
	for _, c := range []struct{ how, data, want string }{
		{"text", "1\tone\n2\t\\N\n3\t\n", `1 "one";2 NULL;3 "";`},
		{"text", "1\ta\\tb\\\\c\\n\\x41\\101\\q\\\n\n2\tend", `1 "a\tb\\c\nAAq\n";2 "end";`},
		{"text", "1\tone\r\n2\ttwo\r\n", `1 "one";2 "two";`},
		{"text", "1\tone\n\\.\nrubbish", `1 "one";`},
		{"text", "", ``},
		{"text delimiter=| null=-", "1|a\\|b\n2|-\n3|\\N\n", `1 "a|b";2 NULL;3 "N";`},
		{"text header=true", "a\tb\n1\tx\n", `1 "x";`},
		{"text header=match", "a\tb\n1\tx\n", `1 "x";`},
		{"csv", "1,one\n2,\n3,\"\"\n4,\"a,b\"\"c\nd\"\n", `1 "one";2 NULL;3 "";4 "a,b\"c\nd";`},
		{"csv", "1,\"x\"y\"z\"\r\n2,w\r\n", `1 "xyz";2 "w";`},
		{"csv header=on quote=' escape=\\", "a,b\n1,'it\\'s'\n2,'a\\\\'\n", `1 "it's";2 "a\\";`},
		{"csv force_null=b null=N", "1,\"N\"\n2,N\n3,\"x\"\n", `1 NULL;2 NULL;3 "x";`},
		{"csv force_not_null=b", "1,\n", `1 "";`},
		{"csv delimiter=:", "1:a,b\n\\.\n", `1 "a,b";`},
	} {
		for _, size := range []int{1, 3, 1000} {
			w := newWorld()
			_, addr := serve(t, w, nil)
			conn := connect(t, addr)
			tag, err := conn.PgConn().CopyFrom(within(t), bytes.NewReader([]byte(c.data)), "copy from "+c.how)
			if size < 1000 {
				w.rows = nil
				tag, err = copyInPieces(t, addr, "copy from "+c.how, []byte(c.data), size)
			}
			if got := w.table(); err != nil || got != c.want || tag.RowsAffected() != int64(strings.Count(c.want, ";")) {
				t.Errorf("%s %q by %d: %s %v, want %s %v", c.how, c.data, size, got, tag, c.want, err)
			}
		}
	}
}

func TestCopyFromRefuses(t *testing.T) {
	for _, c := range []struct{ how, data, code, message, where string }{
		{"text", "1\n", "22P04", `missing data for column "b"`, `COPY lines, line 1: "1"`},
		{"text", "1\ta\n2\tb\tc\n", "22P04", "extra data after last expected column", "COPY lines, line 2: \"2\tb\tc\""},
		{"text", "1\ta\nx\tb\n", "22P02", `invalid input syntax for type integer: "x"`, `COPY lines, line 2, column a: "x"`},
		{"text", "1\ta\n2\tb\r\n", "22P04", "literal carriage return found in data", "COPY lines, line 2"},
		{"text", "1\ta\r\n2\tb\n", "22P04", "literal newline found in data", "COPY lines, line 2"},
		{"text", "1\t\xff\n", "22021", "invalid byte sequence for encoding \"UTF8\": 0xff", "COPY lines, line 1"},
		{"text", "1\t\\xff\n", "22021", "invalid byte sequence for encoding \"UTF8\": 0xff", "COPY lines, line 1, column b: \"?\""},
		{"text header=match", "a\tc\n", "22P04", `column name mismatch in header line field 2: got "c", expected "b"`, "COPY lines, line 1"},
		{"csv", "1,\"a\n", "22P04", "unterminated CSV quoted field", "COPY lines, line 1"},
		{"binary", "nonsense and more", "22P04", "unexpected EOF in COPY data", "COPY lines, line 0"},
		{"binary", strings.Repeat("x", 30), "22P04", "COPY file signature not recognized", ""},
	} {
		w := newWorld()
		_, addr := serve(t, w, nil)
		conn := connect(t, addr)
		_, err := conn.PgConn().CopyFrom(within(t), strings.NewReader(c.data), "copy from "+c.how)
		e, ok := err.(*pgconn.PgError) //nolint:errorlint // pgconn gives it bare
		if !ok || e.Code != c.code || e.Message != c.message || c.where != "" && e.Where != c.where || w.table() != "" {
			t.Errorf("%s %q: %#v", c.how, c.data, err)
		}
		if n := count(t, conn); n != 0 { // and the connection goes on
			t.Error(n)
		}
	}
}

func TestCopyFails(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	conn := connect(t, addr)
	_, err := conn.PgConn().CopyFrom(within(t), &pieces{[]byte("1\ta\n2\tb\n"), 5}, "copy from text")
	if state(err) != "57014" || w.table() != "" {
		t.Error(err, w.table())
	}
	if _, err := conn.Exec(within(t), "begin; insert 1 a", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.PgConn().CopyFrom(within(t), strings.NewReader("x"), "copy from text"); state(err) != "22P04" || conn.PgConn().TxStatus() != 'E' {
		t.Error(err, conn.PgConn().TxStatus())
	}
}

func TestBinaryCopyByPgx(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	conn := connect(t, addr)
	const rows = 20_000
	data := binaryRows(rows)
	tag, err := conn.PgConn().CopyFrom(within(t), bytes.NewReader(data), "copy from binary")
	if err != nil || tag.RowsAffected() != int64(rows) || len(w.rows) != rows {
		t.Fatal(tag, err)
	}
	if r := w.rows[19_998]; r.a != 19_998 || r.b != "row 19998" || !w.rows[7].z {
		t.Error(r, w.rows[7])
	}
	var back bytes.Buffer
	if _, err := conn.PgConn().CopyTo(within(t), &back, "copy to binary"); err != nil || !bytes.Equal(back.Bytes(), data) {
		t.Errorf("%v: %d bytes back, want %d", err, back.Len(), len(data))
	}
}

// binaryRows is the binary form of n rows, as PostgreSQL writes it.
func binaryRows(n int) []byte {
	data := []byte("PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	for i := range n {
		data = append(data, 0, 2, 0, 0, 0, 4, byte(i>>24), byte(i>>16), byte(i>>8), byte(i))
		if i%7 == 0 {
			data = append(data, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		s := fmt.Sprint("row ", i)
		data = append(append(data, 0, 0, 0, byte(len(s))), s...)
	}
	return append(data, 0xff, 0xff)
}

func TestCopyTo(t *testing.T) {
	w := newWorld()
	w.rows = []line{{a: 1, b: "one"}, {a: 2, z: true}, {a: 3, b: "a\tb\\c\nd,\"e\""}, {a: 4, b: ""}, {a: 5, b: "N"}}
	_, addr := serve(t, w, nil)
	conn := connect(t, addr)
	for how, want := range map[string]string{
		"text":                         "1\tone\n2\t\\N\n3\ta\\tb\\\\c\\nd,\"e\"\n4\t\n5\tN\n",
		"text delimiter=, header=true": "a,b\n1,one\n2,\\N\n3,a\\tb\\\\c\\nd\\,\"e\"\n4,\n5,N\n",
		"csv":                          "1,one\n2,\n3,\"a\tb\\c\nd,\"\"e\"\"\"\n4,\"\"\n5,N\n",
		"csv header=1 force_quote=* null=N escape=\\": "a,b\n\"1\",\"one\"\n\"2\",N\n\"3\",\"a\tb\\\\c\nd,\\\"e\\\"\"\n\"4\",\"\"\n\"5\",\"N\"\n",
	} {
		var got bytes.Buffer
		tag, err := conn.PgConn().CopyTo(within(t), &got, "copy to "+how)
		if err != nil || got.String() != want || tag.String() != "COPY 5" {
			t.Errorf("%s: %q %v %v\n   want %q", how, got.String(), tag, err, want)
		}
	}
	var got bytes.Buffer
	if _, err := conn.PgConn().CopyTo(context.Background(), &got, "copy to csv delimiter=xx"); state(err) != "0A000" {
		t.Error(err)
	}
}

func TestCopyOptions(t *testing.T) {
	for _, c := range []struct {
		from    bool
		options string
		want    string // "": they are right
	}{
		{true, "", ""}, {true, "format=csv header=match", ""}, {false, "format=csv force_quote=a,b", ""}, {true, "freeze=true encoding=utf8", ""},
		{true, "format=xml", `22023 COPY format "xml" not recognized`},
		{true, "format=csv format=csv", "42601 conflicting or redundant options"},
		{true, "nothing=1", `42601 option "nothing" not recognized`},
		{true, "delimiter=ab", "0A000 COPY delimiter must be a single one-byte character"},
		{true, "delimiter=a", `22023 COPY delimiter cannot be "a"`},
		{true, "delimiter=\n", "22023 COPY delimiter cannot be newline or carriage return"},
		{true, "null=\n", "22023 COPY null representation cannot use newline or carriage return"},
		{true, "null=a\tb", "0A000 COPY delimiter must not appear in the NULL specification"},
		{true, "format=csv quote=,", "22023 COPY delimiter and quote must be different"},
		{true, `format=csv null=a"b`, "0A000 CSV quote character must not appear in the NULL specification"},
		{true, "format=binary header=true", "42601 cannot specify HEADER in BINARY mode"},
		{true, "quote='", "0A000 COPY quote available only in CSV mode"},
		{true, "format=csv force_quote=a", "0A000 COPY force quote only available using COPY TO"},
		{false, "format=csv force_null=a", "0A000 COPY force null only available using COPY FROM"},
		{false, "header=match", `0A000 cannot use "match" with HEADER in COPY TO`},
		{true, "header=maybe", `42601 header requires a Boolean value or "match"`},
		{true, "encoding=latin1", "0A000 COPY in the encoding latin1 is not supported"},
	} {
		var options []sql.Option
		for o := range strings.SplitSeq(c.options, " ") {
			if name, value, ok := strings.Cut(o, "="); ok {
				options = append(options, sql.Option{Name: name, Value: value})
			}
		}
		_, err := pgwire.NewCopy("t", c.from, options)
		got := ""
		if e, ok := err.(*sql.Error); ok { //nolint:errorlint // as it is made
			got = e.Code + " " + e.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.options, got, c.want)
		}
	}
}
