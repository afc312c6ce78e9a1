package nexmark

import (
	"fmt"
	"math/bits"

	"github.com/weirstream/weir/internal/zset"
)

// arena is text that rows refer to, made once and never written again.
type arena struct {
	data     []byte
	filler   int64 // of random letters, at the front
	channel  [channels]zset.Ref
	url      [channels]zset.Ref
	hot      [4]zset.Ref
	hotURL   [4]zset.Ref
	cities   []zset.Ref
	states   []zset.Ref
	firsts   []string
	lasts    []string
	digits   [10_000][4]byte
	maxSlice int64
}

var (
	hotNames   = [...]string{"Google", "Facebook", "Baidu", "Apple"}
	cityNames  = [...]string{"Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Kent", "Cheyenne"}
	stateNames = [...]string{"AZ", "CA", "ID", "OR", "WA", "WY"}
	firstNames = [...]string{"Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"}
	lastNames  = [...]string{"Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"}
)

func newArena(seed uint64) *arena {
	const letters = 1 << 16
	a := &arena{filler: letters, maxSlice: 1024, firsts: firstNames[:], lasts: lastNames[:]}
	r := random{seed ^ 0x5eed}
	a.data = make([]byte, letters, letters+channels*80)
	for i := range a.data {
		if r.below(13) == 0 {
			a.data[i] = ' '
		} else {
			a.data[i] = 'a' + byte(r.below(26))
		}
	}
	for i := range a.channel {
		a.channel[i] = a.add(fmt.Sprintf("channel-%d", i))
		a.url[i] = a.add(url(&r, i))
	}
	for i, name := range hotNames {
		a.hot[i] = a.add(name)
		a.hotURL[i] = a.add(baseURL(&r))
	}
	for _, c := range cityNames {
		a.cities = append(a.cities, a.add(c))
	}
	for _, s := range stateNames {
		a.states = append(a.states, a.add(s))
	}
	for i := range a.digits {
		copy(a.digits[i][:], fmt.Sprintf("%04d", i))
	}
	return a
}

func (a *arena) add(s string) zset.Ref {
	ref := zset.Ref{Off: uint32(len(a.data)), Len: uint32(len(s))}
	a.data = append(a.data, s...)
	return ref
}

// cut is n bytes of the random text, n at most maxSlice.
func (a *arena) cut(r *random, n int64) zset.Ref {
	n = min(n, a.maxSlice)
	return zset.Ref{Off: uint32(r.below(a.filler - n)), Len: uint32(n)}
}

// word is a text of 3 to limit-1 bytes.
func (a *arena) word(r *random, limit int64) zset.Ref { return a.cut(r, 3+r.below(limit-3)) }

func baseURL(r *random) string {
	part := func() string {
		b := make([]byte, 5)
		for i := range b {
			if b[i] = 'a' + byte(r.below(26)); r.below(13) == 0 {
				b[i] = '_'
			}
		}
		return string(b)
	}
	return "https://www.nexmark.com/" + part() + "/" + part() + "/" + part() + "/item.htm?query=1"
}

// url is that of a channel that is not hot: nine of ten carry its id.
func url(r *random, channel int) string {
	s := baseURL(r)
	if r.below(10) > 0 {
		id := int64(int32(bits.Reverse32(uint32(channel))))
		s += fmt.Sprintf("&channel_id=%d", max(id, -id))
	}
	return s
}
