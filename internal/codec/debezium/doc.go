// Package debezium writes row changes as Debezium's JSON events, so that whatever
// reads Debezium today can read Weir.
//
//	row.Change + *row.Schema + Info
//	      │  Events: one event, or delete and create when the key changes
//	      ▼
//	key   {"id":1}
//	value {"before":…,"after":…,"source":{…},"transaction":null,"op":"u","ts_ms":…,"ts_us":…,"ts_ns":…}
//	      each wrapped in {"schema":…,"payload":…} when Options.Schemas is set
//
// Fields stand in Debezium's order, values in Debezium's encodings. Where those
// would not be valid JSON, or would say something untrue, the choice is:
//
//   - NaN and the infinities of float4, float8 and decimals as doubles are the
//     strings "NaN", "Infinity", "-Infinity"; of decimals otherwise "NAN",
//     "POSITIVE_INFINITY", "NEGATIVE_INFINITY" (no base64 can look like these);
//   - a number that does not fit the 64 bits of its schema (a timestamp after the
//     year 294246, an interval of a hundred million years) is written in full;
//   - an infinite date is the largest or smallest int32, an infinite timestamp
//     9223372036825200000 or -9223372036832400000, an infinite interval the largest
//     or smallest int64;
//   - a delete that carries the key only has null in all other columns, NOT NULL
//     ones too; in the schema only columns that are always there are required;
//   - arrays of several dimensions nest, lower bounds are left out; composites,
//     ranges and types without an encoding of their own are their text;
//   - a closed path and a box are polygons, an open path and a segment line strings.
//
// Invariants:
//   - every event is one line of valid JSON, whatever the value; a value that is not
//     of its type is a BadRow error that names table and column;
//   - the same change, schema and Info give the same bytes;
//   - values of common types are encoded without allocating.
//
// It does not deliver, order or deduplicate events, and has no clock: Info brings
// the processing time.
package debezium
