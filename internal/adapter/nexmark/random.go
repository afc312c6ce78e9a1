package nexmark

import (
	"math"
	"math/bits"
)

// random is splitmix64: small, and good from any seed, so that every event has its own.
type random struct{ s uint64 }

func (r *random) next() uint64 {
	r.s += 0x9e3779b97f4a7c15
	z := r.s
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is uniform in [0, n); 0 when n is not positive.
func (r *random) below(n int64) int64 {
	if n <= 0 {
		return 0
	}
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int64(hi)
}

// prices has 10^(6u) for u = 0, 1/4096, …, 1. Between two entries a price is on the line,
// which is at most 2 in 10 million off.
type prices [4097]float64

func newPrices() *prices {
	p := &prices{}
	for i := range p {
		p[i] = math.Pow(10, 6*float64(i)/(float64(len(p))-1))
	}
	return p
}

// price is log-uniform from 100 to 100,000,000 cents.
func (r *random) price(p *prices) int64 {
	x := r.next()
	i, part := x>>52, float64(x<<12>>12)/(1<<52)
	return int64((p[i]+(p[i+1]-p[i])*part)*100 + 0.5)
}

// extra is how many bytes of filler a row of used bytes has, for an average of
// want: 20 % more or less of what is missing.
func (r *random) extra(want, used int64) int64 {
	want -= used
	if want <= 0 {
		return 0
	}
	delta := (want + 2) / 5
	return want - delta + r.below(2*delta)
}
