package jsontext

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever the text, nothing panics; of JSON, the members are what encoding/json finds.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{"a": 1, "b": [true, null, {"c": "d\u00e4\n"}]}`, ` [ 1 , -2.5e3,"x" ] `, `"\ud83d\ude00"`, `{}`, `[]`, `null`, `{"a`, `[1,`, `"\u00`, `]`, `{"a":}`, `[[[[`, "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		Kind(b)
		Field(b, []byte("a"))
		Element(b, -1)
		Pretty(nil, b, 0)
		StripNulls(nil, b, true)
		_, _ = Unquote(nil, b)
		Exists(b, []byte("a"))
		_, _ = Delete(nil, b, []byte("a"))
		e := Edit{Value: []byte("1"), Create: true}
		_, _ = e.Apply(nil, b, [][]byte{[]byte("a"), nil})
		if json.Valid(b) {
			checkMembers(t, b)
		}
	})
}

func checkMembers(t *testing.T, b []byte) {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	switch Kind(b) {
	case Array:
		if json.Unmarshal(b, &list) != nil || len(list) != Len(b) {
			t.Fatalf("%s: %d elements, not %d", b, Len(b), len(list))
		}
		for i, want := range list {
			if got, ok := Element(b, i); !ok || !bytes.Equal(got, Trim(want)) {
				t.Fatalf("%s: element %d is %s, not %s", b, i, got, want)
			}
		}
	case Object:
		if json.Unmarshal(b, &object) != nil {
			return
		}
		for key, want := range object {
			if bytes.ContainsAny([]byte(key), "\x00\ufffd") {
				continue // what text cannot hold, and what no character stands for
			}
			if got, ok := Field(b, []byte(key)); !ok || !bytes.Equal(got, Trim(want)) {
				t.Fatalf("%s: %q is %s, not %s", b, key, got, want)
			}
		}
	}
	for it := Members(b); it.Next(); {
		if !json.Valid(it.Value) || it.Key != nil && !json.Valid(it.Key) {
			t.Fatalf("%s: a member is %s: %s", b, it.Key, it.Value)
		}
		checkMembers(t, it.Value)
	}
}

func TestQuotedReadsBack(t *testing.T) {
	for _, s := range []string{"", "a", "\"\\\n\r\t\b\f\x01", "äöü😀"} {
		quoted := AppendQuoted(nil, []byte(s))
		var got string
		if err := json.Unmarshal(quoted, &got); err != nil || got != s {
			t.Errorf("%q is written %s", s, quoted)
		}
		if back, err := Unquote(nil, quoted); err != nil || string(back) != s {
			t.Errorf("%s is read %q, %v", quoted, back, err)
		}
	}
}
