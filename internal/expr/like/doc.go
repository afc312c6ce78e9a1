// Package like matches LIKE patterns.
//
//	'a%b_c%'  ─► parts between the %: "a", "b_c", ""
//	first part at the start, last part at the end, the others one after the other where they come first
//
// A pattern without _ is compared and searched by octets alone: prefix, suffix, contains.
//
// Invariants:
//   - % is any number of characters, _ is one character, not one octet;
//   - matching takes time linear in the text for patterns without _; it does not allocate, unless it folds case.
package like
