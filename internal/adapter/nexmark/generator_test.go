package nexmark

import (
	"math"
	"reflect"
	"testing"

	"github.com/weirstream/weir/internal/zset"
)

// Parts of a stream make the whole, so that a reader can begin anywhere.
func TestPartsMakeTheWhole(t *testing.T) {
	g, same := New(Config{Seed: 7}), New(Config{Seed: 7})
	for _, table := range []Table{Person, Auction, Bid} {
		whole := rows(g.Fill(table, 0, 1000))
		var parts [][]string
		for from := int64(0); from < 1000; from += 37 {
			parts = append(parts, rows(same.Fill(table, from, min(from+37, 1000)))...)
		}
		if !reflect.DeepEqual(whole, parts) {
			t.Errorf("%s: parts differ from the whole", table)
		}
	}
}

// rows prints every value that is not a time's or a number's as text.
func rows(c *zset.Chunk) [][]string {
	var out [][]string
	for i := range c.N {
		var r []string
		for _, v := range c.Cols {
			if v.Kind == zset.Bytes {
				r = append(r, string(v.Bytes(i)))
			} else {
				r = append(r, string(rune(v.Ints[i])))
			}
		}
		out = append(out, r)
	}
	return out
}

// The published rules: mix, ids, skew, sizes, prices.
func TestRules(t *testing.T) {
	const n = 200_000
	g := New(Config{})
	people, auctions, bids := g.Fill(Person, 0, n), g.Fill(Auction, 0, n), g.Fill(Bid, 0, n)
	if people.N != n/50 || auctions.N != n/50*3 || bids.N != n/50*46 {
		t.Fatalf("%d persons, %d auctions, %d bids of %d events", people.N, auctions.N, bids.N, n)
	}
	for i := range people.N {
		if got := people.Cols[0].Ints[i]; got != 1000+int64(i) {
			t.Fatalf("person %d has id %d", i, got)
		}
	}
	for i := range auctions.N {
		if got := auctions.Cols[0].Ints[i]; got != 1000+int64(i) {
			t.Fatalf("auction %d has id %d", i, got)
		}
		if c := auctions.Cols[8].Ints[i]; c < 10 || c > 14 {
			t.Fatalf("category %d", c)
		}
		if auctions.Cols[6].Ints[i] <= auctions.Cols[5].Ints[i] {
			t.Fatalf("auction %d expires before it begins", i)
		}
	}
	hot, cheap, bytes := 0, 0, 0
	for i := range bids.N {
		last := 1000 + int64(auctions.N) + auctionLead
		if a := bids.Cols[0].Ints[i]; a < 1000 || a > last {
			t.Fatalf("bid %d on auction %d", i, a)
		}
		switch string(bids.Cols[3].Bytes(i)) {
		case "Google", "Facebook", "Baidu", "Apple":
			hot++
		}
		if bids.Cols[2].Ints[i] < 100_000 { // the middle of a log-uniform price from 100 to 100,000,000
			cheap++
		}
		bytes += 32 + int(bids.Cols[6].Refs[i].Len)
	}
	for _, i := range []int{0, 1, 777, bids.N - 1} {
		e := int64(i/46*50 + 4 + i%46)
		if got, want := bids.Cols[5].Ints[i], int64(g.Time(e)); got != want {
			t.Errorf("event %d at %d, want %d", e, got, want)
		}
	}
	near(t, "hot channels", float64(hot)/float64(bids.N), 0.5, 0.01)
	near(t, "prices below 1000.00", float64(cheap)/float64(bids.N), 0.5, 0.01)
	near(t, "bytes of a bid", float64(bytes)/float64(bids.N), 100, 1)
	near(t, "seconds of event time", float64(bids.Cols[5].Ints[bids.N-1]-bids.Cols[5].Ints[0])/1e6, n/10_000, 0.01)
}

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s: %.3f, want %.3f", what, got, want)
	}
}

func BenchmarkBids(b *testing.B) {
	g := New(Config{})
	b.ReportAllocs()
	var at int64
	for b.Loop() {
		g.Fill(Bid, at, at+10_000)
		at += 10_000
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(at), "ns/event")
}
