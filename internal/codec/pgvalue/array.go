package pgvalue

import "github.com/weirstream/weir/internal/datum"

func appendArray(dst []byte, elem uint32, mod int32, text []byte, o *Options) ([]byte, error) {
	if _, err := datum.ParseArray(text, datum.Delim(elem)); err != nil {
		return dst, fault(datum.CodeInvalidText, "malformed array literal: \"%s\"", text)
	}
	return append(dst, text...), nil
}
