// Package jsontext finds its way in the text of JSON values, and writes them. Types json and jsonb keep their
// values as text that was checked when it came in (package codec/pgvalue), so that nothing is parsed that is
// not asked for.
//
//	{"a": [1, {"b": "x"}]}   Field "a" ─► [1, {"b": "x"}]   Element 1 ─► {"b": "x"}   Field "b" ─► "x" ─► Unquote: x
//
// Invariants:
//   - values are parts of the text that was given; only strings with escapes are copied;
//   - whatever the text, nothing panics; of text that is no JSON the answer is of no interest.
//
// It does not check JSON, nor bring it into jsonb's form.
package jsontext
