// Package numeric computes with PostgreSQL's numeric: exact decimals with a
// display scale, NaN and the infinities.
//
//	Num  ┌──── Hi ────┬──── Lo ────┬ Scale ┬ Form ┐   24 bytes, no pointer
//	     │ 128-bit two's complement│ int16 │      │   value = coefficient × 10^-Scale
//	     └────────────┴────────────┴───────┴──────┘
//	     a number beyond 38 digits has Form Big: its text lies in the arena of the
//	     column it is in, Lo holds offset and length
//
//	Add, Sub, Mul, Div, Quo, Mod   of Val (a Num and its arena); the result's text, when
//	Round, Trunc, Ceil, Floor, Fit   Big, is appended to dst, which comes back
//	Add128, Sub128, Mul128, Cmp128   the fast path alone; false: call the other
//	AddCols, SubCols, MulCols        columns; a column of one value is a constant
//	Sqrt, Exp, Ln, Log, Power        with PostgreSQL's result scales
//	FromText, FromInt64, FromFloat64, ToInt64, ToFloat64, AppendText
//	Sum                              exact, retractable; sum and avg
//	AppendKey                        order preserving; AppendExact: with the scale
//
// Invariants:
//   - results have the digits and the display scale that PostgreSQL gives;
//   - 1.10 and 1.1 compare equal, and keep their scales;
//   - the 128-bit path does not allocate; it never wraps: what does not fit
//     goes the exact way through math/big.
//
// It does not know columns (package zset).
package numeric
