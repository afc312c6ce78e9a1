// Package feeds is about changefeeds of SQL: what tables and views change by leaves the real
// weir for a real PostgreSQL, each change once, also when weir is killed at any moment.
package feeds
