// Package pgcatalog answers for the relations of pg_catalog and information_schema
// that clients look into: made up from the database's catalog whenever they are read.
//
//	Relations() ─► their names and columns, for the binder
//	Rows(name, Context) ─► their rows, as one chunk
//	Functions() ─► format_type, pg_table_is_visible, pg_get_viewdef, …: for the registry of expr
//
// Invariants:
//   - names, columns and types are those of PostgreSQL 15, as far as they are here;
//     a relation may lack columns that nobody asks for;
//   - what does not exist in Weir (policies, triggers, inheritance) is an empty
//     relation, not an error;
//   - ids of relations are below catalog.FirstID and never change.
//
// It does not know weir_* relations: their rows come from what runs.
package pgcatalog
