package fourways

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

// shown bounds the rows that a fault prints of each kind.
const shown = 20

// sameRows compares two results; "" if equal.
func sameRows(want, got script.Rows, order script.Order) string {
	w, g := want.Lines(order, 0), got.Lines(order, 0)
	if slices.Equal(w, g) {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows, want %d", len(g), len(w))
	missing, extra := less(w, g), less(g, w)
	if len(missing)+len(extra) == 0 {
		b.WriteString(", in another order")
		missing, extra = w, g
	}
	list(&b, "missing", missing)
	list(&b, "too many", extra)
	return b.String()
}

// less is a without b, as multisets.
func less(a, b []string) (rest []string) {
	times := map[string]int{}
	for _, s := range b {
		times[s]++
	}
	for _, s := range a {
		if times[s]--; times[s] < 0 {
			rest = append(rest, s)
		}
	}
	return rest
}

func list(b *strings.Builder, title string, rows []string) {
	for i, r := range rows {
		if i == shown {
			fmt.Fprintf(b, "\n  … %d more", len(rows)-shown)
			return
		}
		fmt.Fprintf(b, "\n  %s: %s", title, r)
	}
}

// sameColumns compares what two servers say of their columns; "" if equal.
func sameColumns(want, got []play.Column) string {
	if slices.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("columns (name, type's OID) %v, want %v", got, want)
}
