package nexmark

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
)

// Table is one of the three streams.
type Table string

// The streams.
const (
	Person  Table = "person"
	Auction Table = "auction"
	Bid     Table = "bid"
)

// Config of a generator. Zero values mean the defaults given.
type Config struct {
	Seed uint64
	// Rate is the density in event time, events a second: 10,000. It does not bound
	// how fast events are generated.
	Rate int64
	// Base is the time of event 0: 2015-07-15 00:00:00.
	Base datum.Timestamp
}

func (c Config) withDefaults() Config {
	if c.Rate == 0 {
		c.Rate = 10_000
	}
	if c.Base == 0 {
		c.Base = 490_233_600_000_000
	}
	return c
}

// The mix, and who is active. Of the reference's configuration.
const (
	cycle         = 50 // events: 1 person, 3 auctions, 46 bids
	persons       = 1
	auctions      = 3
	firstID       = 1000
	firstCategory = 10
	categories    = 5
	activePeople  = 1000
	personLead    = 10
	inFlight      = 100 // auctions
	auctionLead   = 10
	hotSellers    = 4 // all but one of so many
	hotAuctions   = 2
	hotBidders    = 4
	hotChannels   = 2
	hotBlock      = 100 // the hot one of so many
	channels      = 10_000
	personBytes   = 200 // averages, all columns but a bid's channel and url
	auctionBytes  = 500
	bidBytes      = 100
)

// Columns are the columns of a stream, as RisingWave names them.
func Columns(t Table) []catalog.Column {
	text, id, at := datum.Ref(datum.OIDVarchar), datum.Ref(datum.OIDInt8), datum.Ref(datum.OIDTimestamp)
	column := func(name string, t datum.TypeRef) catalog.Column { return catalog.Column{Name: name, Type: t} }
	switch t {
	case Person:
		return []catalog.Column{
			column("id", id), column("name", text), column("email_address", text), column("credit_card", text),
			column("city", text), column("state", text), column("date_time", at), column("extra", text),
		}
	case Auction:
		return []catalog.Column{
			column("id", id), column("item_name", text), column("description", text), column("initial_bid", id), column("reserve", id),
			column("date_time", at), column("expires", at), column("seller", id), column("category", id), column("extra", text),
		}
	}
	return []catalog.Column{
		column("auction", id), column("bidder", id), column("price", id), column("channel", text), column("url", text),
		column("date_time", at), column("extra", text),
	}
}
