package pgvalue

import (
	"bytes"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// arrayWriter writes an array as PostgreSQL prints it: start, then every element in
// row-major order, then finish.
type arrayWriter struct {
	dst  []byte
	dims []datum.Dim
	elem uint32
	opts Options
	n    int // elements so far
}

func (w *arrayWriter) start() {
	plain := true
	for _, d := range w.dims {
		if d.Len == 0 {
			w.dims = nil // an array without elements is {}
			return
		}
		plain = plain && d.Lower == 1
	}
	if plain {
		return
	}
	for _, d := range w.dims {
		w.dst = strconv.AppendInt(append(w.dst, '['), int64(d.Lower), 10)
		w.dst = strconv.AppendInt(append(w.dst, ':'), int64(d.Lower)+int64(d.Len)-1, 10)
		w.dst = append(w.dst, ']')
	}
	w.dst = append(w.dst, '=')
}

// open writes the delimiter and braces before element n.
func (w *arrayWriter) open() {
	span, opened := 1, 0
	for i := len(w.dims) - 1; i >= 0; i-- {
		if span *= int(w.dims[i].Len); w.n%span != 0 {
			break
		}
		opened++
	}
	if w.n > 0 {
		for range opened {
			w.dst = append(w.dst, '}')
		}
		w.dst = append(w.dst, datum.Delim(w.elem))
	}
	for range opened {
		w.dst = append(w.dst, '{')
	}
	w.n++
}

func (w *arrayWriter) null() {
	w.open()
	w.dst = append(w.dst, "NULL"...)
}

// value writes the one value of v.
func (w *arrayWriter) value(v *zset.Vec) {
	w.open()
	off := len(w.dst)
	w.dst = AppendText(w.dst, v, 0, datum.Ref(w.elem), w.opts)
	if needsQuotes(w.dst[off:], datum.Delim(w.elem)) {
		text := append([]byte(nil), w.dst[off:]...)
		w.dst = appendQuoted(w.dst[:off], text)
	}
}

func (w *arrayWriter) finish() []byte {
	if w.n == 0 {
		return append(w.dst, "{}"...)
	}
	for range w.dims {
		w.dst = append(w.dst, '}')
	}
	return w.dst
}

// needsQuotes tells whether an element must be quoted to be read back.
func needsQuotes(b []byte, delim byte) bool {
	if len(b) == 0 || len(b) == 4 && bytes.EqualFold(b, []byte("null")) {
		return true
	}
	for _, c := range b {
		switch c {
		case '"', '\\', '{', '}', delim, ' ', '\t', '\n', '\r', '\v', '\f':
			return true
		}
	}
	return false
}

func appendQuoted(dst, b []byte) []byte {
	dst = append(dst, '"')
	for _, c := range b {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
