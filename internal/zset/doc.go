// Package zset has the words of the engine: Chunk, a batch of rows in columns, each
// with a weight, and the encodings of its values. A collection is a Z-set: a
// multiset whose rows have integer weights; a change of a collection is one too.
//
//	Chunk  ┌──────── Cols ────────┬─ W ─┐
//	       │ Vec 0 │ Vec 1 │  …   │ +1  │    an insert
//	       │ Vec 0 │ Vec 1 │  …   │ -1  │    a delete; an update is one of each
//	       └──────────────────────┴─────┘
//	Vec    typed values of one Kind; pointer-free; NULLs in a bitmap
//
//	build    NewVec, AppendInt, AppendNum, AppendBytes, AppendNull, AppendFrom, AppendAll, Truncate; NewChunk, AppendRow
//	share    Gather, Slice, Project, Negate, Concat: Data is shared where it can be
//	merge    Consolidator: equal rows once, weights added, no 0
//	encode   AppendKey, AppendExact, AppendExactRow of one row; Rows.EncodeKeys, EncodeExact, Hash of many
//	decode   DecodeKey, SkipKey; DecodeExact, DecodeExactRow, SkipExact
//	compare  Compare, in PostgreSQL's order
//
// Two encodings of a value:
//   - key: order preserving, equal bytes for equal values (1.10 and 1.1), with
//     PostgreSQL's order (NULLs last ascending); for grouping, joining, sorting;
//   - exact: compact, keeps the display scale; for storing and for the identity of a row.
//
// A key knows kinds, not types. So char(n) is grouped with its blanks, which are as many
// for all values of one length; and json, arrays and other types that are kept as text are
// equal when their canonical text is, and sort by it.
//
// Invariants:
//   - a Chunk that has been handed on is never written again; Vecs may share Data;
//   - Len of every Vec is Chunk.N; every value of a Vec has its Kind;
//   - encoding and decoding never panic, whatever the bytes.
//
// It does not know SQL types' text (package codec/pgvalue) nor expressions.
package zset
