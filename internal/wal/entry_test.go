package wal

import (
	"bytes"
	"reflect"
	"testing"
)

func TestEntryRoundTrip(t *testing.T) {
	entries := []Entry{
		{Kind: KindTxn},
		{Kind: KindTxn, Position: []byte("0/16B3748"), Xid: 7, CommitUs: -5, Changes: []byte("changes")},
		{Kind: KindMarker, Changes: bytes.Repeat([]byte{0}, 1000)},
		{Kind: KindTxn, Position: []byte{0}, Xid: 1<<64 - 1, CommitUs: 1 << 62, Large: &LargeRef{Attempt: 9, Bytes: 1 << 40, Changes: -1}},
		{Kind: KindTxn, Large: &LargeRef{Attempt: 1, Subs: []uint64{}}},
		{Kind: KindTxn, Large: &LargeRef{Attempt: 1, Subs: []uint64{5, 3, 1<<64 - 1, 0}, Changes: 12}},
	}
	for _, want := range entries {
		enc := AppendEntry(nil, &want)
		if head := AppendHead(nil, &want); !bytes.Equal(append(head, want.Changes...), enc) {
			t.Errorf("%+v: head and changes are not the encoding", want)
		}
		var got Entry
		if err := DecodeEntry(enc, &got); err != nil {
			t.Fatalf("%+v: %v", want, err)
		}
		if got.Kind != want.Kind || !bytes.Equal(got.Position, want.Position) || got.Xid != want.Xid ||
			got.CommitUs != want.CommitUs || !bytes.Equal(got.Changes, want.Changes) || !reflect.DeepEqual(got.Large, want.Large) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func FuzzDecodeEntry(f *testing.F) {
	f.Add(AppendEntry(nil, &Entry{Kind: KindTxn, Position: []byte("pos"), Xid: 3, Changes: []byte("abc")}))
	f.Add(AppendEntry(nil, &Entry{Kind: KindTxn, Large: &LargeRef{Attempt: 1, Subs: []uint64{4, 9}}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var e Entry
		if DecodeEntry(b, &e) != nil {
			return
		}
		enc := AppendEntry(nil, &e)
		var again Entry
		if err := DecodeEntry(enc, &again); err != nil {
			t.Fatalf("what was decoded does not survive encoding: %v", err)
		}
		if !reflect.DeepEqual(e, again) {
			t.Fatalf("got %+v, want %+v", again, e)
		}
	})
}
