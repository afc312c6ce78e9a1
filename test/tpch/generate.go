package tpch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Generator makes the rows of one database.
type Generator struct {
	random                             *rand.Rand
	suppliers, parts, customers, total int
}

// New is a generator; scale 1 is 6 million lines. Less than 0.001 is too little
// for the rules of keys.
func New(seed uint64, scale float64) *Generator {
	n := func(full float64) int { return max(10, int(full*scale+0.5)) }
	return &Generator{
		random:    rand.New(rand.NewPCG(seed, 0x7470_6368)),
		suppliers: n(10_000), parts: n(200_000), customers: n(150_000), total: n(1_500_000),
	}
}

// row is the values of a row in text.
type row []string

func money(cents int) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

func between(r *rand.Rand, low, high int) int { return low + r.IntN(high-low+1) }

func itoa(n int) string { return fmt.Sprint(n) }

func (g *Generator) regionRows() (rows []row) {
	for i, name := range regions {
		rows = append(rows, row{itoa(i), name, sentence(g.random, 60)})
	}
	return rows
}

func (g *Generator) nationRows() (rows []row) {
	for i, n := range nations {
		rows = append(rows, row{itoa(i), n.name, itoa(n.region), sentence(g.random, 60)})
	}
	return rows
}

func (g *Generator) phone(nation int) string {
	r := g.random
	return fmt.Sprintf("%d-%d-%d-%d", nation+10, between(r, 100, 999), between(r, 100, 999), between(r, 1000, 9999))
}

func (g *Generator) address() string {
	b := make([]byte, between(g.random, 10, 30))
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,"[g.random.IntN(64)]
	}
	return strings.TrimSpace(string(b))
}

// supplierRows: one in forty has complaints, which q16 looks for; every nation
// has a supplier.
func (g *Generator) supplierRows() (rows []row) {
	for k := 1; k <= g.suppliers; k++ {
		nation := k % len(nations)
		comment := sentence(g.random, 60)
		if g.random.IntN(40) == 0 {
			comment += " Customer " + pick(g.random, plain) + " Complaints"
		}
		rows = append(rows, row{itoa(k), fmt.Sprintf("Supplier#%09d", k), g.address(), itoa(nation), g.phone(nation),
			money(between(g.random, -99999, 999999)), comment})
	}
	return rows
}

// retail is a part's price in cents.
func retail(part int) int { return 90000 + part/10%20001 + 100*(part%1000) }

func (g *Generator) partRows() (rows []row) {
	r := g.random
	for k := 1; k <= g.parts; k++ {
		var name []string
		for len(name) < 5 {
			if c := pick(r, colors); !slices.Contains(name, c) {
				name = append(name, c)
			}
		}
		maker := between(r, 1, 5)
		rows = append(rows, row{itoa(k), strings.Join(name, " "), fmt.Sprintf("Manufacturer#%d", maker),
			fmt.Sprintf("Brand#%d%d", maker, between(r, 1, 5)),
			pick(r, types[0]) + " " + pick(r, types[1]) + " " + pick(r, types[2]), itoa(between(r, 1, 50)),
			pick(r, containers[0]) + " " + pick(r, containers[1]), money(retail(k)), sentence(r, 22)})
	}
	return rows
}

// supplierOf is the i-th of a part's four suppliers.
func (g *Generator) supplierOf(part, i int) int {
	s := g.suppliers
	return (part+i*(s/4+(part-1)/s))%s + 1
}

func (g *Generator) partsuppRows() (rows []row) {
	r := g.random
	for k := 1; k <= g.parts; k++ {
		seen := map[int]bool{}
		for i := range 4 {
			s := g.supplierOf(k, i)
			if seen[s] {
				continue
			}
			seen[s] = true
			rows = append(rows, row{itoa(k), itoa(s), itoa(between(r, 1, 9999)), money(between(r, 100, 100000)), sentence(r, 80)})
		}
	}
	return rows
}

func (g *Generator) customerRows() (rows []row) {
	r := g.random
	for k := 1; k <= g.customers; k++ {
		nation := r.IntN(len(nations))
		rows = append(rows, row{itoa(k), fmt.Sprintf("Customer#%09d", k), g.address(), itoa(nation), g.phone(nation),
			money(between(r, -99999, 999999)), pick(r, segments), sentence(r, 80)})
	}
	return rows
}

// The specification's days: orders come from first to last, and what arrived by
// current may have been returned.
var (
	first   = time.Date(1992, 1, 1, 0, 0, 0, 0, time.UTC)
	last    = time.Date(1998, 8, 2, 0, 0, 0, 0, time.UTC)
	current = time.Date(1995, 6, 17, 0, 0, 0, 0, time.UTC)
)

func day(t time.Time) string { return t.Format(time.DateOnly) }

// orderKey spreads the keys: eight of every 32 are used.
func orderKey(i int) int { return i/8*32 + i%8 + 1 }

// order makes the i-th order and its lines.
func (g *Generator) order(i int) (order row, lines []row) {
	r := g.random
	key := orderKey(i)
	customer := between(r, 1, g.customers)
	if customer%3 == 0 { // a third of the customers never order
		customer = max(1, customer-1)
	}
	date := first.AddDate(0, 0, r.IntN(int(last.Sub(first).Hours()/24)+1))
	total, open := 0, 0
	n := between(r, 1, 7)
	for l := 1; l <= n; l++ {
		line, cents, shipped := g.line(key, l, date)
		lines = append(lines, line)
		total += cents
		if !shipped {
			open++
		}
	}
	status := "P"
	switch open {
	case 0:
		status = "F"
	case n:
		status = "O"
	}
	comment := sentence(r, 50)
	if r.IntN(60) == 0 { // what q13 leaves out
		comment += " special " + pick(r, plain) + " requests"
	}
	return row{itoa(key), itoa(customer), status, money(total), day(date), pick(r, priorities),
		fmt.Sprintf("Clerk#%09d", between(r, 1, max(1, g.total/1500))), "0", comment}, lines
}

// line makes a line of an order; cents is what it costs with discount and tax.
func (g *Generator) line(order, n int, date time.Time) (line row, cents int, shipped bool) {
	r := g.random
	part := between(r, 1, g.parts)
	quantity, discount, tax := between(r, 1, 50), between(r, 0, 10), between(r, 0, 8)
	price := quantity * retail(part)
	ship := date.AddDate(0, 0, between(r, 1, 121))
	commit := date.AddDate(0, 0, between(r, 30, 90))
	receipt := ship.AddDate(0, 0, between(r, 1, 30))
	flag, status := "N", "O"
	if !receipt.After(current) {
		flag = pick(r, []string{"R", "A"})
	}
	if shipped = !ship.After(current); shipped {
		status = "F"
	}
	return row{itoa(order), itoa(part), itoa(g.supplierOf(part, r.IntN(4))), itoa(n), itoa(quantity), money(price),
		money(discount), money(tax), flag, status, day(ship), day(commit), day(receipt), pick(r, instructs), pick(r, modes),
		sentence(r, 40)}, price * (100 - discount) / 100 * (100 + tax) / 100, shipped
}
