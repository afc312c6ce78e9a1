package tpch

import (
	"iter"
	"strings"
)

// Batch is changes that belong together: a transaction's worth of statements,
// without BEGIN and COMMIT.
type Batch struct {
	Name       string
	Statements []string
	// Inserted and Deleted are numbers of rows, all tables together.
	Inserted, Deleted int
}

// chunk is the rows of one INSERT.
const chunk = 500

func (b *Batch) insert(table string, rows []row) {
	b.Inserted += len(rows)
	for len(rows) > 0 {
		n := min(chunk, len(rows))
		var sql strings.Builder
		sql.WriteString("INSERT INTO " + table + " VALUES")
		for i, r := range rows[:n] {
			if i > 0 {
				sql.WriteByte(',')
			}
			sql.WriteString("\n('" + strings.Join(r, "', '") + "')")
		}
		b.Statements = append(b.Statements, sql.String())
		rows = rows[n:]
	}
}

// remove deletes orders with their lines.
func (b *Batch) remove(orders []placed) {
	if len(orders) == 0 {
		return
	}
	keys := make([]string, len(orders))
	for i, o := range orders {
		keys[i] = o.key
		b.Deleted += 1 + o.lines
	}
	in := " IN (" + strings.Join(keys, ", ") + ")"
	b.Statements = append(b.Statements, "DELETE FROM lineitem WHERE l_orderkey"+in, "DELETE FROM orders WHERE o_orderkey"+in)
}

// placed is an order that is there.
type placed struct {
	key   string
	lines int
}

// Batches makes the load in n+1 batches. A generator makes them once.
func (g *Generator) Batches(n int) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		if !yield(g.base()) {
			return
		}
		var there []placed
		for i := range n {
			b := Batch{Name: "orders " + itoa(i+1) + " of " + itoa(n)}
			from, to := g.total*i/n, g.total*(i+1)/n
			if i > 0 {
				there = g.forget(&b, there, (to-from)/20)
			}
			var orders, lines []row
			for k := from; k < to; k++ {
				o, of := g.order(k)
				orders, lines = append(orders, o), append(lines, of...)
				there = append(there, placed{o[0], len(of)})
			}
			b.insert("orders", orders)
			b.insert("lineitem", lines)
			if !yield(b) {
				return
			}
		}
	}
}

// base is all but orders and lines.
func (g *Generator) base() Batch {
	b := Batch{Name: "base"}
	b.insert("region", g.regionRows())
	b.insert("nation", g.nationRows())
	b.insert("supplier", g.supplierRows())
	b.insert("part", g.partRows())
	b.insert("partsupp", g.partsuppRows())
	b.insert("customer", g.customerRows())
	return b
}

// forget deletes n of the orders that are there, chosen at random, and returns
// the others.
func (g *Generator) forget(b *Batch, there []placed, n int) []placed {
	n = min(n, len(there))
	for i := range n {
		j := i + g.random.IntN(len(there)-i)
		there[i], there[j] = there[j], there[i]
	}
	b.remove(there[:n])
	return there[n:]
}
