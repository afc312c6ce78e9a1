package expr

import "unicode/utf8"

func declarePads(r *Registry) {
	r.fn("lpad(text,int4) text", perRow(lpad))
	r.fn("lpad(text,int4,text) text", perRow(lpad))
	r.fn("rpad(text,int4) text", perRow(rpad))
	r.fn("rpad(text,int4,text) text", perRow(rpad))
}

// padding is what lpad and rpad need: s cut to n characters, and how many are missing.
func padding(r *Row) (s, fill []byte, missing int, err error) {
	s, fill = r.Bytes(0), blank
	if r.Len() == 3 {
		fill = r.Bytes(2)
	}
	n := int(max(r.Int(1), 0))
	if n > maxValue/utf8.UTFMax {
		return nil, nil, 0, errTooLong
	}
	if have := charCount(s); have < n && len(fill) > 0 {
		missing = n - have
	} else {
		s = s[:charEnd(s, n)]
	}
	return s, fill, missing, nil
}

// appendFill appends n characters of fill, over and over.
func appendFill(dst, fill []byte, n int) []byte {
	for n > 0 {
		part := fill[:charEnd(fill, n)]
		n -= charCount(part)
		dst = append(dst, part...)
	}
	return dst
}

func lpad(r *Row) error {
	s, fill, missing, err := padding(r)
	if err == nil {
		r.set(append(appendFill(r.data(), fill, missing), s...))
	}
	return err
}

func rpad(r *Row) error {
	s, fill, missing, err := padding(r)
	if err == nil {
		r.set(appendFill(append(r.data(), s...), fill, missing))
	}
	return err
}
