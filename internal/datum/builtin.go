package datum

import "strings"

// OIDs of the built-in types that a format or the SQL engine treats in a way of
// their own. They are the same in every PostgreSQL.
const (
	OIDBool           uint32 = 16
	OIDBytea          uint32 = 17
	OIDChar           uint32 = 18
	OIDName           uint32 = 19
	OIDInt8           uint32 = 20
	OIDInt2           uint32 = 21
	OIDInt2Vector     uint32 = 22
	OIDInt4           uint32 = 23
	OIDText           uint32 = 25
	OIDOID            uint32 = 26
	OIDTID            uint32 = 27
	OIDXID            uint32 = 28
	OIDCID            uint32 = 29
	OIDOIDVector      uint32 = 30
	OIDJSON           uint32 = 114
	OIDXML            uint32 = 142
	OIDPoint          uint32 = 600
	OIDLseg           uint32 = 601
	OIDPath           uint32 = 602
	OIDBox            uint32 = 603
	OIDPolygon        uint32 = 604
	OIDLine           uint32 = 628
	OIDCIDR           uint32 = 650
	OIDFloat4         uint32 = 700
	OIDFloat8         uint32 = 701
	OIDCircle         uint32 = 718
	OIDMacaddr8       uint32 = 774
	OIDMoney          uint32 = 790
	OIDMacaddr        uint32 = 829
	OIDInet           uint32 = 869
	OIDBpchar         uint32 = 1042
	OIDVarchar        uint32 = 1043
	OIDDate           uint32 = 1082
	OIDTime           uint32 = 1083
	OIDTimestamp      uint32 = 1114
	OIDTimestampTZ    uint32 = 1184
	OIDInterval       uint32 = 1186
	OIDTimeTZ         uint32 = 1266
	OIDBit            uint32 = 1560
	OIDVarbit         uint32 = 1562
	OIDNumeric        uint32 = 1700
	OIDUUID           uint32 = 2950
	OIDLSN            uint32 = 3220
	OIDTSVector       uint32 = 3614
	OIDTSQuery        uint32 = 3615
	OIDJSONB          uint32 = 3802
	OIDInt4Range      uint32 = 3904
	OIDNumRange       uint32 = 3906
	OIDTSRange        uint32 = 3908
	OIDTSTZRange      uint32 = 3910
	OIDDateRange      uint32 = 3912
	OIDInt8Range      uint32 = 3926
	OIDJSONPath       uint32 = 4072
	OIDInt4Multirange uint32 = 4451
	OIDNumMultirange  uint32 = 4532
	OIDTSMultirange   uint32 = 4533
	OIDTSTZMultirange uint32 = 4534
	OIDDateMultirange uint32 = 4535
	OIDInt8Multirange uint32 = 4536
	OIDXID8           uint32 = 5069
)

// Builtin describes a type that every PostgreSQL has.
type Builtin struct {
	OID      uint32
	Name     string // pg_type.typname
	Category byte   // pg_type.typcategory: A array, B boolean, D date or time, N number, …
	Kind     Kind
	Array    uint32 // the type of arrays of it; 0 for an array
	Of       uint32 // array element, range subtype, range of a multirange; else 0
}

// Delim separates the elements of an array of type oid; only box has one of its own.
func Delim(elem uint32) byte {
	if elem == OIDBox {
		return ';'
	}
	return ','
}

// LookupBuiltin finds a built-in type.
func LookupBuiltin(oid uint32) (Builtin, bool) {
	t, ok := builtinByOID[oid]
	return t, ok
}

// Builtins lists the built-in types, arrays left out, by OID.
func Builtins() []Builtin { return append([]Builtin(nil), builtins...) }

var builtinByOID = indexBuiltins()

// indexBuiltins adds the array types, which follow from their elements.
func indexBuiltins() map[uint32]Builtin {
	m := make(map[uint32]Builtin, 2*len(builtins))
	for _, t := range builtins {
		m[t.OID] = t
		if t.Array != 0 {
			m[t.Array] = Builtin{OID: t.Array, Name: "_" + t.Name, Category: 'A', Kind: KindArray, Of: t.OID}
		}
	}
	return m
}

// DisplayName is the name as SQL writes it: int4[] for _int4.
func (t Builtin) DisplayName() string {
	if t.Kind == KindArray {
		return strings.TrimPrefix(t.Name, "_") + "[]"
	}
	return t.Name
}

var builtins = []Builtin{
	{OIDBool, "bool", 'B', KindBase, 1000, 0},
	{OIDBytea, "bytea", 'U', KindBase, 1001, 0},
	{OIDChar, "char", 'Z', KindBase, 1002, 0},
	{OIDName, "name", 'S', KindBase, 1003, 0},
	{OIDInt8, "int8", 'N', KindBase, 1016, 0},
	{OIDInt2, "int2", 'N', KindBase, 1005, 0},
	{OIDInt2Vector, "int2vector", 'A', KindBase, 1006, 0},
	{OIDInt4, "int4", 'N', KindBase, 1007, 0},
	{24, "regproc", 'N', KindBase, 1008, 0},
	{OIDText, "text", 'S', KindBase, 1009, 0},
	{OIDOID, "oid", 'N', KindBase, 1028, 0},
	{OIDTID, "tid", 'U', KindBase, 1010, 0},
	{OIDXID, "xid", 'U', KindBase, 1011, 0},
	{OIDCID, "cid", 'U', KindBase, 1012, 0},
	{OIDOIDVector, "oidvector", 'A', KindBase, 1013, 0},
	{OIDJSON, "json", 'U', KindBase, 199, 0},
	{OIDXML, "xml", 'U', KindBase, 143, 0},
	{OIDPoint, "point", 'G', KindBase, 1017, 0},
	{OIDLseg, "lseg", 'G', KindBase, 1018, 0},
	{OIDPath, "path", 'G', KindBase, 1019, 0},
	{OIDBox, "box", 'G', KindBase, 1020, 0},
	{OIDPolygon, "polygon", 'G', KindBase, 1027, 0},
	{OIDLine, "line", 'G', KindBase, 629, 0},
	{OIDCIDR, "cidr", 'I', KindBase, 651, 0},
	{OIDFloat4, "float4", 'N', KindBase, 1021, 0},
	{OIDFloat8, "float8", 'N', KindBase, 1022, 0},
	{OIDCircle, "circle", 'G', KindBase, 719, 0},
	{OIDMacaddr8, "macaddr8", 'U', KindBase, 775, 0},
	{OIDMoney, "money", 'N', KindBase, 791, 0},
	{OIDMacaddr, "macaddr", 'U', KindBase, 1040, 0},
	{OIDInet, "inet", 'I', KindBase, 1041, 0},
	{1033, "aclitem", 'U', KindBase, 1034, 0},
	{OIDBpchar, "bpchar", 'S', KindBase, 1014, 0},
	{OIDVarchar, "varchar", 'S', KindBase, 1015, 0},
	{OIDDate, "date", 'D', KindBase, 1182, 0},
	{OIDTime, "time", 'D', KindBase, 1183, 0},
	{OIDTimestamp, "timestamp", 'D', KindBase, 1115, 0},
	{OIDTimestampTZ, "timestamptz", 'D', KindBase, 1185, 0},
	{OIDInterval, "interval", 'T', KindBase, 1187, 0},
	{OIDTimeTZ, "timetz", 'D', KindBase, 1270, 0},
	{OIDBit, "bit", 'V', KindBase, 1561, 0},
	{OIDVarbit, "varbit", 'V', KindBase, 1563, 0},
	{OIDNumeric, "numeric", 'N', KindBase, 1231, 0},
	{1790, "refcursor", 'U', KindBase, 2201, 0},
	{2202, "regprocedure", 'N', KindBase, 2207, 0},
	{2203, "regoper", 'N', KindBase, 2208, 0},
	{2204, "regoperator", 'N', KindBase, 2209, 0},
	{2205, "regclass", 'N', KindBase, 2210, 0},
	{2206, "regtype", 'N', KindBase, 2211, 0},
	{OIDUUID, "uuid", 'U', KindBase, 2951, 0},
	{2970, "txid_snapshot", 'U', KindBase, 2949, 0},
	{OIDLSN, "pg_lsn", 'U', KindBase, 3221, 0},
	{OIDTSVector, "tsvector", 'U', KindBase, 3643, 0},
	{OIDTSQuery, "tsquery", 'U', KindBase, 3645, 0},
	{3642, "gtsvector", 'U', KindBase, 3644, 0},
	{3734, "regconfig", 'N', KindBase, 3735, 0},
	{3769, "regdictionary", 'N', KindBase, 3770, 0},
	{OIDJSONB, "jsonb", 'U', KindBase, 3807, 0},
	{OIDInt4Range, "int4range", 'R', KindRange, 3905, OIDInt4},
	{OIDNumRange, "numrange", 'R', KindRange, 3907, OIDNumeric},
	{OIDTSRange, "tsrange", 'R', KindRange, 3909, OIDTimestamp},
	{OIDTSTZRange, "tstzrange", 'R', KindRange, 3911, OIDTimestampTZ},
	{OIDDateRange, "daterange", 'R', KindRange, 3913, OIDDate},
	{OIDInt8Range, "int8range", 'R', KindRange, 3927, OIDInt8},
	{OIDJSONPath, "jsonpath", 'U', KindBase, 4073, 0},
	{4089, "regnamespace", 'N', KindBase, 4090, 0},
	{4096, "regrole", 'N', KindBase, 4097, 0},
	{4191, "regcollation", 'N', KindBase, 4192, 0},
	{OIDInt4Multirange, "int4multirange", 'R', KindMultirange, 6150, OIDInt4Range},
	{OIDNumMultirange, "nummultirange", 'R', KindMultirange, 6151, OIDNumRange},
	{OIDTSMultirange, "tsmultirange", 'R', KindMultirange, 6152, OIDTSRange},
	{OIDTSTZMultirange, "tstzmultirange", 'R', KindMultirange, 6153, OIDTSTZRange},
	{OIDDateMultirange, "datemultirange", 'R', KindMultirange, 6155, OIDDateRange},
	{OIDInt8Multirange, "int8multirange", 'R', KindMultirange, 6157, OIDInt8Range},
	{5038, "pg_snapshot", 'U', KindBase, 5039, 0},
	{OIDXID8, "xid8", 'U', KindBase, 271, 0},
}
