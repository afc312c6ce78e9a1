// Package script reads and writes logic scripts in the sqllogictest format: SQL
// statements and queries with what a server must answer.
//
//	statement ok                     the next lines, to a blank one, are SQL
//	statement error 22012            a regular expression for the error's text, which
//	statement count 3                  ends in "(SQLSTATE 22012)"; or rows affected
//
//	query ITR rowsort a-label        columns: I integer, R numeric or float, T the rest
//	SELECT …                         order: nosort (the default), rowsort, valuesort
//	----                             queries of one label must have one result
//	1	one	1.50                       one row a line, columns separated by a tab;
//	30 values hashing to 1a79…         or one value a line; or a hash
//
//	query error 22P02                the query must fail
//	skipif weir · onlyif postgresql  about the next record; they add up
//	hash-threshold 60 · halt · include schema/shop.slt · # comment
//
// NULL stands for NULL, (empty) for an empty string; line breaks and tabs in
// values are written \n, \r and \t. The hash is the MD5 of all values, each
// followed by a line feed, in the order that the record asks for.
//
// Invariants:
//   - parsing and rewriting with the results that a script expects gives the same
//     text, but for spaces at line ends;
//   - rewriting changes expectations only: SQL, comments and included files stay.
//
// It speaks to no server; package play does.
package script
