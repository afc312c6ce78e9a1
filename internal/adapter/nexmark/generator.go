package nexmark

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// Generator makes events. It is safe for concurrent use: it holds nothing that changes.
type Generator struct {
	cfg    Config
	text   *arena
	prices *prices
}

// New makes a generator.
func New(cfg Config) *Generator {
	cfg = cfg.withDefaults()
	return &Generator{cfg, newArena(cfg.Seed), newPrices()}
}

// at is event n's own random numbers.
func (g *Generator) at(n int64) random {
	r := random{g.cfg.Seed + uint64(n)*0xd1342543de82ef95}
	r.next()
	return r
}

// Time is that of event n, to the millisecond.
func (g *Generator) Time(n int64) datum.Timestamp {
	return g.cfg.Base + datum.Timestamp(n*1000/g.cfg.Rate*1000)
}

// clock counts Time up from one event to the next, without dividing.
type clock struct{ at, part, rate int64 }

func (g *Generator) clock(from int64) clock {
	return clock{int64(g.Time(from)), from * 1000 % g.cfg.Rate, g.cfg.Rate}
}

// next is the time of the present event; it goes on to the next one.
func (c *clock) next() int64 {
	t := c.at
	for c.part += 1000; c.part >= c.rate; c.part -= c.rate {
		c.at += 1000
	}
	return t
}

// lastPerson and lastAuction number the newest person and auction up to event n, from 0.
func lastPerson(n int64) int64 { return n / cycle }

func lastAuction(n int64) int64 {
	epoch, rem := n/cycle, n%cycle
	switch {
	case rem < persons: // a person: the last auction is of the cycle before
		epoch, rem = epoch-1, auctions-1
	case rem >= persons+auctions:
		rem = auctions - 1
	default:
		rem -= persons
	}
	return epoch*auctions + rem
}

// active is a person among the last ones, or one that is about to register.
func active(r *random, n int64) int64 {
	people := lastPerson(n) + 1
	recent := min(people, activePeople)
	return people - recent + r.below(recent+personLead)
}

// count is how many of the events in [from, to) are of the stream.
func count(t Table, from, to int64) int64 {
	below := func(n int64) int64 {
		epochs, rem := n/cycle, n%cycle
		switch t {
		case Person:
			return epochs*persons + min(rem, persons)
		case Auction:
			return epochs*auctions + min(max(rem-persons, 0), auctions)
		}
		return epochs*(cycle-persons-auctions) + max(rem-persons-auctions, 0)
	}
	return below(to) - below(from)
}

// Fill makes the stream's events among those numbered from, …, to-1; its columns
// are Columns(t).
func (g *Generator) Fill(t Table, from, to int64) *zset.Chunk {
	n := int(count(t, from, to))
	switch t {
	case Person:
		return g.persons(from, to, n)
	case Auction:
		return g.auctions(from, to, n)
	}
	return g.bids(from, to, n)
}

func ints(n int) *zset.Vec { return &zset.Vec{Kind: zset.Int, N: n, Ints: make([]int64, n)} }

// texts is a column over the shared arena.
func (g *Generator) texts(n int) *zset.Vec {
	return &zset.Vec{Kind: zset.Bytes, N: n, Refs: make([]zset.Ref, n), Data: g.text.data}
}

func (g *Generator) bids(from, to int64, n int) *zset.Chunk {
	auction, bidder, price, at := ints(n), ints(n), ints(n), ints(n)
	channel, url, extra := g.texts(n), g.texts(n), g.texts(n)
	i, now := 0, g.clock(from)
	for e := from; e < to; e++ {
		time := now.next()
		if e%cycle < persons+auctions {
			continue
		}
		r := g.at(e)
		auction.Ints[i] = firstID + g.bidOn(&r, e)
		if r.below(hotBidders) > 0 {
			bidder.Ints[i] = firstID + lastPerson(e)/hotBlock*hotBlock + 1
		} else {
			bidder.Ints[i] = firstID + active(&r, e)
		}
		price.Ints[i] = r.price(g.prices)
		if r.below(hotChannels) > 0 {
			c := r.below(int64(len(hotNames)))
			channel.Refs[i], url.Refs[i] = g.text.hot[c], g.text.hotURL[c]
		} else {
			c := r.below(channels)
			channel.Refs[i], url.Refs[i] = g.text.channel[c], g.text.url[c]
		}
		at.Ints[i] = time
		extra.Refs[i] = g.text.cut(&r, r.extra(bidBytes, 4*8))
		i++
	}
	return &zset.Chunk{N: n, Cols: []*zset.Vec{auction, bidder, price, channel, url, at, extra}}
}

// bidOn numbers the auction of a bid: a hot one, or one in flight.
func (g *Generator) bidOn(r *random, e int64) int64 {
	last := lastAuction(e)
	if r.below(hotAuctions) > 0 {
		return last / hotBlock * hotBlock
	}
	low := max(last-inFlight, 0)
	return low + r.below(last-low+1+auctionLead)
}

func (g *Generator) auctions(from, to int64, n int) *zset.Chunk {
	id, initial, reserve, at, expires, seller, category := ints(n), ints(n), ints(n), ints(n), ints(n), ints(n), ints(n)
	name, description, extra := g.texts(n), g.texts(n), g.texts(n)
	i := 0
	for e := from; e < to; e++ {
		if rem := e % cycle; rem < persons || rem >= persons+auctions {
			continue
		}
		r := g.at(e)
		id.Ints[i] = firstID + lastAuction(e)
		name.Refs[i], description.Refs[i] = g.text.word(&r, 20), g.text.word(&r, 100)
		initial.Ints[i] = r.price(g.prices)
		reserve.Ints[i] = initial.Ints[i] + r.price(g.prices)
		at.Ints[i] = int64(g.Time(e))
		expires.Ints[i] = at.Ints[i] + g.length(&r, e)
		if r.below(hotSellers) > 0 {
			seller.Ints[i] = firstID + lastPerson(e)/hotBlock*hotBlock
		} else {
			seller.Ints[i] = firstID + active(&r, e)
		}
		category.Ints[i] = firstCategory + r.below(categories)
		extra.Refs[i] = g.text.cut(&r, r.extra(auctionBytes, 7*8+int64(name.Refs[i].Len+description.Refs[i].Len)))
		i++
	}
	return &zset.Chunk{N: n, Cols: []*zset.Vec{id, name, description, initial, reserve, at, expires, seller, category, extra}}
}

// length is how long an auction is open, in microseconds: twice the time of the
// events in which the auctions in flight were opened, on the average once.
func (g *Generator) length(r *random, e int64) int64 {
	horizon := int64(g.Time(e+inFlight*cycle/auctions)-g.Time(e)) / 1000
	return (1 + r.below(max(2*horizon, 1))) * 1000
}

func (g *Generator) persons(from, to int64, n int) *zset.Chunk {
	id, at := ints(n), ints(n)
	own := func() *zset.Vec { return &zset.Vec{Kind: zset.Bytes, N: n, Refs: make([]zset.Ref, n)} }
	name, email, card := own(), own(), own()
	city, state, extra := g.texts(n), g.texts(n), g.texts(n)
	i := 0
	for e := from; e < to; e++ {
		if e%cycle >= persons {
			continue
		}
		r := g.at(e)
		id.Ints[i] = firstID + lastPerson(e)
		put(name, i, g.text.firsts[r.below(int64(len(g.text.firsts)))], " ", g.text.lasts[r.below(int64(len(g.text.lasts)))])
		put(email, i, g.letters(&r, 7), "@", g.letters(&r, 5), ".com")
		put(card, i, g.four(&r), " ", g.four(&r), " ", g.four(&r), " ", g.four(&r))
		city.Refs[i] = g.text.cities[r.below(int64(len(g.text.cities)))]
		state.Refs[i] = g.text.states[r.below(int64(len(g.text.states)))]
		at.Ints[i] = int64(g.Time(e))
		used := 8 + int64(name.Refs[i].Len+email.Refs[i].Len+card.Refs[i].Len+city.Refs[i].Len+state.Refs[i].Len)
		extra.Refs[i] = g.text.cut(&r, r.extra(personBytes, used))
		i++
	}
	return &zset.Chunk{N: n, Cols: []*zset.Vec{id, name, email, card, city, state, at, extra}}
}

func put(v *zset.Vec, i int, parts ...string) {
	off := len(v.Data)
	for _, p := range parts {
		v.Data = append(v.Data, p...)
	}
	v.Refs[i] = zset.Ref{Off: uint32(off), Len: uint32(len(v.Data) - off)}
}

// letters is a short text without blanks, and four is a group of a card's number.
func (g *Generator) letters(r *random, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(r.below(26))
	}
	return string(b)
}

func (g *Generator) four(r *random) string { return string(g.text.digits[r.below(10_000)][:]) }
