package datum

// AppendBytea appends the octets that b, in the form of bytea_output hex, stands for.
func AppendBytea(dst, b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '\\' || b[1] != 'x' || len(b)%2 != 0 {
		return dst, bad("bytea", b)
	}
	start := len(dst)
	for i := 2; i < len(b); i += 2 {
		hi, lo := unhex[b[i]], unhex[b[i+1]]
		if hi|lo >= 16 {
			return dst[:start], bad("bytea", b)
		}
		dst = append(dst, hi<<4|lo)
	}
	return dst, nil
}

// unhex maps a hexadecimal digit to its value, anything else to 0xff.
var unhex = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// ParseUUID reads 8-4-4-4-12 hexadecimal digits.
func ParseUUID(b []byte) (id [16]byte, err error) {
	if len(b) != 36 || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
		return id, bad("uuid", b)
	}
	i, out := 0, id
	for n := range out {
		if b[i] == '-' {
			i++
		}
		hi, lo := unhex[b[i]], unhex[b[i+1]]
		if hi|lo >= 16 {
			return id, bad("uuid", b)
		}
		out[n] = hi<<4 | lo
		i += 2
	}
	return out, nil
}

// AppendUUID appends the text form.
func AppendUUID(dst []byte, id [16]byte) []byte {
	const digits = "0123456789abcdef"
	for i, c := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return dst
}

// AppendBits packs a bit string, first bit highest, and gives its length in bits.
func AppendBits(dst, b []byte) (_ []byte, n int, err error) {
	start := len(dst)
	for i, c := range b {
		if c != '0' && c != '1' {
			return dst[:start], 0, bad("bit", b)
		}
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= (c - '0') << (7 - i%8)
	}
	return dst, len(b), nil
}
