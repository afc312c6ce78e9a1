package pgcatalog

import (
	"fmt"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// OIDs of types that only the catalogs use.
const (
	oidCharArray  = 1002
	oidNameArray  = 1003
	oidInt2Array  = 1005
	oidTextArray  = 1009
	oidOIDArray   = 1028
	oidAclArray   = 1034
	oidInt2Vector = 22
)

// typeByName are the words that column lists use.
var typeByName = map[string]uint32{
	"oid": datum.OIDOID, "name": datum.OIDName, "bool": datum.OIDBool, "char": datum.OIDChar, "int2": datum.OIDInt2,
	"int4": datum.OIDInt4, "int8": datum.OIDInt8, "float4": datum.OIDFloat4, "text": datum.OIDText, "timestamptz": datum.OIDTimestampTZ,
	"int2vector": oidInt2Vector, "oid[]": oidOIDArray, "text[]": oidTextArray, "aclitem[]": oidAclArray,
	"char[]": oidCharArray, "name[]": oidNameArray, "int2[]": oidInt2Array, "varchar": datum.OIDVarchar, "numeric": datum.OIDNumeric,
}

// Define makes a system relation from a list of columns: "oid oid, relname name".
func Define(id catalog.ID, schema, name, columns string) *catalog.Relation {
	r := &catalog.Relation{ID: id, Kind: catalog.KindSystem, Schema: schema, Name: name}
	for c := range strings.SplitSeq(columns, ",") {
		column, typ, _ := strings.Cut(strings.TrimSpace(c), " ")
		oid, ok := typeByName[typ]
		if !ok {
			panic(fmt.Sprintf("pgcatalog: %s.%s: no type %q", name, column, typ)) // a declaration of ours, covered by tests
		}
		r.Columns = append(r.Columns, catalog.Column{Name: column, Type: datum.Ref(oid)})
	}
	return r
}

// tableOID is the column by which a row tells whose it is. * leaves it out, as in PostgreSQL.
const tableOID = "tableoid"

// addTableOID gives a relation that column, which Builder fills.
func addTableOID(r *catalog.Relation) {
	r.Columns = append(r.Columns, catalog.Column{Name: tableOID, Type: datum.Ref(datum.OIDOID), NotNull: true, Hidden: true})
}

// Builder fills a relation row by row. Rows are few here: values are boxed.
type Builder struct {
	rel   *catalog.Relation
	chunk *zset.Chunk
}

// NewBuilder begins an empty relation.
func NewBuilder(rel *catalog.Relation) *Builder {
	kinds := make([]zset.Kind, len(rel.Columns))
	for i, c := range rel.Columns {
		kinds[i] = zset.KindOf(c.Type.OID)
	}
	return &Builder{rel, zset.NewChunk(kinds, 16)}
}

// Row appends a row: nil, bool, int, int64, uint32, catalog.ID, float64, datum.Timestamp, string
// or []string (a text array), as the columns' kinds want; missing values at the end are NULL.
func (b *Builder) Row(values ...any) {
	for i, v := range b.chunk.Cols {
		switch c := &b.rel.Columns[i]; {
		case c.Hidden && c.Name == tableOID:
			putInt(v, int64(b.rel.ID))
		case i >= len(values):
			v.AppendNull()
		default:
			put(v, values[i])
		}
	}
	b.chunk.AppendWeight(1)
}

// Chunk is what was built.
func (b *Builder) Chunk() *zset.Chunk { return b.chunk }

func put(v *zset.Vec, value any) {
	switch x := value.(type) {
	case bool:
		v.AppendBool(x)
	case int:
		putInt(v, int64(x))
	case int64:
		putInt(v, x)
	case uint32:
		putInt(v, int64(x))
	case catalog.ID:
		putInt(v, int64(x))
	case datum.Timestamp:
		putInt(v, int64(x))
	case float64:
		v.AppendFloat(x)
	case string:
		v.AppendString(x)
	case []string:
		v.AppendString(array(x))
	default:
		v.AppendNull()
	}
}

func putInt(v *zset.Vec, x int64) {
	switch v.Kind {
	case zset.Float:
		v.AppendFloat(float64(x))
	case zset.Numeric:
		v.AppendNum(numeric.Val{Num: numeric.FromInt64(x)})
	case zset.Bytes:
		v.AppendString(fmt.Sprint(x))
	default:
		v.AppendInt(x)
	}
}

// array is a text array's text.
func array(elems []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, e := range elems {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(e))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}
