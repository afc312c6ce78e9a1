package pgvalue

import (
	"fmt"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datum"
)

// appendBits appends a bit string: binary digits, maybe after b, or hexadecimal ones
// after x. mod is the length of bit(n) or the limit of varbit(n).
func appendBits(dst, text []byte, mod int32, varying, cast bool) ([]byte, error) {
	start := len(dst)
	dst, err := appendDigits(dst, text)
	if err != nil {
		return dst[:start], err
	}
	n := len(dst) - start
	switch {
	case mod < 0:
	case varying && n > int(mod):
		if !cast {
			return dst[:start], fault(datum.CodeStringTruncation, "bit string too long for type bit varying(%d)", mod)
		}
		dst = dst[:start+int(mod)]
	case !varying && n != int(mod):
		if !cast {
			return dst[:start], fault("22026", "bit string length %d does not match type bit(%d)", n, mod)
		}
		dst = dst[:min(start+int(mod), len(dst))]
		for len(dst) < start+int(mod) {
			dst = append(dst, '0')
		}
	}
	return dst, nil
}

func appendDigits(dst, text []byte) ([]byte, error) {
	if len(text) > 0 && text[0]|0x20 == 'x' {
		for i, c := range text[1:] {
			d, ok := unhex(c)
			if !ok {
				return dst, badDigit(text[1+i:], "hexadecimal")
			}
			dst = fmt.Appendf(dst, "%04b", d)
		}
		return dst, nil
	}
	if len(text) > 0 && text[0]|0x20 == 'b' {
		text = text[1:]
	}
	for i, c := range text {
		if c != '0' && c != '1' {
			return dst, badDigit(text[i:], "binary")
		}
		dst = append(dst, c)
	}
	return dst, nil
}

func badDigit(b []byte, what string) error {
	_, w := utf8.DecodeRune(b)
	return fault(datum.CodeInvalidText, "\"%s\" is not a valid %s digit", b[:w], what)
}
