package postgres

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
)

// Random changes, applied by SQL to the model and by the sink, in random
// transactions and batches, with crashes between: both hold the same rows.
func TestSinkRandom(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			cfg := SinkConfig{}
			if seed%4 == 3 {
				cfg.Merge = MergeNone
			}
			if seed%2 == 1 {
				cfg.Triggers = TriggersFire
			}
			newRandomRun(t, seed, cfg).run(60)
		})
	}
}

type randomRun struct {
	*rig
	rnd     *rand.Rand
	one     *row.Schema // a key that is the first column
	two     *row.Schema // a key of two columns with another between
	bag     *row.Schema // no key
	ones    map[int][]string
	twos    map[string][]string
	bags    [][]string
	sql     []string
	pending []feed.Item
}

func newRandomRun(t *testing.T, seed uint64, cfg SinkConfig) *randomRun {
	r := &randomRun{rig: newRig(t, cfg,
		`CREATE TABLE public.one (id int PRIMARY KEY, v text, big text, n int)`,
		`CREATE TABLE public.two (v text, a int, big text, b text, n int, PRIMARY KEY (b, a))`,
		`CREATE TABLE public.bag (a int, j json)`, `ALTER TABLE public.bag REPLICA IDENTITY FULL`),
		rnd: rand.New(rand.NewPCG(seed, 7)), ones: map[int][]string{}, twos: map[string][]string{}}
	r.one, r.two, r.bag = r.shape("public.one"), r.shape("public.two"), r.shape("public.bag")
	return r
}

func (r *randomRun) run(batches int) {
	for range batches {
		before := struct {
			pos   feed.Position
			items []feed.Item
		}{pos: r.pos}
		for range 1 + r.rnd.IntN(4) { // transactions
			r.sql, r.pending = nil, nil
			for range 1 + r.rnd.IntN(40) {
				r.step()
			}
			exec(r.t, r.src, "BEGIN", strings.Join(r.sql, ";\n"), "COMMIT")
			before.items = append(before.items, r.pending...)
			for cut := 0; cut < len(r.pending); {
				n := min(len(r.pending)-cut, 1+r.rnd.IntN(30))
				if err := r.write(r.pending[cut : cut+n]...); err != nil {
					r.t.Fatal(err)
				}
				cut += n
			}
		}
		if r.rnd.IntN(10) == 0 { // lost before the commit
			if pos, ok := r.reopen(); ok && pos != before.pos {
				r.t.Fatalf("position %v, want %v", pos, before.pos)
			}
			for i := range before.items {
				before.items[i].Txn = nil
			}
			if err := r.write(before.items...); err != nil {
				r.t.Fatal(err)
			}
		}
		if err := r.commit(); err != nil {
			r.t.Fatal(err)
		}
		r.same()
	}
}

func (r *randomRun) same() {
	r.t.Helper()
	for _, table := range []string{"one", "two", "bag"} {
		q := `SELECT * FROM public.` + table
		if rows(r.t, r.dst, `SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tablename = '`+table+`'`)[0] == "0" {
			continue // not touched yet
		}
		if got, want := rows(r.t, r.dst, q), rows(r.t, r.src, q); !slices.Equal(got, want) {
			r.t.Fatalf("%s\ngot  %q\nwant %q\nafter %s", table, got, want, strings.Join(r.sql, ";\n"))
		}
	}
}

func (r *randomRun) do(it feed.Item, sql string, args ...any) {
	r.pending = append(r.pending, it)
	r.sql = append(r.sql, fmt.Sprintf(sql, args...))
}

func (r *randomRun) step() {
	switch r.rnd.IntN(3) {
	case 0:
		r.stepOne()
	case 1:
		r.stepTwo()
	default:
		r.stepBag()
	}
}

// value is a short text with bytes that COPY escapes.
func (r *randomRun) value() string {
	return fmt.Sprintf("%d%s", r.rnd.IntN(1000), []string{"", "\t", `\`, "\n", "''"}[r.rnd.IntN(4)])
}

func (r *randomRun) stepOne() {
	id, free := r.rnd.IntN(15), r.rnd.IntN(15)
	old, there := r.ones[id]
	_, taken := r.ones[free]
	v := []string{fmt.Sprint(id), r.value(), r.value(), fmt.Sprint(r.rnd.IntN(100))}
	switch {
	case !there:
		r.ones[id] = v
		r.do(insert(r.one, v[0], v[1], v[2], v[3]), `INSERT INTO public.one VALUES (%s, %s, %s, %s)`, v[0], quoteLiteral(v[1]), quoteLiteral(v[2]), v[3])
	case r.rnd.IntN(5) == 0:
		delete(r.ones, id)
		r.do(remove(r.one, id, nil, nil, nil), `DELETE FROM public.one WHERE id = %d`, id)
	case !taken && r.rnd.IntN(2) == 0: // the key changes, big does not
		delete(r.ones, id)
		r.ones[free] = []string{fmt.Sprint(free), v[1], old[2], v[3]}
		r.do(rekey(r.one, tuple(id, nil, nil, nil), free, v[1], unchanged{}, v[3]), `UPDATE public.one SET id = %d, v = %s, n = %s WHERE id = %d`, free, quoteLiteral(v[1]), v[3], id)
	case r.rnd.IntN(2) == 0:
		v[2] = old[2]
		r.ones[id] = v
		r.do(update(r.one, v[0], v[1], unchanged{}, v[3]), `UPDATE public.one SET v = %s, n = %s WHERE id = %d`, quoteLiteral(v[1]), v[3], id)
	default:
		r.ones[id] = v
		r.do(update(r.one, v[0], v[1], v[2], v[3]), `UPDATE public.one SET v = %s, big = %s, n = %s WHERE id = %d`, quoteLiteral(v[1]), quoteLiteral(v[2]), v[3], id)
	}
}

func (r *randomRun) stepTwo() {
	a, b := r.rnd.IntN(4), fmt.Sprintf("b\t%d", r.rnd.IntN(4))
	key := fmt.Sprint(a, b)
	old, there := r.twos[key]
	v, n := r.value(), r.rnd.IntN(100)
	switch {
	case !there:
		big := r.value()
		r.twos[key] = []string{big}
		r.do(insert(r.two, v, a, big, b, n), `INSERT INTO public.two VALUES (%s, %d, %s, %s, %d)`, quoteLiteral(v), a, quoteLiteral(big), quoteLiteral(b), n)
	case r.rnd.IntN(4) == 0:
		delete(r.twos, key)
		r.do(remove(r.two, nil, a, nil, b, nil), `DELETE FROM public.two WHERE a = %d AND b = %s`, a, quoteLiteral(b))
	case r.rnd.IntN(2) == 0:
		r.do(update(r.two, v, a, unchanged{}, b, nil), `UPDATE public.two SET v = %s, n = NULL WHERE a = %d AND b = %s`, quoteLiteral(v), a, quoteLiteral(b))
	default:
		to := r.rnd.IntN(4)
		if _, taken := r.twos[fmt.Sprint(to, b)]; taken {
			return
		}
		delete(r.twos, key)
		r.twos[fmt.Sprint(to, b)] = old
		r.do(rekey(r.two, tuple(nil, a, nil, b, nil), v, to, unchanged{}, b, n), `UPDATE public.two SET a = %d, v = %s, n = %d WHERE a = %d AND b = %s`, to, quoteLiteral(v), n, a, quoteLiteral(b))
	}
}

func (r *randomRun) stepBag() {
	a, j := r.rnd.IntN(5), fmt.Sprintf(`{"x":%d}`, r.rnd.IntN(3))
	at := slices.IndexFunc(r.bags, func(v []string) bool { return v[0] == fmt.Sprint(a) })
	one := func(v []string) string {
		return fmt.Sprintf(`ctid = (SELECT ctid FROM public.bag WHERE a = %s AND j::text = %s LIMIT 1)`, v[0], quoteLiteral(v[1]))
	}
	switch {
	case at < 0 || r.rnd.IntN(3) == 0:
		r.bags = append(r.bags, []string{fmt.Sprint(a), j})
		r.do(insert(r.bag, a, j), `INSERT INTO public.bag VALUES (%d, %s)`, a, quoteLiteral(j))
	case r.rnd.IntN(2) == 0:
		v := r.bags[at]
		r.bags = slices.Delete(r.bags, at, at+1)
		r.do(removeFull(r.bag, v[0], v[1]), `DELETE FROM public.bag WHERE %s`, one(v))
	default:
		v := r.bags[at]
		r.bags[at] = []string{v[0], j}
		r.do(full(r.bag, tuple(v[0], v[1]), v[0], j), `UPDATE public.bag SET j = %s WHERE %s`, quoteLiteral(j), one(v))
	}
}
