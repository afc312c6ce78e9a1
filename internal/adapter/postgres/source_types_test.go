package postgres

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/row"
)

// typeCases has every built-in type that a column can have, and user types, with
// their extremes. Each value becomes a row.
var typeCases = map[string][]string{
	"boolean":          {"true", "false"},
	"smallint":         {"-32768", "32767"},
	"integer":          {"-2147483648", "2147483647"},
	"bigint":           {"-9223372036854775808", "9223372036854775807"},
	"oid":              {"0", "4294967295"},
	"xid":              {"3"},
	"xid8":             {"18446744073709551615"},
	"tid":              {"(4294967295,65535)"},
	"real":             {"NaN", "Infinity", "-Infinity", "-0", "1e-45", "3.4028235e38", "0.1"},
	"double precision": {"NaN", "Infinity", "-Infinity", "-0", "5e-324", "1.7976931348623157e308", "0.1"},
	"numeric":          {"NaN", "Infinity", "-Infinity", "0.00", "7000", strings.Repeat("9", 1000), "-0." + strings.Repeat("1", 1000), "1e-1000"},
	"numeric(10,2)":    {"NaN", "-12345678.90", "0"},
	"money":            {"-92233720368547758.08", "92233720368547758.07"},
	"char(5)":          {"a", "", "ü"},
	`"char"`:           {"x", ""},
	"varchar(10)":      {"", "tab\there", "ünï\n"},
	"text":             {"", `\N`, `back\slash`, "cr\rlf\n\t\v\b\f", "quote'\"", "\u2028😀", strings.Repeat("long ", 3000)},
	"name":             {"a name"},
	"bytea":            {"", `\x00ff5c0a09`, `\x`},
	"date":             {"0044-03-15 BC", "infinity", "-infinity", "5874897-12-31", "4713-01-01 BC"},
	"time":             {"00:00", "24:00", "12:34:56.789012"},
	"timetz":           {"00:00+15:59", "24:00-15:59", "12:34:56.789012+02"},
	"timestamp":        {"4713-01-01 00:00:00 BC", "294276-12-31 23:59:59.999999", "infinity", "-infinity", "2024-02-29 12:34:56.7"},
	"timestamptz":      {"4713-01-01 00:00:00+00 BC", "294276-12-31 23:59:59.999999+00", "infinity", "-infinity", "2024-02-29 12:34:56.7+05:30"},
	"interval":         {"178000000 years", "-178000000 years", "1 mon -1 day 00:00:00.000001", "-00:00:01", "1 year 2 mons 3 days 04:05:06.78"},
	"uuid":             {"00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff"},
	"json":             {`{"b":12345678901234567890, "a" : 1e400}`, "null", `"\u00e9\\"`},
	"jsonb":            {`{"b":12345678901234567890,"a":0.10}`, "null", `"x"`, `[1,{"k":[]}]`},
	"jsonpath":         {`$.a[*] ? (@ > 1)`},
	"xml":              {"<a>ü</a>", "text<b/>"},
	"bit(5)":           {"10110"},
	"bit varying(9)":   {"", "101", "000000000"},
	"inet":             {"192.168.0.1/24", "::ffff:1.2.3.4", "10.0.0.1"},
	"cidr":             {"192.168.100.128/25", "2001:4f8:3:ba::/64"},
	"macaddr":          {"08:00:2b:01:02:03"},
	"macaddr8":         {"08:00:2b:01:02:03:04:05"},
	"tsvector":         {`'a':1A 'it''s':2,3B 'back\\':4`},
	"tsquery":          {`'a' & !'b':*AB`},
	"point":            {"(1.5,-2)", "(Infinity,NaN)"},
	"line":             {"{1,-2,3}"},
	"lseg":             {"[(1,2),(3,4)]"},
	"box":              {"(3,4),(1,2)"},
	"path":             {"((1,2),(3,4))", "[(1,2),(3,4)]"},
	"polygon":          {"((0,0),(1,1),(1,0))"},
	"circle":           {"<(1,2),3>"},
	"int4range":        {"empty", "(,)", "[1,5)"},
	"int8range":        {"[-9223372036854775808,9223372036854775807)"},
	"numrange":         {"(NaN,)", "[1.10,2)"},
	"tsrange":          {"[2019-03-31 15:30:00,infinity)"},
	"tstzrange":        {"[2019-03-31 15:30:00+02,)"},
	"daterange":        {"[0044-03-15 BC,infinity]"},
	"int4multirange":   {"{}", "{[1,2),[5,)}"},
	"nummultirange":    {"{(,1.5],[2,3)}"},
	"tstzmultirange":   {"{[2019-03-31 15:30:00+02,)}"},
	"integer[]":        {"{}", "{1,NULL,-3}", "{{1,2},{3,NULL}}", "[0:1]={1,2}"},
	"text[]":           {`{"",NULL,"NULL","a,b","q\"uote","back\\slash","{}"}`},
	"numeric[]":        {"{NaN,Infinity,1.50}"},
	"timestamptz[]":    {"{2024-02-29 12:34:56.7+05:30,infinity}"},
	"bytea[]":          {`{"\\x00ff",NULL}`},
	"jsonb[]":          {`{"{\"a\": 1}",NULL}`},
	"regclass":         {"pg_class", "app.typed_regclass"},
	"regtype":          {"integer", "app.mood"},
	"regproc":          {"now"},
	"pg_lsn":           {"16/B374D848"},
	"pg_snapshot":      {"10:20:10,14,15"},
	"txid_snapshot":    {"10:20:10,14,15"},
	"app.mood":         {"happy", "so sad, 'really'"},
	"app.mood[]":       {`{happy,"so sad, 'really'",NULL}`},
	"app.positive":     {"1"},
	"app.pair":         {`(1,"a ""b"", c")`, "(,)", `(2,"")`},
	"app.pair[]":       {`{"(1,x)",NULL}`},
	"app.moodrange":    {"[happy,happy]", "empty"},
	"public.hstore":    {`"k"=>"v", "n"=>NULL, "q\"uote"=>""`},
	"public.citext":    {"MiXed"},
	"public.ltree":     {"Top.Science.Astronomy"},
}

// TestSnapshotAndStreamGiveTheSameBytes is G7 for the whole of typeCases, under
// settings of the database and of the writer that print everything differently.
func TestSnapshotAndStreamGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET DateStyle = ''SQL, DMY''', current_database());
		EXECUTE format('ALTER DATABASE %I SET IntervalStyle = ''iso_8601''', current_database());
		EXECUTE format('ALTER DATABASE %I SET TimeZone = ''Asia/Tokyo''', current_database());
		EXECUTE format('ALTER DATABASE %I SET extra_float_digits = 0', current_database());
		EXECUTE format('ALTER DATABASE %I SET bytea_output = ''escape''', current_database());
		EXECUTE format('ALTER DATABASE %I SET search_path = app, public', current_database()); END $$`)
	exec(t, db, `SET lc_monetary = 'C'`, `CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE EXTENSION ltree; CREATE SCHEMA app`,
		`CREATE TYPE app.mood AS ENUM ('happy', 'so sad, ''really''')`, `CREATE DOMAIN app.positive AS int CHECK (VALUE > 0)`,
		`CREATE TYPE app.pair AS (n int, "the text" text)`, `CREATE TYPE app.moodrange AS RANGE (subtype = app.mood)`,
		`CREATE TABLE app.typed_regclass (n int)`)
	tables := map[string]string{} // name: type
	for typ, values := range typeCases {
		name := "typed_" + strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, typ)
		if typ == `"char"` {
			name = "typed_quoted_char"
		}
		tables[name] = typ
		exec(t, db, fmt.Sprintf(`CREATE TABLE public.%s (id int PRIMARY KEY, v %s)`, name, typ))
		_ = values
	}
	c := startCapture(t, testConfig(t, url, "public.typed*"))
	for name, typ := range tables {
		for i, v := range typeCases[typ] {
			exec(t, db, fmt.Sprintf(`INSERT INTO public.%s VALUES (%d, %s::%s)`, name, i, quoteLiteral(v), typ))
		}
		exec(t, db, fmt.Sprintf(`INSERT INTO public.%s VALUES (999, NULL)`, name))
	}
	c.sync()
	streamed := map[row.TableID]map[string]int{}
	c.rec.mu.Lock()
	for _, txn := range c.rec.txns {
		for it := row.Changes(txn.changes); it.Next(); {
			if it.Change.Op == row.Insert {
				if streamed[it.Change.Table] == nil {
					streamed[it.Change.Table] = map[string]int{}
				}
				streamed[it.Change.Table][string(it.Change.New)]++
			}
		}
	}
	c.rec.mu.Unlock()
	list, err := c.Tables(t.Context())
	if err != nil || len(list) != len(tables) {
		t.Fatalf("%d tables, %v", len(list), err)
	}
	for _, table := range list {
		rows, read := readAll(t, c.Source, c.rec, table.ID, nil, nil)
		schema := c.rec.Shape(table.ID)
		if read.Version != 1 || len(c.rec.shapes[table.ID]) != 1 {
			t.Errorf("%s: the snapshot has shape %d of %d, the stream the first", tables[table.Name], read.Version, len(c.rec.shapes[table.ID]))
		}
		if want := len(typeCases[tables[table.Name]]) + 1; len(rows) != want {
			t.Errorf("%s: %d rows, want %d", tables[table.Name], len(rows), want)
		}
		for _, r := range rows {
			if streamed[table.ID][string(r)] != 1 {
				t.Errorf("%s: the snapshot has %s, the stream has not", schema.Columns[1].TypeName, printTuple(r))
			}
		}
	}
}

// readAll reads the rows of a chunk.
func readAll(t testing.TB, s *Source, rec *recorder, table row.TableID, lo, hi row.Tuple) (rows []row.Tuple, read capture.ChunkRead) {
	t.Helper()
	spec := capture.ChunkSpec{Table: table, Lo: lo, Hi: hi, Register: func(shape *row.Schema) (uint32, error) {
		v, _, err := rec.Register(shape)
		return v, err
	}}
	read, err := s.ReadChunk(t.Context(), spec, func(changes []byte, n int) error {
		it := row.Changes(changes)
		for it.Next() {
			if it.Change.Op != row.Read || it.Change.Table != table {
				t.Errorf("a chunk with %c of %d", it.Change.Op, it.Change.Table)
			}
			rows = append(rows, bytes.Clone(it.Change.New))
			n--
		}
		if it.Err() != nil || n != 0 {
			t.Errorf("a piece of a chunk: %v, %d rows off", it.Err(), n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, read
}
