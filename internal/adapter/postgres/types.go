package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/datum"
)

// firstNormalOID is where the OIDs of objects that are not built in begin.
const firstNormalOID = 16384

// typeQuery reads what types are made of. An array's Elem is its element, a
// range's and a multirange's its subtype.
const typeQuery = `
SELECT t.oid, n.nspname, t.typname,
       CASE WHEN t.typcategory = 'A' AND t.typelem <> 0 AND t.typtype = 'b' THEN 'array'
            WHEN t.typtype = 'e' THEN 'enum' WHEN t.typtype = 'd' THEN 'domain'
            WHEN t.typtype = 'c' THEN 'composite' WHEN t.typtype = 'r' THEN 'range'
            WHEN t.typtype = 'm' THEN 'multirange' ELSE 'base' END,
       COALESCE(r.rngsubtype, m.rngsubtype, CASE WHEN t.typtype = 'b' THEN t.typelem END, 0),
       t.typbasetype,
       CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) ELSE '' END,
       ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder),
       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = t.typrelid AND t.typtype = 'c' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
       ARRAY(SELECT a.atttypid::int8 FROM pg_attribute a WHERE a.attrelid = t.typrelid AND t.typtype = 'c' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
       ARRAY(SELECT format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND t.typtype = 'c' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
       COALESCE((SELECT x.extname::text FROM pg_depend d JOIN pg_extension x ON x.oid = d.refobjid
                 WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass LIMIT 1), '')
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_range r ON r.rngtypid = t.oid
LEFT JOIN pg_range m ON m.rngmultitypid = t.oid
WHERE t.oid = ANY($1::int8[]::oid[]) ORDER BY t.oid`

// querier is what a connection and a transaction have in common.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// loadTypes describes the types of those OIDs that are not built in and,
// recursively, the types they are made of; in OID order.
func loadTypes(ctx context.Context, q querier, oids []uint32) ([]datum.Type, error) {
	known := map[uint32]datum.Type{}
	for want := custom(oids, known); len(want) > 0; {
		rows, err := q.Query(ctx, typeQuery, want)
		if err != nil {
			return nil, err
		}
		var next []uint32
		_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (struct{}, error) {
			t, parts, err := scanType(r)
			known[t.OID] = t
			next = append(next, parts...)
			return struct{}{}, err
		})
		if err != nil {
			return nil, err
		}
		want = custom(next, known)
	}
	out := make([]datum.Type, 0, len(known))
	for _, t := range known {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b datum.Type) int { return int(int64(a.OID) - int64(b.OID)) })
	return out, nil
}

func scanType(r pgx.CollectableRow) (t datum.Type, parts []uint32, err error) {
	var fields, fieldTypeNames []string
	var fieldTypes []int64
	err = r.Scan(&t.OID, &t.Namespace, &t.Name, &t.Kind, &t.Elem, &t.Base, &t.BaseName, &t.Labels,
		&fields, &fieldTypes, &fieldTypeNames, &t.Extension)
	if len(t.Labels) == 0 {
		t.Labels = nil
	}
	parts = append(parts, t.Elem, t.Base)
	for i, name := range fields {
		t.Fields = append(t.Fields, datum.Field{Name: name, Type: uint32(fieldTypes[i]), TypeName: fieldTypeNames[i]})
		parts = append(parts, uint32(fieldTypes[i]))
	}
	return t, parts, err
}

// custom keeps the OIDs that are not built in and not known yet, each once.
func custom(oids []uint32, known map[uint32]datum.Type) []int64 {
	var out []int64
	for _, o := range oids {
		if _, ok := known[o]; !ok && o >= firstNormalOID && !slices.Contains(out, int64(o)) {
			out = append(out, int64(o))
		}
	}
	slices.Sort(out)
	return out
}
