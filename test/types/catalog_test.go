package types

import "strings"

// typed is a type and values of it, as literals without the quotes.
type typed struct {
	name   string // as SQL writes it
	values []string
	// noArray: the type has no array type, or its array is covered elsewhere.
	noArray bool
}

// definitions are what the types that are not built in need at the source. The
// target gets them from weir.
const definitions = `
CREATE EXTENSION hstore;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'very "happy"', 'it''s', 'ünïcode');
CREATE DOMAIN posint AS integer CHECK (VALUE > 0);
CREATE DOMAIN short_text AS varchar(7) NOT NULL;
CREATE TYPE pair AS (n numeric, label text, at timestamptz);
CREATE TYPE nested AS (p pair, m mood, list int[]);
CREATE TYPE floatrange AS RANGE (subtype = float8, subtype_diff = float8mi);`

var nines = strings.Repeat("9", 1000)

var catalog = []typed{
	{name: "boolean", values: []string{"t", "f"}},
	{name: "smallint", values: []string{"-32768", "0", "32767"}},
	{name: "integer", values: []string{"-2147483648", "0", "2147483647"}},
	{name: "bigint", values: []string{"-9223372036854775808", "0", "9223372036854775807", "9007199254740993"}},
	{name: "numeric", values: []string{"NaN", "Infinity", "-Infinity", "0", "0.000", "-1.50", "1e-300", nines, "0." + nines, "-" + nines + "." + nines, "12345678901234567890123", strings.Repeat("9", 131072)}},
	{name: "numeric(5,2)", values: []string{"NaN", "1.50", "-1.50", "0", "999.99", "1.27", "-1.29"}},
	{name: "numeric(30,0)", values: []string{"NaN", "12345678901234567890123", "-1"}},
	{name: "numeric(5,-2)", values: []string{"12300", "-9999900", "0"}},
	{name: "real", values: []string{"NaN", "Infinity", "-Infinity", "-0", "1e-45", "3.4028235e38", "0.1", "16777217"}},
	{name: "double precision", values: []string{"NaN", "Infinity", "-Infinity", "-0", "5e-324", "1.7976931348623157e308", "0.1", "1e22", "123456789012345678"}},
	{name: "money", values: []string{"0", "-92233720368547758.08", "92233720368547758.07", "1234.56"}},
	{name: "text", values: texts},
	{name: "varchar(10)", values: []string{"", "0123456789", "äöü  ", "\t\n"}},
	{name: "character(5)", values: []string{"", "a", "abcde", " b"}},
	{name: `"char"`, values: []string{"", "a", `\200`}, noArray: true},
	{name: "name", values: []string{"", "a name", strings.Repeat("n", 63)}},
	{name: "bytea", values: []string{`\x`, `\x00`, `\xdeadbeef`, `\x` + allBytes(), `\x5c785c`}},
	{name: "date", values: []string{"4713-01-01 BC", "0044-03-15 BC", "0001-01-01", "1970-01-01", "2024-02-29", "9999-12-31", "10000-01-01", "5874897-12-31", "infinity", "-infinity"}},
	{name: "time", values: []string{"00:00:00", "24:00:00", "23:59:59.999999", "12:34:56.789012"}},
	{name: "time(3)", values: []string{"12:34:56.789", "00:00:00.001"}},
	{name: "timetz", values: []string{"00:00:00+15:59:59", "24:00:00-15:59:59", "12:34:56.789012+02", "23:59:59.999999-00:30"}},
	{name: "timestamp", values: []string{"4714-11-24 00:00:00 BC", "4713-12-31 23:59:59.999999 BC", "0001-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2024-02-29 12:34:56.789012", "10000-01-01 00:00:00", "294276-12-31 23:59:59.999999", "infinity", "-infinity"}},
	{name: "timestamp(3)", values: []string{"2024-02-29 12:34:56.789", "1900-01-01 00:00:00.001"}},
	{name: "timestamptz", values: []string{"4714-11-24 00:00:00+00 BC", "0001-01-01 00:00:00+00", "2016-11-04 13:51:30.123456+02", "2024-03-31 01:30:00 Europe/Berlin", "10000-01-01 00:00:00+00", "294276-12-31 23:59:59.999999+00", "infinity", "-infinity"}},
	{name: "timestamptz(0)", values: []string{"2024-02-29 12:34:56+00"}},
	{name: "interval", values: []string{"0", "1 year 2 mons 3 days 04:05:06.78", "-1 year -2 mons +3 days -04:05:06.78", "178000000 years", "-178000000 years", "1 mon -1 day", "2562047788:00:54.775807", "-0.000001 sec", "24:00:00", "1 day"}},
	{name: "interval year to month", values: []string{"1 year 2 mons"}},
	{name: "interval second(2)", values: []string{"1.23 sec"}},
	{name: "uuid", values: []string{"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}},
	{name: "json", values: jsons},
	{name: "jsonb", values: jsons},
	{name: "jsonpath", values: []string{"$.a[*] ? (@ > 1)", "strict $"}},
	// An XML declaration that says only version 1.0 is dropped by PostgreSQL's own output, in every form.
	{name: "xml", values: []string{"<a/>", "<a b=\"c\">t&amp;x</a>", "text only", "<?xml version=\"1.0\" standalone=\"yes\"?><r>ü</r>"}},
	{name: "inet", values: []string{"0.0.0.0", "10.1.2.3/8", "255.255.255.255", "::", "::ffff:1.2.3.4", "2001:db8::1/64"}},
	{name: "cidr", values: []string{"0.0.0.0/0", "10.0.0.0/8", "2001:db8::/32", "::1/128"}},
	{name: "macaddr", values: []string{"00:00:00:00:00:00", "08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"}},
	{name: "macaddr8", values: []string{"08:00:2b:01:02:03:04:05", "ff:ff:ff:ff:ff:ff:ff:ff"}},
	{name: "bit", values: []string{"0", "1"}},
	{name: "bit(12)", values: []string{"000000000000", "101010101010"}},
	{name: "bit varying", values: []string{"", "1", "101", strings.Repeat("10", 500)}},
	{name: "tsvector", values: []string{"", "a fat cat", "'a':1A,5 'q''uote':2 'back\\\\slash'"}},
	{name: "tsquery", values: []string{"fat & (rat | !cat)", "'a b' <-> c:*A"}},
	{name: "point", values: []string{"(0,0)", "(-1.5,1e300)", "(NaN,Infinity)"}},
	{name: "line", values: []string{"{1,-1,0}", "{0,1,-2.5}"}},
	{name: "lseg", values: []string{"[(0,0),(1,1)]"}},
	{name: "box", values: []string{"(1,1),(0,0)", "(1e10,2),(-3,-4)"}},
	{name: "path", values: []string{"((0,0),(1,1),(2,0))", "[(0,0),(1,1)]"}},
	{name: "polygon", values: []string{"((0,0),(1,1),(2,0))"}},
	{name: "circle", values: []string{"<(0,0),1>", "<(1.5,-2),0>"}},
	{name: "int4range", values: []string{"empty", "(,)", "[1,10)", "(,5)", "[-2147483648,)"}},
	{name: "int8range", values: []string{"[1,9223372036854775807)", "empty"}},
	{name: "numrange", values: []string{"[1.50,2.0]", "(,NaN)", "(-Infinity,Infinity)"}},
	{name: "daterange", values: []string{"[2024-01-01,2024-12-31)", "[-infinity,infinity]", "(,0044-03-15 BC)"}},
	{name: "tsrange", values: []string{"[\"2019-03-31 15:30:00\",infinity)", "empty"}},
	{name: "tstzrange", values: []string{"[\"2019-03-31 15:30:00+02\",\"2020-01-01 00:00:00+00\")"}},
	{name: "int4multirange", values: []string{"{}", "{[1,2),[5,8)}", "{(,)}"}},
	{name: "int8multirange", values: []string{"{[1,9223372036854775807)}"}},
	{name: "nummultirange", values: []string{"{[1.5,2),(3,4.0]}"}},
	{name: "datemultirange", values: []string{"{[2024-01-01,2024-02-01),[2025-01-01,)}"}},
	{name: "tsmultirange", values: []string{"{[\"2019-03-31 15:30:00\",\"2019-04-01 00:00:00\")}"}},
	{name: "tstzmultirange", values: []string{"{[\"2019-03-31 15:30:00+02\",infinity)}"}},
	{name: "oid", values: []string{"0", "4294967295"}},
	{name: "regtype", values: []string{"integer", "text"}},
	{name: "pg_lsn", values: []string{"0/0", "FFFFFFFF/FFFFFFFF"}},
	{name: "pg_snapshot", values: []string{"10:20:10,14,15", "1:1:"}},
	{name: "txid_snapshot", values: []string{"10:20:10,14,15"}},
	{name: "xid", values: []string{"0", "4294967295"}},
	{name: "xid8", values: []string{"0", "18446744073709551615"}},
	{name: "cid", values: []string{"4294967295"}},
	{name: "tid", values: []string{"(0,1)", "(4294967295,65535)"}},
	{name: "int2vector", values: []string{"", "1 2 3"}, noArray: true},
	{name: "oidvector", values: []string{"1 4294967295"}, noArray: true},
	{name: "mood", values: []string{"sad", `very "happy"`, "it's", "ünïcode"}},
	{name: "posint", values: []string{"1", "2147483647"}},
	{name: "short_text", values: []string{"", "seven77"}},
	{name: "pair", values: []string{`(1.50,"a ""quoted"", text","2024-02-29 12:00:00+00")`, "(,,)", `(NaN,"",infinity)`}},
	{name: "nested", values: []string{`("(1,x,)",ok,"{1,NULL,3}")`, "(,,)"}},
	{name: "floatrange", values: []string{"[1.5,2.5)", "(,Infinity]", "empty"}},
	{name: "hstore", values: []string{"", `"key1"=>"val1", "key2"=>NULL`, `"q\"uote"=>"back\\slash", "ü"=>""`}},
	{name: "integer[][]", values: []string{"{}", "{{1,2},{3,4}}", "{{1,NULL},{NULL,4}}", "[0:1][-1:0]={{1,2},{3,4}}"}, noArray: true},
	{name: "text[]", values: []string{"{}", `{NULL,"NULL",""," ","a,b","c\"d","e\\f","{g}"}`}, noArray: true},
	{name: "numeric(5,2)[]", values: []string{"{NaN,1.50,NULL}"}, noArray: true},
}

var texts = []string{
	"", " ", "plain", "NULL", "null", `\N`, `back\slash`, "tab\tnewline\nreturn\rbell\a", "quote'double\"dollar$$", "äöü ß 漢字 😀 e\u0301",
	"\u0001\u001f\u007f\u0080\u2028\u2029\ufeff", "<html>&amp;</html>", "\\.", strings.Repeat("long ", 30_000),
}

var jsons = []string{
	"null", "true", `""`, "[]", "{}", `{"b":12345678901234567890,"a":1.50,"a":[1,null,"\u00fc\u0001"]}`,
	`  {"spaces" : [ 1 ,2 ] }  `, "1e300", `"` + strings.Repeat("j", 20_000) + `"`, `{"😀":"\"\\/\b\f\n\r\t"}`,
}

func allBytes() string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i := range 256 {
		b.WriteByte(hex[i>>4])
		b.WriteByte(hex[i&15])
	}
	return b.String()
}
