package node

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/adapter/nexmark"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// nexmarkTable is one stream of a generator.
type nexmarkTable struct {
	*nexmark.Generator
	table nexmark.Table
}

// Fill implements database.Generator.
func (t nexmarkTable) Fill(from, to int64) *zset.Chunk { return t.Generator.Fill(t.table, from, to) }

// stream makes the generator of a source. Sources of equal options share a position,
// so that persons, auctions and bids of one site are at the same event.
func stream(rel *catalog.Relation) (database.Generator, string, error) {
	table, err := nexmarkStream(rel.Options)
	if err != nil {
		return nil, "", err
	}
	cfg := nexmark.Config{}
	for name, to := range map[string]*int64{"nexmark.event.rate": &cfg.Rate} {
		if text, ok := rel.Options[name]; ok {
			if *to, err = strconv.ParseInt(text, 10, 64); err != nil || *to <= 0 {
				return nil, "", badOption(name, text)
			}
		}
	}
	var seed int64
	if text, ok := rel.Options["nexmark.seed"]; ok {
		if seed, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, "", badOption("nexmark.seed", text)
		}
	}
	cfg.Seed = uint64(seed)
	position := fmt.Sprintf("nexmark/%d/%d/%s/%s", seed, cfg.Rate, rel.Options["nexmark.event.num"], rel.Options["nexmark.min.event.gap.in.ns"])
	return nexmarkTable{nexmark.New(cfg), table}, position, nil
}

// nexmarkStream reads which stream a source is.
func nexmarkStream(options map[string]string) (nexmark.Table, error) {
	switch t := strings.ToLower(options["nexmark.table.type"]); t {
	case "person", "auction", "bid":
		return nexmark.Table(t), nil
	default:
		return "", badOption("nexmark.table.type", t)
	}
}

func badOption(name, value string) error {
	return &sql.Error{
		Code: sql.InvalidParameter, Message: fmt.Sprintf("option \"%s\" cannot be %q", name, value), Pos: -1,
		Hint: "nexmark.table.type is Person, Auction or Bid; the others are whole numbers.",
	}
}

// Stream implements session.Server.
func (e *engine) Stream(options map[string]string) ([]catalog.Column, error) {
	t, err := nexmarkStream(options)
	if err != nil {
		return nil, err
	}
	return nexmark.Columns(t), nil
}
