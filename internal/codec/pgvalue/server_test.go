package pgvalue

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/zset"
)

var srv *pgtest.Server

func TestMain(m *testing.M) { pgtest.Main(m, &srv) }

// tryCast reads a text by a type's input function and prints it, or says why not.
const tryCast = `CREATE OR REPLACE FUNCTION try(v text, typ text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; BEGIN EXECUTE format('SELECT (%L::%s)::text', v, typ) INTO r; RETURN r;
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$`

const zoneName = "America/New_York"

func connect(t testing.TB) *pgx.Conn {
	t.Helper()
	conn := srv.Conn(t, "postgres")
	for _, set := range []string{"SET DateStyle = 'ISO, MDY'", "SET IntervalStyle = 'postgres'", "SET TimeZone = '" + zoneName + "'", "SET extra_float_digits = 1",
		"SET lc_monetary = 'C'", tryCast} {
		if _, err := conn.Exec(context.Background(), set); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// subject is a type as SQL names it and as we do.
type subject struct {
	sql string
	ref datum.TypeRef
}

func of(sql string, oid uint32) subject { return subject{sql, datum.Ref(oid)} }

// compareInput reads texts here and there.
func compareInput(t *testing.T, conn *pgx.Conn, s subject, texts []string) {
	t.Helper()
	var answers []string
	err := conn.QueryRow(context.Background(), "SELECT array_agg(try(v, $2) ORDER BY n) FROM unnest($1::text[]) WITH ORDINALITY u(v, n)", texts, s.sql).Scan(&answers)
	if err != nil || len(answers) != len(texts) {
		t.Fatalf("%s: %d answers, %v", s.sql, len(answers), err)
	}
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, want := range answers {
		switch s.sql { // whose casts to text differ from their output
		case "bool":
			want = strings.NewReplacer("true", "t", "false", "f").Replace(want)
		case "inet":
			if strings.Contains(want, ":") || !strings.HasSuffix(want, "/128") {
				want = strings.TrimSuffix(strings.TrimSuffix(want, "/128"), "/32")
			}
		}
		v := zset.NewVec(zset.KindOf(s.ref.OID), 1)
		opts := Options{Zone: zone, Cast: true} // a literal is cast
		var got string
		if err := AppendValue(v, s.ref, []byte(texts[i]), opts); err != nil {
			fault := err.(*Error)
			got = fault.Code + " " + fault.Message
			if v.N != 0 {
				t.Fatalf("%s %q: an error left %d values", s.sql, texts[i], v.N)
			}
		} else {
			got = string(AppendText(nil, v, 0, s.ref, opts))
			checkBinary(t, v, s.ref)
		}
		if got != want {
			if wrong++; wrong <= 20 {
				t.Errorf("%s %q = %s; the server has %s", s.sql, texts[i], got, want)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d wrong", s.sql, wrong, len(texts))
	}
}

// checkBinary sends a value and receives it again.
func checkBinary(t testing.TB, v *zset.Vec, ref datum.TypeRef) {
	t.Helper()
	if !HasBinary(ref.OID) {
		return
	}
	b, err := AppendBinary(nil, v, 0, ref)
	if err != nil {
		t.Fatal(err)
	}
	back := zset.NewVec(v.Kind, 1)
	if err := ParseBinary(back, ref, b); err != nil {
		t.Fatalf("%s sent as %x: %v", AppendText(nil, v, 0, ref, Options{}), b, err)
	}
	if got, want := AppendText(nil, back, 0, ref, Options{}), AppendText(nil, v, 0, ref, Options{}); string(got) != string(want) {
		t.Fatalf("%s sent as %x comes back as %s", want, b, got)
	}
}

func TestInputAsTheServerReadsIt(t *testing.T) {
	conn := connect(t)
	for _, c := range []struct {
		subject
		texts string // separated by |
	}{
		{of("bool", datum.OIDBool), "t|f|true|false|TRUE|tr|fals|y|n|yes|no|ye|on|of|off|o|1|0|11| t | |x|2|tru e|yess"},
		{of("int2", datum.OIDInt2), "0|1|-1|+5| 7 |32767|32768|-32768|-32769|abc|1.5|1e3||99999999999999999999|0x10|- 1|--1"},
		{of("int4", datum.OIDInt4), "18446744073709551617|2147483647|2147483648|-2147483648|-2147483649|12a|  -0|00012"},
		{of("int8", datum.OIDInt8), "18446744073709551617|9223372036854775807|9223372036854775808|-9223372036854775808|-9223372036854775809|1_000"},
		{of("oid", datum.OIDOID), "0|4294967295|4294967296|-1|-2147483648|-2147483649|x"},
		{of("float8", datum.OIDFloat8), "0|-0|1|1.5|1e5|1e15|1e14|123456789012345678|0.0001|0.00001|1e-5|NaN|nan|-nan|inf|-Infinity|Infinit|1e308|1e309|1e-400|.5|5.|.|1e|e5|1_0| 2 |1.7976931348623157e308|4.9e-324|2e-324|0e-400|100000000000000000000|999999999999999.9|99999999999999.99|12345678901234567"},
		{of("float4", datum.OIDFloat4), "0|1.5|1e5|1e6|123456|1234567|999999|999999.5|0.0001|0.00001|3.4e38|3.5e38|1e-46|1e-45|16777216|16777217|0.1|NaN|-inf"},
		{of("numeric", datum.OIDNumeric), "0|-0|0.00|1.10|-1.10|+1|1e5|1.5e-3|1e-20|1E+3|NaN|nan|inf|-inf|+infinity|Infinit|1e400|.5|5.|.|1e|1e1e1|12345678901234567890123456789012345678901234567890.123|0.000000000000000000000000000000000000000000000000000000001|1 2|abc||1e131071|1e131072|1e-16383|1e-16384|1e2000000000|0e131072|00001.50| 7 "},
		{subject{"numeric(5,2)", datum.TypeRef{OID: datum.OIDNumeric, Mod: 5<<16 | 2 + 4}}, "1|1.005|999.99|999.995|999.994|-999.995|1000|0.001|NaN|inf|1e2"},
		{subject{"numeric(3,-2)", datum.TypeRef{OID: datum.OIDNumeric, Mod: 3<<16 | (-2 & 0x7ff) + 4}}, "1|49|50|12345|99949|99950|100000"},
		{subject{"numeric(2,5)", datum.TypeRef{OID: datum.OIDNumeric, Mod: 2<<16 | 5 + 4}}, "0|0.0001|0.00099|0.000994|0.000995|0.001"},
		{subject{"numeric(40,2)", datum.TypeRef{OID: datum.OIDNumeric, Mod: 40<<16 | 2 + 4}}, "99999999999999999999999999999999999999.99|99999999999999999999999999999999999999.995|1e37|1e38"},
		{of("text", datum.OIDText), "|a|é ü| x "},
		{of("bytea", datum.OIDBytea), `\x|\xDEADbeef|\x de ad|\xabc|\xzz|\x a|abc|a\\b|a\134b|a\9|a\|\000\377|\400|é`},
		{of("uuid", datum.OIDUUID), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-|A0EEBC999C0B4EF8BB6D6BB9BD380A11|{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}|a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1|a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a112|{a0eebc999c0b4ef8bb6d6bb9bd380a11|a-0eebc999c0b4ef8bb6d6bb9bd380a11|"},
		{of("date", datum.OIDDate), "2024-02-29|Jan 5 2024|infinity|2024-02-30|x|5874898-01-01"},
		{of("timetz", datum.OIDTimeTZ), "10:00+02|10:00:00.123456789-05:30|24:00+00|10:00 EST|1000Z"},
		{subject{"timestamp(0)", datum.TypeRef{OID: datum.OIDTimestamp, Mod: 0}}, "2024-01-01 00:00:00.5|1999-12-31 23:59:59.5|1999-12-31 23:59:59.499999|1990-01-01 00:00:00.5|infinity"},
		{subject{"timestamptz(3)", datum.TypeRef{OID: datum.OIDTimestampTZ, Mod: 3}}, "2024-07-01 00:00:00.1235|2024-07-01 00:00:00.1234999+00|2024-11-03 01:30:00|2024-03-10 02:30:00"},
		{subject{"time(2)", datum.TypeRef{OID: datum.OIDTime, Mod: 2}}, "10:00:00.125|23:59:59.999|10:00"},
		{subject{"interval(2)", datum.TypeRef{OID: datum.OIDInterval, Mod: 0x7fff<<16 | 2}}, "1.125 s|-1.125 s|1 day 1.004999 s"},
		{subject{"interval year to month", datum.TypeRef{OID: datum.OIDInterval, Mod: 6<<16 | 0xffff}}, "1-2|5|1 year 3 days"},
		{subject{"interval day", datum.TypeRef{OID: datum.OIDInterval, Mod: 8<<16 | 0xffff}}, "5|5 days 3 hours"},
		{subject{"interval minute to second", datum.TypeRef{OID: datum.OIDInterval, Mod: 0x1800<<16 | 0xffff}}, "10:20|1 10:20:30|5"},
		{subject{"varchar(3)", datum.TypeRef{OID: datum.OIDVarchar, Mod: 7}}, "abc|äöü|ab||abcdef|äöüß|ab     "},
		{of("varchar", datum.OIDVarchar), "abcdefg|"},
		{of("name", datum.OIDName), strings.Repeat("x", 70) + "|" + strings.Repeat("é", 40)},
		{of("int4range", datum.OIDInt4Range), "[1,5)|[1,5]|(1,5)|(1,2)|(1,1]|[1,1]|[5,1]|empty| EMPTY |(,5]|[1,)|(,)|[,]|[1,2147483647]|(2147483647,)|[1|[1,2|1,2]|[1,2,3]|[1,2]x|emptyx|[a,b]|[ 1 , 5 ]|[\"1\",5)|[1 ,5)|"},
		{of("numrange", datum.OIDNumRange), "[1.10,2)|(1.0,1.0]|[1,1]|[,1e3]|[NaN,NaN]|(1,)"},
		{of("tsrange", datum.OIDTSRange), "[2024-01-01,2024-02-01 10:00)|[Jan 5 2024,)"},
		{of("tstzrange", datum.OIDTSTZRange), "[2024-01-01,2024-02-01 10:00+00)|(,infinity]"},
		{of("daterange", datum.OIDDateRange), "[2024-01-01,2024-01-31]|(2024-01-01,2024-01-02)|[2024-01-01,infinity]|(-infinity,2024-01-01]"},
		{of("int4multirange", datum.OIDInt4Multirange), "{}|{[1,2],[5,6)}|{[5,6),[1,2]}|{[1,3),[2,5)}|{[1,2),[2,5)}|{empty}|{(,1),(5,)}|{ [1,2] , [8,9] }|[1,2)|{[1,2)|{[1,2)}x|{[1,2),}|{[1,2)[3,4)}|"},
		{of("tstzmultirange", datum.OIDTSTZMultirange), "{[2024-01-01,2024-02-01 10:00+00),[2024-01-15,)}"},
		{subject{"bit(4)", datum.TypeRef{OID: datum.OIDBit, Mod: 4}}, "1010|101|10101|b1111|xF|X1|2|b2|xG||"},
		{subject{"varbit(4)", datum.TypeRef{OID: datum.OIDVarbit, Mod: 4}}, "1010|101|10101||x1F"},
		{of("varbit", datum.OIDVarbit), "1010|x1F|é"},
		{of("inet", datum.OIDInet), "10.0.0.1|10.0.0.1/8|10.0.0.0/32|10.1|::1|::1/64|2001:DB8::1|::ffff:1.2.3.4|::1.2.3.4|1.2.3.4/33|1.2.3|256.1.1.1|x|1.2.3.4/|1.2.3.4/08||fe80::1%eth0"},
		{of("cidr", datum.OIDCIDR), "10.0.0.0/8|10.0.0.1/8|10|10/8|192.168|172.16|224|240|10.0.0.1|::/0|2001:db8::/32|2001:db8::1/32|192.168.0.0/16"},
		{of("macaddr", datum.OIDMacaddr), "08:00:2b:01:02:03|08-00-2b-01-02-03|08002b:010203|08002b-010203|0800.2b01.0203|0800-2b01-0203|08002b010203|08002B010203|08:00:2b:01:02|08:00:2b:01:02:zz|08:00-2b:01:02:03| 08:00:2b:01:02:03 |"},
		{of("macaddr8", datum.OIDMacaddr8), "08:00:2b:01:02:03:04:05|08:00:2b:01:02:03|08002b0102030405|0800.2b01.0203.0405|08:00"},
		{of("pg_lsn", datum.OIDLSN), "0/0|16/B374D848|ffffffff/FFFFFFFF|1|/1|1/|100000000/1|g/1|0x1/1"},
		{of("\"char\"", datum.OIDChar), "a|abc|"},
		{of("money", datum.OIDMoney), "$1,234.56|-$1.00|$0.05|$123.45|$123,456.00|-$999,999,999.99"},
	} {
		compareInput(t, conn, c.subject, strings.Split(c.texts, "|"))
	}
}

// A value that is inserted, other than one that is cast, is refused when it is too long.
func TestInsertedTextIsNotCutOff(t *testing.T) {
	conn := connect(t)
	if _, err := conn.Exec(context.Background(), "CREATE TEMP TABLE fits (v varchar(3), c char(3))"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "a", "abc", "abcd", "abc  ", "äöü", "äöüß", "  ab "} {
		for col, oid := range map[string]uint32{"v": datum.OIDVarchar, "c": datum.OIDBpchar} {
			var want string
			err := conn.QueryRow(context.Background(), fmt.Sprintf("INSERT INTO fits (%s) VALUES ($1) RETURNING '[' || convert_from(%s(%s), 'UTF8') || ']'", col, map[string]string{"v": "varcharsend", "c": "bpcharsend"}[col], col), text).Scan(&want)
			if err != nil {
				want = err.(interface{ SQLState() string }).SQLState()
			}
			v := zset.NewVec(zset.Bytes, 1)
			got := ""
			if err := AppendValue(v, datum.TypeRef{OID: oid, Mod: 7}, []byte(text), Options{}); err != nil {
				got = err.(*Error).Code
			} else {
				got = "[" + string(v.Bytes(0)) + "]"
			}
			if got != want {
				t.Errorf("%s %q = %s, the server has %s", col, text, got, want)
			}
		}
	}
}

var jsonTexts = []string{
	`{}`, `[]`, `1`, `"a"`, `true`, `null`, ` { "b" : 1 , "a" : [ 1 , 2 ] } `, `{"a":1,"a":2}`, `{"bb":1,"a":2,"ab":3}`, `[1.0, 1e5, 1.50e1, -0, 0.10, 1E-3, 123456789012345678901234567890]`,
	`"\u00e9\n\t\"\\\/\b\f\r"`, `"\u0001\u001f\u007f"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\ud83d\ud83d"`, `"\u0000"`, `"\ud83dx"`, `"\u12"`, `"\u12g4"`, `"\x"`, `"abc`, `"`, "\"a\tb\"", "\"a\x01\"",
	``, ` `, `{`, `[`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `[1,`, `[1,]`, `[,1]`, `{,}`, `{1:2}`, `{a:1}`, `{"a" 1}`, `[1 2]`, `{"a":1 "b":2}`, `1 2`, `01`, `-`, `1.`, `.5`, `1e`, `+1`, `tru`, `truex`, `1a`, `1.2.3`, `--1`, `}`, `]`, `:`, `'a'`, `[1}`, `{"a":1]`, `{"":1}`,
	`{"a":{"c":1,"b":[{"z":1,"y":2}]}}`, `[[[[1]]]]`, `"é€😀"`, `nul`, `[null, true, false]`, `{"aé":1,"zz":2}`, `1e400`, `1e-400`, `-0.0`, `{"a":"\u0061","\u0061":1}`, `@`, `"a" "b"`, `[1,2,3`,
}

func TestJSONAsTheServerReadsIt(t *testing.T) {
	conn := connect(t)
	texts := append([]string(nil), jsonTexts...)
	r := rand.New(rand.NewPCG(5, 6))
	for range 1500 {
		s := []byte(jsonTexts[r.IntN(len(jsonTexts))])
		for range r.IntN(3) {
			if len(s) > 0 {
				const junk = `{}[]:,"\ a1e.-t`
				s[r.IntN(len(s))] = junk[r.IntN(len(junk))]
			}
		}
		if CheckUTF8(s) == nil {
			texts = append(texts, string(s))
		}
	}
	compareInput(t, conn, of("json", datum.OIDJSON), texts)
	compareInput(t, conn, of("jsonb", datum.OIDJSONB), texts)
	checkDetails(t, conn)
}

// checkDetails compares the details of errors, which try does not show.
func checkDetails(t *testing.T, conn *pgx.Conn) {
	for _, text := range jsonTexts {
		var detail string
		if _, err := conn.Exec(context.Background(), "SELECT $1::jsonb", pgx.QueryExecModeSimpleProtocol, text); err != nil {
			detail = err.(*pgconn.PgError).Detail
		}
		_, err := appendJSONB(nil, []byte(text))
		got := ""
		if err != nil {
			got = err.(*Error).Detail
		}
		if got != detail {
			t.Errorf("%s: detail %q, the server has %q", text, got, detail)
		}
	}
}

func TestArraysAsTheServerReadsThem(t *testing.T) {
	conn := connect(t)
	ints := []string{`{}`, `{1,2}`, ` { 1 , 2 } `, `{{1,2},{3,4}}`, `{{1},{2,3}}`, `{1,{2}}`, `{{1},2}`, `[2:3]={1,2}`, `[0:0]={5}`, `[2]={1,2}`, `[1:2]={1}`, `[2:1]={}`, `{1,}`, `{,1}`, `{1 2}`, `{`, `}`, `1`, ``,
		`{NULL,null,1}`, `{"1"}`, `{1}x`, `{1} `, `{{},{}}`, `{{}}`, `{x}`, `{1,99999999999}`, `{{{{{{1}}}}}}`, `{{{{{{{1}}}}}}}`, `[1:1][-1:0]={{1,2}}`, `[1:1]={{1}}`, `[a:b]={1}`, `{"1`, `{1,"2"3}`, `{""}`, `{ }`, `{{ }}`, `[1:2]={}`, `{1}{2}`, `[1:2]{1,2}`}
	compareInput(t, conn, of("int4[]", 1007), ints)
	texts := []string{`{a,b c, d }`, `{"a","b\"c","d\\e",f\,g}`, `{NULL,"NULL",nUll,nullx}`, `{""}`, `{a"b}`, `{"a"b}`, `{a\ }`, `{é}`, `{"{","}"}`, `{a{b}`, `{\N}`, `{\null}`, `{" "}`, `{a  b}`, `{,}`, `{"a,b"}`}
	compareInput(t, conn, of("text[]", 1009), texts)
	compareInput(t, conn, of("numeric[]", 1231), []string{`{1.10,1e3,NaN}`, `{x}`})
	compareInput(t, conn, of("timestamptz[]", 1185), []string{`{2024-01-01,"2024-07-01 10:00+00",NULL}`})
	compareInput(t, conn, of("bool[]", 1000), []string{`{yes,no,t}`})
	compareInput(t, conn, of("bytea[]", 1001), []string{`{"\\x00ff"}`})
	compareInput(t, conn, of("jsonb[]", 3807), []string{`{"{\"b\":1,\"a\":2}",1}`})
	r := rand.New(rand.NewPCG(7, 8))
	mutated := make([]string, 1500)
	for i := range mutated {
		s := []byte(ints[r.IntN(len(ints)-1)])
		for range 1 + r.IntN(2) {
			const junk = `{},"\ 1[]:=N`
			if len(s) > 0 {
				s[r.IntN(len(s))] = junk[r.IntN(len(junk))]
			}
		}
		mutated[i] = string(s)
	}
	compareInput(t, conn, of("int4[]", 1007), mutated)
}

// Every value is sent as the server sends it.
func TestBinaryAsTheServerSendsIt(t *testing.T) {
	conn := connect(t)
	for _, c := range []struct {
		subject
		send  string
		texts string
	}{
		{of("bool", datum.OIDBool), "boolsend", "t|f"},
		{of("int2", datum.OIDInt2), "int2send", "0|-1|32767"},
		{of("int4", datum.OIDInt4), "int4send", "0|-1|2147483647"},
		{of("int8", datum.OIDInt8), "int8send", "0|-1|9223372036854775807"},
		{of("oid", datum.OIDOID), "oidsend", "0|4294967295"},
		{of("float4", datum.OIDFloat4), "float4send", "0|1.5|-inf|0.1"},
		{of("float8", datum.OIDFloat8), "float8send", "0|1.5|-inf|0.1"},
		{of("numeric", datum.OIDNumeric), "numeric_send", "0|0.00|-0.0|1|10000|100000000|1.10|-12345.6789|0.0001|0.00012|0.00000001|123456789012345678901234567890.1234567890123456789|NaN|inf|-inf|1e100|1e-100|99990000|9999.9999"},
		{of("text", datum.OIDText), "textsend", "|abc é"},
		{of("bytea", datum.OIDBytea), "byteasend", `\x00ff`},
		{of("uuid", datum.OIDUUID), "uuid_send", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{of("date", datum.OIDDate), "date_send", "2024-02-29|infinity|-infinity|4714-11-24 BC"},
		{of("time", datum.OIDTime), "time_send", "10:00:00.5|24:00"},
		{of("timetz", datum.OIDTimeTZ), "timetz_send", "10:00:00.5+02|24:00-05:30"},
		{of("timestamp", datum.OIDTimestamp), "timestamp_send", "2024-02-29 10:00|infinity|1900-01-01"},
		{of("timestamptz", datum.OIDTimestampTZ), "timestamptz_send", "2024-02-29 10:00|infinity|1900-01-01+00"},
		{of("interval", datum.OIDInterval), "interval_send", "1 year 2 mons -3 days 04:05:06.7|-1 s"},
		{of("jsonb", datum.OIDJSONB), "jsonb_send", `{"a": 1}`},
		{of("json", datum.OIDJSON), "json_send", `{"a" : 1}`},
		{of("int4[]", 1007), "array_send", "{}|{1,NULL,3}|{{1,2},{3,4}}|[2:3]={1,2}"},
		{of("text[]", 1009), "array_send", `{a,"b c",NULL}`},
		{of("numeric[]", 1231), "array_send", `{1.10,2}`},
	} {
		for _, text := range strings.Split(c.texts, "|") {
			var want string
			sql := fmt.Sprintf("SELECT encode(%s($1::text::%s), 'hex')", c.send, c.sql)
			if err := conn.QueryRow(context.Background(), sql, text).Scan(&want); err != nil {
				t.Fatal(c.sql, err)
			}
			v := zset.NewVec(zset.KindOf(c.ref.OID), 1)
			zone, _ := time.LoadLocation(zoneName)
			if err := AppendValue(v, c.ref, []byte(text), Options{Zone: zone}); err != nil {
				t.Fatal(c.sql, text, err)
			}
			got, err := AppendBinary(nil, v, 0, c.ref)
			if err != nil || hex.EncodeToString(got) != want {
				t.Errorf("%s %q is sent as %x, %v; the server sends %s", c.sql, text, got, err, want)
			}
			checkBinary(t, v, c.ref)
		}
	}
}
