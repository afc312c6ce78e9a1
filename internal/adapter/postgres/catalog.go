package postgres

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// tableFacts is what the catalog says about one table.
type tableFacts struct {
	OID         uint32      `json:"oid"`
	Namespace   string      `json:"ns"`
	Name        string      `json:"name"`
	Kind        string      `json:"kind"`        // relkind
	Persistence string      `json:"persistence"` // relpersistence
	Partition   bool        `json:"partition"`   // it is a partition of another table
	Identity    string      `json:"identity"`    // relreplident
	Attrs       []attribute `json:"attrs"`       // by attnum, dropped ones too
	Primary     []int32     `json:"primary"`     // attnums of the primary key, in index order
	Index       []int32     `json:"index"`       // of the replica identity index
	Dropped     bool        `json:"dropped"`
	ShapeXid    uint64      `json:"shape_xid"` // a digest of the catalog rows' xmin
}

// attribute is a row of pg_attribute.
type attribute struct {
	Num       int32  `json:"num"`
	Name      string `json:"name"`
	Type      uint32 `json:"type"`
	Typmod    int32  `json:"typmod"`
	TypeName  string `json:"type_name"`
	NotNull   bool   `json:"not_null"`
	Dropped   bool   `json:"dropped"`
	Generated string `json:"generated"` // the expression, "" when it is none
	Xmin      string `json:"xmin"`      // the transaction that last changed the row
	// Missing is what rows hold that are older than the column, until a rewrite of
	// the table stores it in them; nil is NULL, or not known.
	Missing   *string `json:"missing"`
	Defaulted bool    `json:"defaulted"` // it, or its type, has a default, or it is an identity
}

// factsExpr is a JSON object of tableFacts for the pg_class row c. The DDL
// trigger uses it as well, so that both tell the same.
const factsExpr = `json_build_object(
  'oid', c.oid::int8, 'ns', (SELECT n.nspname FROM pg_namespace n WHERE n.oid = c.relnamespace), 'name', c.relname,
  'kind', c.relkind, 'persistence', c.relpersistence, 'partition', c.relispartition, 'identity', c.relreplident,
  'attrs', (SELECT json_agg(json_build_object('num', a.attnum, 'name', a.attname, 'type', a.atttypid::int8, 'typmod', a.atttypmod,
      'type_name', CASE WHEN a.attisdropped THEN '' ELSE format_type(a.atttypid, a.atttypmod) END,
      'not_null', a.attnotnull, 'dropped', a.attisdropped,
      'generated', CASE WHEN a.attgenerated <> '' THEN (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum) ELSE '' END,
      'xmin', a.xmin::text, 'missing', ` + missingExpr + `, 'defaulted', ` + defaultedExpr + `) ORDER BY a.attnum)
    FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0),
  'primary', (SELECT json_agg(k ORDER BY o) FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY AS u(k, o)
    WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate AND i.indisvalid AND o <= i.indnkeyatts),
  'index', (SELECT json_agg(k ORDER BY o) FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY AS u(k, o)
    WHERE i.indrelid = c.oid AND i.indisreplident AND i.indisvalid AND o <= i.indnkeyatts))`

// defaultedExpr tells whether the pg_attribute row a has a default of any kind.
const defaultedExpr = `(a.atthasdef OR a.attidentity <> '' OR EXISTS (SELECT FROM pg_type t WHERE t.oid = a.atttypid AND t.typdefault IS NOT NULL))`

// missingExpr is attribute.Missing of a column of c. attmissingval is an array of
// one element of the column's type, which may be an array itself: joining prints
// it as its type does. For a partitioned table the leaves have it, and the same.
const missingExpr = `CASE WHEN a.atthasmissing THEN array_to_string(a.attmissingval, '')
      WHEN c.relkind = 'p' AND NOT a.attisdropped AND ` + defaultedExpr + ` THEN (SELECT array_to_string(m.attmissingval, '') FROM pg_partition_tree(c.oid) l
        JOIN pg_attribute m ON m.attrelid = l.relid WHERE m.attname = a.attname AND m.atthasmissing LIMIT 1) END`

// shapeXidExpr digests the versions of a table's catalog rows: it changes
// whenever one of them does.
const shapeXidExpr = `(SELECT hashtextextended(c.xmin::text || ':' || COALESCE(string_agg(a.attnum || '=' || a.xmin::text, ',' ORDER BY a.attnum), ''), 0)
  FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)`

// loadFacts reads what the catalog says about a table now, nil when it is not there.
func loadFacts(ctx context.Context, q querier, oid uint32) (*tableFacts, error) {
	rows, err := q.Query(ctx, `SELECT `+factsExpr+`::text, `+shapeXidExpr+` FROM pg_class c WHERE c.oid = $1::int8::oid`, int64(oid))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, rows.Err()
	}
	var text string
	var digest int64
	if err := rows.Scan(&text, &digest); err != nil {
		return nil, err
	}
	f := &tableFacts{}
	if err := json.Unmarshal([]byte(text), f); err != nil {
		return nil, weirerr.New(weirerr.UpstreamProtocol, "cannot read the catalog's answer").With("table", oid).Wrap(err)
	}
	f.ShapeXid = uint64(digest)
	return f, nil
}

// captured tells whether the table is of a kind that can be captured: a permanent
// table that is no partition.
func (f *tableFacts) captured() bool {
	return (f.Kind == "r" || f.Kind == "p") && f.Persistence == "p" && !f.Partition
}

func (f *tableFacts) identityByte() byte {
	if f.Identity == "" {
		return 'd'
	}
	return f.Identity[0]
}

// live are the attributes that rows carry: neither dropped nor generated.
func (f *tableFacts) live() []attribute {
	return slices.DeleteFunc(slices.Clone(f.Attrs), func(a attribute) bool { return a.Dropped || a.Generated != "" })
}

// streamColumns are the columns as the stream would describe them.
func (f *tableFacts) streamColumns() []streamColumn {
	var key []int32
	switch f.identityByte() {
	case 'd':
		key = f.Primary
	case 'i':
		key = f.Index
	}
	var cols []streamColumn
	for _, a := range f.live() {
		cols = append(cols, streamColumn{name: a.Name, typ: a.Type, typmod: a.Typmod,
			key: f.identityByte() == 'f' || slices.Contains(key, a.Num)})
	}
	return cols
}

// describes tells whether the catalog's shape is the one the stream describes.
func (f *tableFacts) describes(rel *relation) bool {
	return f != nil && f.Namespace == rel.namespace && f.Name == rel.name && f.identityByte() == rel.identity &&
		slices.Equal(f.streamColumns(), rel.cols)
}

// identities names relreplident.
var identities = map[byte]row.Identity{
	'd': row.IdentityDefault, 'i': row.IdentityIndex, 'f': row.IdentityFull, 'n': row.IdentityNothing,
}

// buildSchema makes the schema of a relation. Columns, order, types, names and
// identity are rel's; f, which may describe a later shape or be nil, and prev,
// the newest shape known before, add the rest where they agree with it.
func buildSchema(rel *relation, f *tableFacts, prev *row.Schema, xid uint32) *row.Schema {
	s := &row.Schema{Table: row.TableID(rel.oid), Namespace: rel.namespace, Name: rel.name, Identity: identities[rel.identity]}
	ids := columnIDs(rel.cols, f, prev, xid)
	byKey := keyByIdentity(rel)
	for i, col := range rel.cols {
		c := row.Column{ID: ids[i], Name: col.name, Type: col.typ, Typmod: col.typmod, Key: byKey && col.key}
		if a := f.attr(ids[i]); a != nil && a.Type == col.typ && a.Typmod == col.typmod {
			c.TypeName, c.NotNull, c.Missing = a.TypeName, a.NotNull, a.Missing
		} else if p := columnByID(prev, ids[i]); p != nil && p.Type == col.typ && p.Typmod == col.typmod {
			c.TypeName, c.NotNull, c.Missing = p.TypeName, p.NotNull, p.Missing
		}
		s.Columns = append(s.Columns, c)
	}
	if f == nil {
		return s
	}
	if !byKey {
		markPrimary(s, f.Primary)
	}
	for _, a := range f.Attrs {
		if a.Generated != "" && !a.Dropped {
			s.Generated = append(s.Generated, row.GeneratedColumn{Name: a.Name, TypeName: a.TypeName, Expr: a.Generated})
		}
	}
	return s
}

// keyByIdentity tells whether the stream's flags say which columns are the key.
// Under REPLICA IDENTITY FULL they flag all columns, under NOTHING none; then it is
// the primary key. Under USING INDEX it is the index: old rows carry no more.
func keyByIdentity(rel *relation) bool {
	return (rel.identity == 'd' || rel.identity == 'i') && slices.ContainsFunc(rel.cols, func(c streamColumn) bool { return c.key })
}

// markPrimary makes the primary key the key, if all of it is there.
func markPrimary(s *row.Schema, primary []int32) {
	at := make([]int, 0, len(primary))
	for _, num := range primary {
		i := slices.IndexFunc(s.Columns, func(c row.Column) bool { return c.ID == num })
		if i < 0 {
			return
		}
		at = append(at, i)
	}
	for _, i := range at {
		s.Columns[i].Key = true
	}
}

func (f *tableFacts) attr(num int32) *attribute {
	if f == nil || num == 0 {
		return nil
	}
	for i := range f.Attrs {
		if f.Attrs[i].Num == num && !f.Attrs[i].Dropped {
			return &f.Attrs[i]
		}
	}
	return nil
}

func columnByID(s *row.Schema, id int32) *row.Column {
	if s == nil || id == 0 {
		return nil
	}
	for i := range s.Columns {
		if s.Columns[i].ID == id {
			return &s.Columns[i]
		}
	}
	return nil
}

// typeNameOf is the name of a type that the catalog no longer has.
func typeNameOf(namespace, name string) string {
	if namespace == "" || namespace == "pg_catalog" {
		return name
	}
	return quoteTable(namespace, name)
}

// changedBy tells whether the catalog row was last changed by a transaction that
// the one with id xid may have followed. Ids are compared as PostgreSQL does, modulo 2^32.
func (a *attribute) changedBy(xid uint32) bool {
	x, err := strconv.ParseUint(a.Xmin, 10, 32)
	return err != nil || x < 3 || int32(uint32(x)-xid) <= 0
}
