package expr_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/zset"
)

const benchRows = 4096

// bids is a chunk of Nexmark's shape.
func bids() (*zset.Chunk, columns) {
	rng := rand.New(rand.NewPCG(1, 2))
	auction, price, at := zset.NewVec(zset.Int, benchRows), zset.NewVec(zset.Int, benchRows), zset.NewVec(zset.Int, benchRows)
	channel, url := zset.NewVec(zset.Bytes, benchRows), zset.NewVec(zset.Bytes, benchRows)
	ratio := zset.NewVec(zset.Float, benchRows)
	for i := range benchRows {
		auction.AppendInt(int64(1000 + rng.IntN(5000)))
		price.AppendInt(int64(100 + rng.IntN(10_000_000)))
		at.AppendInt(int64(24*365*datum.Day) + int64(i)*1000)
		ratio.AppendFloat(rng.Float64())
		channel.AppendString([]string{"Google", "Apple", "channel-4711"}[rng.IntN(3)])
		url.AppendString(fmt.Sprintf("https://www.nexmark.com/abcde/fghij/klmno/item.htm?query=1&channel_id=%d", rng.IntN(1<<30)))
	}
	names := []string{"auction", "price", "at", "channel", "url", "ratio"}
	types := []uint32{datum.OIDInt8, datum.OIDInt8, datum.OIDTimestamp, datum.OIDVarchar, datum.OIDVarchar, datum.OIDFloat8}
	cols := columns{}
	for i, name := range names {
		cols[name] = &expr.Column{Index: i, T: datum.Ref(types[i])}
	}
	return &zset.Chunk{N: benchRows, Cols: []*zset.Vec{auction, price, at, channel, url, ratio}}, cols
}

// cpu is the processor time that the process has used, in nanoseconds: what a busy machine does not distort.
func cpu() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func BenchmarkEval(b *testing.B) {
	chunk, cols := bids()
	reg := expr.Builtins()
	for _, text := range []string{
		"auction + price",
		"price * 2 + 1",
		"price * 0.908",
		"0.908 * price",
		"price / 100",
		"ratio * 2.5::float8",
		"split_part(url, '/', 4)",
		"lower(channel)",
		"length(url)",
		"substring(url from '(&|^)channel_id=([^&]*)')",
		"(regexp_match(url, '(&|^)channel_id=([^&]*)'))[2]",
		"regexp_replace(url, '[0-9]+$', '#')",
		"to_timestamp(ratio)",
		"extract(hour from at)",
		"date_trunc('minute', at)",
		"at + interval '10 seconds'",
		"CASE WHEN price < 10000 THEN 'low' WHEN price < 1000000 THEN 'mid' ELSE 'high' END",
		"CASE lower(channel) WHEN 'apple' THEN '0' WHEN 'google' THEN '1' ELSE (regexp_match(url, '(&|^)channel_id=([^&]*)'))[2] END",
		"price::text",
		"auction IN (1007, 1020, 2001, 2019, 2087)",
	} {
		e, err := bind(reg, cols, text)
		if err != nil {
			b.Fatal(text, err)
		}
		p := expr.Compile([]expr.Expr{e})
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			environment := env(b)
			start := cpu()
			for b.Loop() {
				p.Eval(chunk, environment)
			}
			b.ReportMetric(float64(cpu()-start)/float64(b.N)/benchRows, "cpu-ns/row")
		})
	}
}

func BenchmarkFilter(b *testing.B) {
	chunk, cols := bids()
	reg := expr.Builtins()
	for _, text := range []string{
		"price > 5000000",
		"auction % 123 = 0",
		"auction IN (1007, 1020, 2001, 2019, 2087)",
		"price > 1000000 AND price < 5000000",
		"0.908 * price > 1000000 AND 0.908 * price < 50000000",
		"ratio > 0.5",
		"channel = 'Apple'",
		"url LIKE '%channel_id=1%'",
		"url LIKE 'https://www.nexmark.com/%'",
		"url ~ 'channel_id=[0-9]*7$'",
		"price > 9900000 AND url ~ 'channel_id=[0-9]*7$'",
	} {
		e, err := bind(reg, cols, text)
		if err != nil {
			b.Fatal(text, err)
		}
		p := expr.CompileFilter(e)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			environment := env(b)
			start := cpu()
			for b.Loop() {
				p.EvalFilter(chunk, environment)
			}
			b.ReportMetric(float64(cpu()-start)/float64(b.N)/benchRows, "cpu-ns/row")
		})
	}
}
