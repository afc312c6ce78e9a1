package script

import (
	"crypto/md5" // the format's checksum
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Value is one value of a result in the server's text form.
type Value struct {
	Text string
	Null bool
}

// String is the value as scripts write it.
func (v Value) String() string {
	switch {
	case v.Null:
		return "NULL"
	case v.Text == "":
		return "(empty)"
	}
	return escapes.Replace(v.Text)
}

var escapes = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)

// Rows is a result: rows of equal length.
type Rows [][]Value

// written is the result in words, a slice a row, in the order to compare in.
func (rows Rows) written(order Order) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		out[i] = make([]string, len(r))
		for j, v := range r {
			out[i][j] = v.String()
		}
	}
	switch order {
	case NoSort:
	case RowSort:
		slices.SortFunc(out, slices.Compare)
	case ValueSort:
		all := slices.Concat(out...)
		slices.Sort(all)
		for i := range out {
			n := len(out[i])
			out[i], all = all[:n:n], all[n:]
		}
	}
	return out
}

// Lines is the result as a script writes it, a row a line, or as a hash if there
// are more values than threshold, unless that is 0.
func (rows Rows) Lines(order Order, threshold int) []string {
	w := rows.written(order)
	if n := count(w); threshold > 0 && n > threshold {
		return []string{hash(w)}
	}
	lines := make([]string, len(w))
	for i, r := range w {
		lines[i] = strings.TrimRight(strings.Join(r, "\t"), " ")
	}
	return lines
}

// Matches says whether the result is the expected one, in any of the three forms.
func (rows Rows) Matches(want []string, order Order) bool {
	w := rows.written(order)
	if len(want) == 1 && strings.Contains(want[0], " values hashing to ") {
		return want[0] == hash(w)
	}
	if slices.Equal(want, rows.Lines(order, 0)) {
		return true
	}
	values := slices.Concat(w...)
	for i := range values {
		values[i] = strings.TrimRight(values[i], " ")
	}
	return slices.Equal(want, values)
}

func count(w [][]string) (n int) {
	for _, r := range w {
		n += len(r)
	}
	return n
}

func hash(w [][]string) string {
	sum := md5.New() // the format's checksum
	for _, r := range w {
		for _, v := range r {
			sum.Write([]byte(v + "\n"))
		}
	}
	return fmt.Sprintf("%d values hashing to %s", count(w), hex.EncodeToString(sum.Sum(nil)))
}
