// Package catalog knows what a database holds: sources, tables, views and their
// columns, by name and by id, and who depends on whom. A Catalog is an immutable
// value; a change makes a new one.
//
//	Catalog ──With · Without · Rename──► Catalog'      readers keep the one they took
//	        ──State──► JSON ──Restore──► Catalog
//
// Invariants:
//   - a name means at most one relation of a schema;
//   - an id is never used twice;
//   - nothing that another relation depends on can go without it.
//
// It does not persist (package database) nor parse.
package catalog
