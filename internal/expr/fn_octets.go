package expr

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/sql"
)

func declareOctets(r *Registry) {
	r.fn("length(bytea) int4", textInt(func(s []byte) int { return len(s) }))
	r.fn("octet_length(bytea) int4", textInt(func(s []byte) int { return len(s) }))
	r.fn("bit_length(bytea) int4", textInt(func(s []byte) int { return 8 * len(s) }))
	r.fn("position(bytea,bytea) int4", perRow(func(r *Row) error {
		r.SetInt(int64(bytes.Index(r.Bytes(0), r.Bytes(1)) + 1))
		return nil
	}))
	md5Text := text1(func(dst, s []byte) []byte { sum := md5.Sum(s); return hex.AppendEncode(dst, sum[:]) })
	r.fn("md5(text) text", md5Text)
	r.fn("md5(bytea) text", md5Text)
	r.fn("sha224(bytea) bytea", text1(func(dst, s []byte) []byte { sum := sha256.Sum224(s); return append(dst, sum[:]...) }))
	r.fn("sha256(bytea) bytea", text1(func(dst, s []byte) []byte { sum := sha256.Sum256(s); return append(dst, sum[:]...) }))
	r.fn("sha384(bytea) bytea", text1(func(dst, s []byte) []byte { sum := sha512.Sum384(s); return append(dst, sum[:]...) }))
	r.fn("sha512(bytea) bytea", text1(func(dst, s []byte) []byte { sum := sha512.Sum512(s); return append(dst, sum[:]...) }))
	r.fn("encode(bytea,text) text", perRow(encode))
	r.fn("decode(text,text) bytea", perRow(decode))
	r.fn("get_byte(bytea,int4) int4", perRow(getByte))
	r.fn("set_byte(bytea,int4,int4) bytea", perRow(setByte))
	r.fn("convert_from(bytea,name) text", perRow(convertFrom), stable)
	r.fn("convert_to(text,name) bytea", perRow(func(r *Row) error {
		if err := utf8Only(r.Bytes(1), "destination"); err != nil {
			return err
		}
		r.SetBytes(r.Bytes(0))
		return nil
	}), stable)
}

// lineLength is where base64 is broken, as MIME does.
const lineLength = 76

func encode(r *Row) error {
	data, dst := r.Bytes(0), r.data()
	switch name := string(r.Bytes(1)); {
	case equalFold(name, "hex"):
		r.set(hex.AppendEncode(dst, data))
	case equalFold(name, "base64"):
		start := len(dst)
		dst = base64.StdEncoding.AppendEncode(dst, data)
		r.set(brokenLines(dst, start))
	case equalFold(name, "escape"):
		for _, c := range data {
			switch {
			case c == 0 || c >= utf8.RuneSelf:
				dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			case c == '\\':
				dst = append(dst, '\\', '\\')
			default:
				dst = append(dst, c)
			}
		}
		r.set(dst)
	default:
		return rowFail(sql.InvalidParameter, "unrecognized encoding: \"%s\"", name)
	}
	return nil
}

func equalFold(a, b string) bool { return bytes.EqualFold([]byte(a), []byte(b)) }

// brokenLines puts a newline after every full line of what begins at start.
func brokenLines(dst []byte, start int) []byte {
	text := bytes.Clone(dst[start:])
	dst = dst[:start]
	for len(text) > lineLength {
		dst = append(append(dst, text[:lineLength]...), '\n')
		text = text[lineLength:]
	}
	return append(dst, text...)
}

func decode(r *Row) error {
	text, dst := r.Bytes(0), r.data()
	var err error
	switch name := string(r.Bytes(1)); {
	case equalFold(name, "hex"):
		dst, err = decodeHex(dst, text)
	case equalFold(name, "base64"):
		dst, err = decodeBase64(dst, text)
	case equalFold(name, "escape"):
		dst, err = decodeEscape(dst, text)
	default:
		err = rowFail(sql.InvalidParameter, "unrecognized encoding: \"%s\"", name)
	}
	if err == nil {
		r.set(dst)
	}
	return err
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func decodeHex(dst, text []byte) ([]byte, error) {
	digit := func(c byte) int { return bytes.IndexByte([]byte("0123456789abcdef"), c|0x20) }
	for len(text) > 0 {
		if isBlank(text[0]) {
			text = text[1:]
			continue
		}
		for i := range min(2, len(text)) {
			if d := digit(text[i]); d < 0 || text[i] < '0' {
				return dst, rowFail(sql.InvalidParameter, "invalid hexadecimal digit: \"%s\"", text[i:i+charEnd(text[i:], 1)])
			}
		}
		if len(text) < 2 {
			return dst, rowFail(sql.InvalidParameter, "invalid hexadecimal data: odd number of digits")
		}
		dst = append(dst, byte(digit(text[0])<<4|digit(text[1])))
		text = text[2:]
	}
	return dst, nil
}

func decodeBase64(dst, text []byte) ([]byte, error) {
	packed := make([]byte, 0, len(text))
	for i, c := range text {
		switch {
		case isBlank(c):
		case c == '=' || c == '+' || c == '/' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
			packed = append(packed, c)
		default:
			return dst, rowFail(sql.InvalidParameter, "invalid symbol \"%s\" found while decoding base64 sequence", text[i:i+charEnd(text[i:], 1)])
		}
	}
	out, err := base64.StdEncoding.AppendDecode(dst, packed)
	if err != nil {
		return dst, withHint(rowFail(sql.InvalidParameter, "invalid base64 end sequence"),
			"Input data is missing padding, is truncated, or is otherwise corrupted.")
	}
	return out, nil
}

func decodeEscape(dst, text []byte) ([]byte, error) {
	octal := func(c byte, most byte) bool { return c >= '0' && c <= most }
	for len(text) > 0 {
		switch {
		case text[0] != '\\':
			dst, text = append(dst, text[0]), text[1:]
		case len(text) > 3 && octal(text[1], '3') && octal(text[2], '7') && octal(text[3], '7'):
			dst, text = append(dst, (text[1]-'0')<<6|(text[2]-'0')<<3|text[3]-'0'), text[4:]
		case len(text) > 1 && text[1] == '\\':
			dst, text = append(dst, '\\'), text[2:]
		default:
			return dst, rowFail(sql.InvalidText, "invalid input syntax for type %s", "bytea")
		}
	}
	return dst, nil
}

func (r *Row) octetIndex() (int64, error) {
	n, size := r.Int(1), len(r.Bytes(0))
	if n < 0 || n >= int64(size) {
		return 0, rowFail(sql.ArraySubscript, "index %d out of valid range, 0..%d", n, size-1)
	}
	return n, nil
}

func getByte(r *Row) error {
	n, err := r.octetIndex()
	if err == nil {
		r.SetInt(int64(r.Bytes(0)[n]))
	}
	return err
}

func setByte(r *Row) error {
	n, err := r.octetIndex()
	if err == nil {
		off := len(r.data())
		dst := append(r.data(), r.Bytes(0)...)
		dst[off+int(n)] = byte(r.Int(2))
		r.set(dst)
	}
	return err
}

// utf8Only refuses all encodings but the one there is.
func utf8Only(name []byte, which string) error {
	if equalFold(string(name), "utf8") || equalFold(string(name), "utf-8") || equalFold(string(name), "unicode") {
		return nil
	}
	return rowFail(sql.InvalidParameter, "invalid %s encoding name \"%s\"", which, name)
}

func convertFrom(r *Row) error {
	if err := utf8Only(r.Bytes(1), "source"); err != nil {
		return err
	}
	s := r.Bytes(0)
	for i := 0; i < len(s); {
		c, w := utf8.DecodeRune(s[i:])
		if c == utf8.RuneError && w == 1 || c == 0 {
			return rowFail(sql.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x%02x", s[i])
		}
		i += w
	}
	r.SetBytes(s)
	return nil
}
