package pgcatalog

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
)

func informationSchema() []definition {
	return []definition{
		{"tables", "table_catalog name, table_schema name, table_name name, table_type text, self_referencing_column_name name, reference_generation text, user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name name, is_insertable_into text, is_typed text, commit_action text", func(b *Builder, c *Context) {
			for _, r := range c.relations() {
				b.Row(c.Catalog.Database, r.Schema, r.Name, tableType(r.Kind), nil, nil, nil, nil, nil, yes(r.Kind == catalog.KindTable), "NO")
			}
		}},
		{"columns", "table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int4, column_default text, is_nullable text, data_type text, character_maximum_length int4, character_octet_length int4, numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type text, udt_catalog name, udt_schema name, udt_name name, is_identity text, is_generated text, generation_expression text, is_updatable text", fillColumns},
		{"schemata", "catalog_name name, schema_name name, schema_owner name, default_character_set_catalog name, default_character_set_schema name, default_character_set_name name, sql_path text", func(b *Builder, c *Context) {
			for _, s := range c.schemas() {
				b.Row(c.Catalog.Database, s, "root")
			}
		}},
		{"views", "table_catalog name, table_schema name, table_name name, view_definition text, check_option text, is_updatable text, is_insertable_into text", func(b *Builder, c *Context) {
			for _, r := range c.ofKind(catalog.KindView) {
				b.Row(c.Catalog.Database, r.Schema, r.Name, r.Query, "NONE", "NO", "NO")
			}
		}},
		{"table_constraints", "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, table_name name, constraint_type text, is_deferrable text, initially_deferred text, enforced text", func(b *Builder, c *Context) {
			for _, r := range c.relations() {
				if hasKey(r) {
					d := c.Catalog.Database
					b.Row(d, r.Schema, r.Name+"_pkey", d, r.Schema, r.Name, "PRIMARY KEY", "NO", "NO", "YES")
				}
			}
		}},
		{"key_column_usage", "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int4, position_in_unique_constraint int4", func(b *Builder, c *Context) {
			for _, r := range c.relations() {
				if !hasKey(r) {
					continue
				}
				for i, k := range r.Key {
					d := c.Catalog.Database
					b.Row(d, r.Schema, r.Name+"_pkey", d, r.Schema, r.Name, r.Columns[k].Name, i+1)
				}
			}
		}},
		{"referential_constraints", "constraint_catalog name, constraint_schema name, constraint_name name, unique_constraint_catalog name, unique_constraint_schema name, unique_constraint_name name, match_option text, update_rule text, delete_rule text", nil},
		{"routines", "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name, routine_type text, data_type text", nil},
	}
}

func tableType(k catalog.Kind) string {
	switch k {
	case catalog.KindView, catalog.KindSystem:
		return "VIEW"
	case catalog.KindMatView:
		return "MATERIALIZED VIEW"
	case catalog.KindSource:
		return "FOREIGN"
	}
	return "BASE TABLE"
}

func yes(is bool) string {
	if is {
		return "YES"
	}
	return "NO"
}

func fillColumns(b *Builder, c *Context) {
	for _, r := range c.relations() {
		num := 0
		for _, col := range r.Columns {
			if col.Hidden {
				continue
			}
			num++
			var length, precision, radix, scale, moment, def any
			switch col.Type.OID {
			case datum.OIDVarchar, datum.OIDBpchar:
				if col.Type.Mod > 4 {
					length = int64(col.Type.Mod - 4)
				}
			case datum.OIDInt2:
				precision, radix, scale = 16, 2, 0
			case datum.OIDInt4:
				precision, radix, scale = 32, 2, 0
			case datum.OIDInt8:
				precision, radix, scale = 64, 2, 0
			case datum.OIDNumeric:
				radix = 10
				if col.Type.Mod >= 4 {
					precision, scale = int64(col.Type.Mod-4)>>16, int64(col.Type.Mod-4)&0x7ff
				}
			case datum.OIDTimestamp, datum.OIDTimestampTZ, datum.OIDTime:
				moment = 6
			}
			if col.Default != "" {
				def = col.Default
			}
			t, _ := datum.LookupBuiltin(col.Type.OID)
			b.Row(c.Catalog.Database, r.Schema, r.Name, col.Name, num, def, yes(!declared(r, &col)), dataType(col.Type.OID), length, nil, precision, radix, scale, moment, nil,
				c.Catalog.Database, "pg_catalog", t.Name, "NO", "NEVER", nil, yes(r.Kind == catalog.KindTable))
		}
	}
}

// dataType is the name of a type as information_schema has it: without modifiers,
// ARRAY for any array.
func dataType(oid uint32) string {
	if dims(oid) > 0 {
		return "ARRAY"
	}
	return expr.FormatType(datum.Ref(oid))
}
