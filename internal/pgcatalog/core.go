package pgcatalog

import (
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
)

// Fixed OIDs.
const (
	oidRoot        = 10
	oidPgCatalog   = 11
	oidPublic      = 2200
	oidInformation = 13000
	oidHeap        = 2
	oidBtree       = 403
	oidPgClass     = 1259
	oidPgType      = 1247
	oidDefaultColl = 100
	oidCollationC  = 950
)

// schemaOID numbers a schema.
func schemaOID(name string) uint32 {
	switch name {
	case "pg_catalog":
		return oidPgCatalog
	case "information_schema":
		return oidInformation
	case "public":
		return oidPublic
	}
	return nameOID(name)
}

// userOID numbers a user; all that there is belongs to root.
func userOID(name string) uint32 {
	if name == "root" {
		return oidRoot
	}
	return nameOID(name)
}

// nameOID numbers what has no number of its own by its name, above the relations.
func nameOID(name string) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return 1<<30 | h>>2
}

// indexOID is that of a relation's primary key, and constraintOID that of its constraint.
func indexOID(id catalog.ID) uint32      { return 2<<28 | uint32(id) }
func constraintOID(id catalog.ID) uint32 { return 3<<28 | uint32(id) }

// relkind is what psql sorts relations by.
func relkind(k catalog.Kind) string {
	switch k {
	case catalog.KindView, catalog.KindSystem:
		return "v"
	case catalog.KindMatView:
		return "m"
	case catalog.KindSource:
		return "f"
	}
	return "r"
}

// schemas are those of the catalog, with PostgreSQL's own.
func (c *Context) schemas() []string {
	all := []string{"pg_catalog", "information_schema", "public"}
	for _, s := range c.Catalog.Schemas() {
		if s != "pg_catalog" && s != "information_schema" && s != "public" {
			all = append(all, s)
		}
	}
	return all
}

func visibleColumns(r *catalog.Relation) int {
	n := 0
	for _, col := range r.Columns {
		if !col.Hidden {
			n++
		}
	}
	return n
}

// hasKey tells whether a relation shows a primary key.
func hasKey(r *catalog.Relation) bool {
	if len(r.Key) == 0 || r.Kind != catalog.KindTable && r.Kind != catalog.KindCapture {
		return false
	}
	return !r.Columns[r.Key[0]].Hidden
}

func coreRelations() []definition {
	return []definition{
		{"pg_namespace", "oid oid, nspname name, nspowner oid, nspacl aclitem[]", func(b *Builder, c *Context) {
			for _, s := range c.schemas() {
				b.Row(schemaOID(s), s, oidRoot)
			}
		}},
		{"pg_class", "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam oid, relfilenode oid, reltablespace oid, relpages int4, reltuples float4, relallvisible int4, reltoastrelid oid, relhasindex bool, relisshared bool, relpersistence char, relkind char, relnatts int2, relchecks int2, relhasrules bool, relhastriggers bool, relhassubclass bool, relrowsecurity bool, relforcerowsecurity bool, relispopulated bool, relreplident char, relispartition bool, relrewrite oid, relacl aclitem[], reloptions text[], relpartbound text", fillClass},
		{"pg_attribute", "attrelid oid, attname name, atttypid oid, attstattarget int4, attlen int2, attnum int2, attndims int4, attcacheoff int4, atttypmod int4, attbyval bool, attalign char, attstorage char, attcompression char, attnotnull bool, atthasdef bool, atthasmissing bool, attidentity char, attgenerated char, attisdropped bool, attislocal bool, attinhcount int4, attcollation oid, attacl aclitem[], attoptions text[], attfdwoptions text[]", fillAttribute},
		{"pg_attrdef", "oid oid, adrelid oid, adnum int2, adbin text", func(b *Builder, c *Context) {
			for _, r := range c.relations() {
				for i, col := range r.Columns {
					if col.Default != "" {
						b.Row(4<<28|uint32(r.ID)<<8|uint32(i), r.ID, i+1, col.Default)
					}
				}
			}
		}},
		{"pg_index", "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool, indnullsnotdistinct bool, indisprimary bool, indisexclusion bool, indimmediate bool, indisclustered bool, indisvalid bool, indcheckxmin bool, indisready bool, indislive bool, indisreplident bool, indkey int2vector, indcollation text, indclass text, indoption int2vector, indexprs text, indpred text", func(b *Builder, c *Context) {
			for _, r := range c.relations() {
				if hasKey(r) {
					n := len(r.Key)
					b.Row(indexOID(r.ID), r.ID, n, n, true, false, true, false, true, false, true, false, true, true, false,
						keyVector(r), strings.TrimSpace(strings.Repeat("0 ", n)), "", strings.TrimSpace(strings.Repeat("0 ", n)))
				}
			}
		}},
		{"pg_constraint", "oid oid, conname name, connamespace oid, contype char, condeferrable bool, condeferred bool, convalidated bool, conrelid oid, contypid oid, conindid oid, conparentid oid, confrelid oid, confupdtype char, confdeltype char, confmatchtype char, conislocal bool, coninhcount int4, connoinherit bool, conkey int2[], confkey int2[], conpfeqop oid[], conexclop oid[], conbin text", func(b *Builder, c *Context) {
			for _, r := range c.relations() {
				if hasKey(r) {
					b.Row(constraintOID(r.ID), r.Name+"_pkey", schemaOID(r.Schema), "p", false, false, true, r.ID, 0, indexOID(r.ID), 0, 0, " ", " ", " ", true, 0, true,
						"{"+strings.ReplaceAll(keyVector(r), " ", ",")+"}")
				}
			}
		}},
		{"pg_type", "oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool, typtype char, typcategory char, typispreferred bool, typisdefined bool, typdelim char, typrelid oid, typsubscript text, typelem oid, typarray oid, typinput text, typoutput text, typreceive text, typsend text, typmodin text, typmodout text, typalign char, typstorage char, typnotnull bool, typbasetype oid, typtypmod int4, typndims int4, typcollation oid, typdefault text, typacl aclitem[]", fillType},
	}
}

func fillClass(b *Builder, c *Context) {
	for _, r := range c.relations() {
		b.Row(r.ID, r.Name, schemaOID(r.Schema), 0, 0, oidRoot, accessMethod(r.Kind), r.ID, 0, 0, -1.0, 0, 0, hasKey(r), false, "p", relkind(r.Kind),
			visibleColumns(r), 0, r.Kind == catalog.KindView, false, false, false, false, true, "d", false, 0)
		if hasKey(r) {
			b.Row(indexOID(r.ID), r.Name+"_pkey", schemaOID(r.Schema), 0, 0, oidRoot, oidBtree, indexOID(r.ID), 0, 0, -1.0, 0, 0, false, false, "p", "i",
				len(r.Key), 0, false, false, false, false, false, true, "n", false, 0)
		}
	}
}

// declared: a column is NOT NULL by declaration, as tables have it. What a view's query never
// gives NULL for is not shown, here as in PostgreSQL.
func declared(r *catalog.Relation, col *catalog.Column) bool {
	return col.NotNull && r.Kind != catalog.KindView && r.Kind != catalog.KindMatView
}

func fillAttribute(b *Builder, c *Context) {
	attribute := func(rel any, num int, col *catalog.Column, notNull bool) {
		length, byVal := typeLength(col.Type.OID)
		b.Row(rel, col.Name, col.Type.OID, -1, length, num, dims(col.Type.OID), -1, int64(col.Type.Mod), byVal, "i", storage(col.Type.OID), "", notNull, col.Default != "",
			false, "", "", false, true, 0, collation(col.Type.OID))
	}
	for _, r := range c.relations() {
		num := 0
		for i := range r.Columns {
			if !r.Columns[i].Hidden {
				num++
				attribute(r.ID, num, &r.Columns[i], declared(r, &r.Columns[i]))
			}
		}
		if hasKey(r) {
			for n, k := range r.Key {
				attribute(indexOID(r.ID), n+1, &r.Columns[k], declared(r, &r.Columns[k]))
			}
		}
	}
}

// collation is what values of a type are ordered by, 0: they are no text.
func collation(oid uint32) int {
	if t, ok := datum.LookupBuiltin(oid); ok && t.Kind == datum.KindArray {
		oid = t.Of
	}
	switch oid {
	case datum.OIDText, datum.OIDVarchar, datum.OIDBpchar:
		return oidDefaultColl
	case datum.OIDName:
		return oidCollationC
	}
	return 0
}

// storage is how PostgreSQL would keep a type: plain, main or extended.
func storage(oid uint32) string {
	if length, _ := typeLength(oid); length > 0 {
		return "p"
	}
	if oid == datum.OIDNumeric {
		return "m"
	}
	return "x"
}

func dims(oid uint32) int {
	if b, ok := datum.LookupBuiltin(oid); ok && b.Kind == datum.KindArray {
		return 1
	}
	return 0
}

// keyVector lists the attribute numbers of a primary key.
func keyVector(r *catalog.Relation) string {
	nums := make([]string, len(r.Key))
	for i, k := range r.Key {
		nums[i] = strconv.Itoa(k + 1)
	}
	return strings.Join(nums, " ")
}

// typeLength is pg_type's typlen and typbyval.
func typeLength(oid uint32) (length int, byVal bool) {
	switch oid {
	case datum.OIDBool, datum.OIDChar:
		return 1, true
	case datum.OIDInt2:
		return 2, true
	case datum.OIDInt4, datum.OIDOID, datum.OIDFloat4, datum.OIDDate, datum.OIDXID, datum.OIDCID:
		return 4, true
	case datum.OIDInt8, datum.OIDFloat8, datum.OIDTimestamp, datum.OIDTimestampTZ, datum.OIDTime, datum.OIDMoney, datum.OIDLSN, datum.OIDXID8:
		return 8, true
	case datum.OIDUUID, datum.OIDInterval:
		return 16, false
	case datum.OIDName:
		return 64, false
	}
	return -1, false
}

func fillType(b *Builder, _ *Context) {
	for _, t := range datum.Builtins() {
		typeRow(b, t.OID, t.Name, string(rune(t.Category)), kindLetter(t.Kind), 0, t.Array)
		if t.Array != 0 {
			typeRow(b, t.Array, "_"+t.Name, "A", "b", t.OID, 0)
		}
	}
}

func typeRow(b *Builder, oid uint32, name, category, kind string, elem, array uint32) {
	length, byVal := typeLength(oid)
	subscript, in, out, receive, send := "-", name+"in", name+"out", name+"recv", name+"send"
	if elem != 0 {
		subscript, in, out, receive, send = "array_subscript_handler", "array_in", "array_out", "array_recv", "array_send"
	}
	preferred := oid == datum.OIDText || oid == datum.OIDFloat8 || oid == datum.OIDTimestampTZ || oid == datum.OIDBool || oid == datum.OIDInterval || oid == datum.OIDOID
	b.Row(oid, name, oidPgCatalog, oidRoot, length, byVal, kind, category, preferred, true, ",", 0, subscript, elem, array, in, out, receive, send, "-", "-", "i", storage(oid), false, 0, -1, 0, collation(oid))
}

func kindLetter(k datum.Kind) string {
	switch k {
	case datum.KindRange:
		return "r"
	case datum.KindMultirange:
		return "m"
	}
	return "b"
}

// accessMethod is how a relation's rows are kept; 0: it has none of its own.
func accessMethod(k catalog.Kind) int {
	if k == catalog.KindTable || k == catalog.KindCapture || k == catalog.KindMatView {
		return oidHeap
	}
	return 0
}
