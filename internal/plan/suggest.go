package plan

import (
	"fmt"

	"github.com/weirstream/weir/internal/sql"
)

// farthest is how many letters a name may differ by to be suggested.
const farthest = 3

// suggest adds the columns whose names are nearly name as a hint.
func suggest(e *sql.Error, name string, scopes []*scope) *sql.Error {
	best := farthest + 1
	var found []string
	for _, s := range scopes {
		for _, t := range s.tables {
			for _, c := range t.cols {
				if c.hidden || c.name == "" {
					continue
				}
				d := distance(name, c.name)
				if d > len(name)/2 || d > best {
					continue
				}
				if d < best {
					best, found = d, nil
				}
				found = append(found, fmt.Sprintf("column %q", t.name+"."+c.name))
			}
		}
	}
	switch len(found) {
	case 1:
		e.Hint = fmt.Sprintf("Perhaps you meant to reference the %s.", found[0])
	case 2:
		e.Hint = fmt.Sprintf("Perhaps you meant to reference the %s or the %s.", found[0], found[1])
	}
	return e
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, last+cost)
			last, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
