package datum

import "bytes"

// HstoreIter walks the pairs of an hstore value such as "a"=>"1", "b"=>NULL.
//
//	for it := datum.Hstore(b, scratch); it.Next(); { use(it.Key, it.Null, it.Value) }
type HstoreIter struct {
	Key, Value []byte // until the following Next: borrowed from the text, or from Scratch
	Null       bool   // the value is NULL
	Scratch    []byte
	whole      []byte
	rest       []byte
	err        error
}

// Hstore starts a walk. scratch, which may be nil, is used for unescaping.
func Hstore(b, scratch []byte) HstoreIter {
	return HstoreIter{Scratch: scratch, whole: b, rest: b}
}

// Err tells whether the walk stopped at malformed text.
func (it *HstoreIter) Err() error { return it.err }

// Next moves to the next pair; false at the end or at malformed text (see Err).
func (it *HstoreIter) Next() bool {
	if it.err != nil || len(it.rest) == 0 {
		return false
	}
	it.Scratch = it.Scratch[:0]
	if !it.pair() {
		it.err = bad("hstore", it.whole)
		return false
	}
	return true
}

func (it *HstoreIter) pair() (ok bool) {
	if it.Key, ok = it.quoted(); !ok || !it.cut("=>") {
		return false
	}
	if it.Null = it.cut("NULL"); it.Null {
		it.Value = nil
	} else if it.Value, ok = it.quoted(); !ok {
		return false
	}
	return len(it.rest) == 0 || it.cut(", ") && len(it.rest) > 0
}

func (it *HstoreIter) cut(token string) bool {
	rest, ok := bytes.CutPrefix(it.rest, []byte(token))
	it.rest = rest
	return ok
}

func (it *HstoreIter) quoted() ([]byte, bool) {
	if len(it.rest) == 0 || it.rest[0] != '"' {
		return nil, false
	}
	n, plain := elementEnd(it.rest, ',')
	if n == 0 {
		return nil, false
	}
	text := it.rest[1 : n-1]
	it.rest = it.rest[n:]
	if plain {
		return text, true
	}
	base := len(it.Scratch)
	it.Scratch = unescape(it.Scratch, text)
	return it.Scratch[base:], true
}
