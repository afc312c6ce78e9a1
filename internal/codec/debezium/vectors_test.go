package debezium

import (
	"encoding/json"
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
)

const (
	oidEnum, oidEnumArray, oidDomain, oidDomain2, oidHstore, oidComposite, oidLtree = 90001, 90002, 90003, 90004, 90005, 90006, 90007
)

var customTypes = []datum.Type{
	{OID: oidEnum, Name: "mood", Kind: datum.KindEnum, Labels: []string{"sad", "ok"}},
	{OID: oidEnumArray, Name: "_mood", Kind: datum.KindArray, Elem: oidEnum},
	{OID: oidDomain, Name: "price", Kind: datum.KindDomain, Base: datum.OIDNumeric, BaseName: "numeric(5,2)"},
	{OID: oidDomain2, Name: "price2", Kind: datum.KindDomain, Base: oidDomain, BaseName: "price"},
	{OID: oidHstore, Name: "hstore", Kind: datum.KindBase, Extension: "hstore"},
	{OID: oidComposite, Name: "pair", Kind: datum.KindComposite},
	{OID: oidLtree, Name: "ltree", Kind: datum.KindBase, Extension: "ltree"},
}

func numericMod(precision, scale int32) int32 { return precision<<16 | scale&0x7ff + 4 }

type vector struct {
	typ    uint32
	typmod int32
	in     string
	want   string
}

const (
	arrayOfInt4, arrayOfNumeric, arrayOfText, arrayOfBox, arrayOfBytea = 1007, 1231, 1009, 1020, 1001
)

var vectors = []vector{
	{datum.OIDBool, -1, "t", "true"}, {datum.OIDBool, -1, "f", "false"}, {datum.OIDBit, 1, "1", "true"}, {datum.OIDBit, 1, "0", "false"},
	{datum.OIDInt2, -1, "-32768", "-32768"}, {datum.OIDInt8, -1, "9223372036854775807", "9223372036854775807"}, {datum.OIDOID, -1, "4294967295", "4294967295"},
	{datum.OIDFloat8, -1, "1e+300", "1e+300"}, {datum.OIDFloat8, -1, "-0", "-0"}, {datum.OIDFloat4, -1, "1.5", "1.5"},
	{datum.OIDFloat8, -1, "NaN", `"NaN"`}, {datum.OIDFloat8, -1, "-Infinity", `"-Infinity"`}, {datum.OIDFloat4, -1, "Infinity", `"Infinity"`},

	{datum.OIDNumeric, numericMod(5, 2), "1.50", `"AJY="`}, {datum.OIDNumeric, numericMod(5, 2), "-1.50", `"/2o="`},
	{datum.OIDNumeric, numericMod(5, 2), "0.00", `"AA=="`}, {datum.OIDNumeric, numericMod(5, 2), "1.27", `"fw=="`},
	{datum.OIDNumeric, numericMod(5, 2), "1.28", `"AIA="`}, {datum.OIDNumeric, numericMod(5, 2), "-1.28", `"gA=="`},
	{datum.OIDNumeric, numericMod(5, 2), "-1.29", `"/38="`}, {datum.OIDNumeric, numericMod(5, 2), "NaN", `"NAN"`},
	{datum.OIDNumeric, numericMod(5, -2), "12300", `"ew=="`},
	{datum.OIDNumeric, -1, "12345678901234567890123", `{"scale":0,"value":"Ap1Ctk52cUJEyw=="}`},
	{datum.OIDNumeric, -1, "10.1111", `{"scale":4,"value":"AYr3"}`}, {datum.OIDNumeric, -1, "-Infinity", `{"scale":0,"value":"NEGATIVE_INFINITY"}`},
	{datum.OIDMoney, -1, "-$1.50", `"/2o="`},

	{datum.OIDBit, 5, "10110", `"Fg=="`}, {datum.OIDBit, 12, "101010101010", `"qgo="`}, {datum.OIDBit, 24, "000000110000001000000001", `"AQID"`},
	{datum.OIDBit, 64, "1000000000000000000000000000000000000000000000000000000000000000", `"AAAAAAAAAIA="`},
	{datum.OIDBit, 7, "1000000", `"QA=="`}, {datum.OIDVarbit, -1, "101", `"BQ=="`}, {datum.OIDVarbit, 2, "00", `""`}, {datum.OIDBit, 2, "00", `"AA=="`},
	{datum.OIDBytea, -1, `\xdeadbeef`, `"3q2+7w=="`},

	{datum.OIDDate, -1, "2024-02-29", "19782"}, {datum.OIDDate, -1, "0001-01-01", "-719162"}, {datum.OIDDate, -1, "9999-12-31", "2932896"},
	{datum.OIDDate, -1, "infinity", "2147483647"}, {datum.OIDDate, -1, "-infinity", "-2147483648"}, {datum.OIDDate, -1, "0044-03-15 BC", "-735160"},
	{datum.OIDTimestamp, -1, "2024-02-29 12:34:56.789012", "1709210096789012"}, {datum.OIDTimestamp, 3, "2024-02-29 12:34:56.789", "1709210096789"},
	{datum.OIDTimestamp, 3, "1969-12-31 23:59:59.999", "-1"}, {datum.OIDTimestamp, 6, "294247-01-01 23:59:59.999999", "9223371331199999999"},
	{datum.OIDTimestamp, 6, "4713-12-31 23:59:59.999999 BC", "-210831897600000001"}, {datum.OIDTimestamp, 6, "294276-12-31 23:59:59.999999", "9224318015999999999"},
	{datum.OIDTimestamp, 6, "infinity", "9223372036825200000"}, {datum.OIDTimestamp, 0, "-infinity", "-9223372036832400000"},
	{datum.OIDTime, -1, "12:34:56.789012", "45296789012"}, {datum.OIDTime, 3, "12:34:56.789", "45296789"}, {datum.OIDTime, -1, "24:00:00", "86400000000"},
	{datum.OIDTimeTZ, -1, "13:51:30.123789+02", `"11:51:30.123789Z"`}, {datum.OIDTimeTZ, -1, "23:00:00-05:30", `"04:30:00Z"`},
	{datum.OIDTimestampTZ, -1, "2016-11-04 13:51:30.123456+02", `"2016-11-04T11:51:30.123456Z"`},
	{datum.OIDTimestampTZ, -1, "2020-04-01 11:51:02+00", `"2020-04-01T11:51:02.000000Z"`}, {datum.OIDTimestampTZ, 0, "2020-04-01 11:51:02+00", `"2020-04-01T11:51:02Z"`},
	{datum.OIDTimestampTZ, 3, "2020-04-01 11:51:02.12+00", `"2020-04-01T11:51:02.120Z"`},
	{datum.OIDTimestampTZ, -1, "4714-12-31 23:59:59.999999+00 BC", `"-4713-12-31T23:59:59.999999Z"`},
	{datum.OIDTimestampTZ, -1, "21016-11-04 13:51:30.123456+00", `"+21016-11-04T13:51:30.123456Z"`}, {datum.OIDTimestampTZ, -1, "infinity", `"infinity"`},
	{datum.OIDInterval, -1, "1 year 2 mons 3 days 04:05:06.78", "37091106780000"}, {datum.OIDInterval, -1, "-00:00:00.5", "-500000"},
	{datum.OIDInterval, -1, "8 years 2562047788:00:54.775807", "9223624497654775807"},
	{datum.OIDInterval, -1, "178000000 years", "5617252800000000000000"}, {datum.OIDInterval, -1, "2147483647 days", "185542587100800000000"},

	{datum.OIDUUID, -1, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", `"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"`},
	{datum.OIDJSONB, -1, `{"b": 12345678901234567890}`, `"{\"b\": 12345678901234567890}"`},
	{774, -1, "08:00:2b:01:02:03:04:05", `"08:00:2b:01:02:03:04:05"`}, {datum.OIDTSVector, -1, "'a':1 'it''s'", `"'a':1 'it''s'"`},
	{datum.OIDTSRange, -1, `["2019-03-31 15:30:00",infinity)`, `"[\"2019-03-31 15:30:00\",infinity)"`},
	{oidHstore, -1, `"key1"=>"val1", "key2"=>NULL`, `"{\"key1\":\"val1\",\"key2\":null}"`}, {oidHstore, -1, ``, `"{}"`},
	{oidHstore, -1, `"a\"b"=>"c\\d"`, `"{\"a\\\"b\":\"c\\\\d\"}"`},
	{oidEnum, -1, "ok", `"ok"`}, {oidComposite, -1, `(1,"a b")`, `"(1,\"a b\")"`}, {99999, -1, "what", `"what"`}, {oidLtree, -1, "a.b", `"a.b"`},
	{oidDomain, -1, "1.50", `"AJY="`}, {oidDomain2, -1, "-1.50", `"/2o="`},

	{arrayOfInt4, -1, "{}", "[]"}, {arrayOfInt4, -1, "{1,NULL,3}", "[1,null,3]"}, {arrayOfInt4, -1, "{{1,2},{3,4}}", "[[1,2],[3,4]]"},
	{arrayOfInt4, -1, "[2:3]={1,2}", "[1,2]"}, {arrayOfInt4, -1, "{{{1},{2}},{{3},{4}}}", "[[[1],[2]],[[3],[4]]]"},
	{arrayOfText, -1, `{"a\"b",NULL,"NULL",""}`, `["a\"b",null,"NULL",""]`}, {arrayOfNumeric, numericMod(5, 2), "{1.50,NULL}", `["AJY=",null]`},
	{arrayOfNumeric, -1, "{1.5}", `[{"scale":1,"value":"Dw=="}]`}, {oidEnumArray, -1, "{sad,ok}", `["sad","ok"]`},
	{arrayOfBytea, -1, `{"\\xdeadbeef"}`, `["3q2+7w=="]`},

	{datum.OIDPoint, -1, "(1,2)", `{"x":1.0,"y":2.0,"wkb":"AQEAAAAAAAAAAADwPwAAAAAAAABA","srid":null}`},
	{datum.OIDPoint, -1, "(NaN,Infinity)", `{"x":"NaN","y":"Infinity","wkb":"AQEAAAABAAAAAAD4fwAAAAAAAPB/","srid":null}`},
	{datum.OIDLseg, -1, "[(0,0),(1,1)]", `{"wkb":"AQIAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA/AAAAAAAA8D8=","srid":null}`},
	{datum.OIDCircle, -1, "<(10,4),10.5>", `{"center":{"x":10.0,"y":4.0},"radius":10.5}`}, {datum.OIDLine, -1, "{-1,0,1e300}", `{"a":-1.0,"b":0.0,"c":1e+300}`},
}

// oneColumn makes a table of one column of a type.
func oneColumn(typ uint32, typmod int32) *row.Schema {
	return &row.Schema{Table: 1, Namespace: "public", Name: "t", Types: customTypes,
		Columns: []row.Column{{Name: "v", Type: typ, Typmod: typmod}}}
}

func encodeOne(t testing.TB, opt Options, typ uint32, typmod int32, in string) (string, error) {
	t.Helper()
	e, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	enc := (&resolver{opt: e.opt, types: customTypes}).column(&oneColumn(typ, typmod).Columns[0])
	out, err := e.w.value(nil, &enc, []byte(in))
	return string(out), err
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		got, err := encodeOne(t, Options{}, v.typ, v.typmod, v.in)
		if err != nil || got != v.want {
			t.Errorf("type %d (%d) %s = %s, %v; want %s", v.typ, v.typmod, v.in, got, err, v.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("type %d %s = %s is not JSON", v.typ, v.in, got)
		}
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		v    vector
		want string
	}{
		{Options{Decimal: "string"}, vector{typ: datum.OIDNumeric, typmod: -1, in: "7000"}, `"7000"`},
		{Options{Decimal: "string"}, vector{typ: datum.OIDNumeric, typmod: numericMod(9, 3), in: "-1.500"}, `"-1.500"`},
		{Options{Decimal: "string"}, vector{typ: datum.OIDNumeric, in: "NaN"}, `"NAN"`},
		{Options{Decimal: "string"}, vector{typ: datum.OIDNumeric, in: "Infinity"}, `"POSITIVE_INFINITY"`},
		{Options{Decimal: "string"}, vector{typ: datum.OIDMoney, in: "-$1,234.05"}, `"-1234.05"`},
		{Options{Decimal: "double"}, vector{typ: datum.OIDMoney, in: "$0.05"}, `0.05`},
		{Options{Decimal: "double"}, vector{typ: datum.OIDNumeric, in: "10.1111"}, `10.1111`},
		{Options{Decimal: "double"}, vector{typ: datum.OIDNumeric, in: "NaN"}, `"NaN"`},
		{Options{Interval: "string"}, vector{typ: datum.OIDInterval, in: "1 year 2 mons 3 days 04:05:06.78"}, `"P1Y2M3DT4H5M6.78S"`},
		{Options{Interval: "string"}, vector{typ: datum.OIDInterval, in: "-1 years -2 mons +3 days -00:00:00.5"}, `"P-1Y-2M3DT0H0M-0.5S"`},
		{Options{Interval: "string"}, vector{typ: datum.OIDInterval, in: "00:00:00"}, `"P0Y0M0DT0H0M0S"`},
	} {
		if got, err := encodeOne(t, c.opt, c.v.typ, c.v.typmod, c.v.in); err != nil || got != c.want {
			t.Errorf("%+v: %s = %s, %v; want %s", c.opt, c.v.in, got, err, c.want)
		}
	}
	for _, opt := range []Options{{Decimal: "exact"}, {Interval: "text"}} {
		if _, err := New(opt); err == nil {
			t.Errorf("%+v wants an error", opt)
		}
	}
}

func TestUnavailableKeepsTheShape(t *testing.T) {
	for _, c := range []struct {
		typ  uint32
		want string
	}{
		{datum.OIDText, `"__debezium_unavailable_value"`}, {datum.OIDBytea, `"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="`},
		{arrayOfText, `["__debezium_unavailable_value"]`}, {datum.OIDJSONB, `"__debezium_unavailable_value"`},
	} {
		enc := (&resolver{types: customTypes}).resolve(c.typ, -1, 0)
		if got := string(unavailable(nil, &enc)); got != c.want {
			t.Errorf("type %d: %s, want %s", c.typ, got, c.want)
		}
	}
}

func TestWrongValuesAreErrors(t *testing.T) {
	for _, v := range []vector{
		{datum.OIDBool, -1, "yes", ""}, {datum.OIDInt4, -1, "1.5", ""}, {datum.OIDFloat8, -1, "0x10", ""}, {datum.OIDFloat8, -1, "01", ""},
		{datum.OIDFloat8, -1, "1.", ""}, {datum.OIDFloat8, -1, "1e", ""}, {datum.OIDNumeric, numericMod(5, 2), "1.555", ""}, {datum.OIDMoney, -1, "€", ""},
		{datum.OIDBit, 3, "102", ""}, {datum.OIDBytea, -1, "x", ""}, {datum.OIDDate, -1, "today", ""}, {datum.OIDTimestampTZ, -1, "now", ""},
		{datum.OIDInterval, -1, "soon", ""}, {arrayOfInt4, -1, "{1,x}", ""}, {arrayOfInt4, -1, "{1", ""}, {oidHstore, -1, "a", ""},
		{datum.OIDPoint, -1, "1,2", ""}, {datum.OIDPolygon, -1, "()", ""}, {datum.OIDText, -1, "\xff", ""}, {oidHstore, -1, "\"\xff\"=>NULL", ""},
	} {
		if got, err := encodeOne(t, Options{}, v.typ, v.typmod, v.in); err == nil {
			t.Errorf("type %d %q = %s, want an error", v.typ, v.in, got)
		}
	}
}
