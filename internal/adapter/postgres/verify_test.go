package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func (r *rig) compare(table string, limit int) *Comparison {
	r.t.Helper()
	source, err := OpenSnapshot(r.t.Context(), r.src.Config().ConnString())
	if err != nil {
		r.t.Fatal(err)
	}
	defer source.Close()
	at, err := OpenTargetSnapshot(r.t.Context(), r.url)
	if err != nil {
		r.t.Fatal(err)
	}
	defer at.Close()
	// What happens after the snapshots does not count.
	exec(r.t, r.src, `CREATE TABLE IF NOT EXISTS public.noise (id int)`)
	s := r.shape(table)
	c, err := Compare(r.t.Context(), source, at, Compared{Schema: s, Namespace: s.Namespace, Name: s.Name}, limit)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (c *Comparison) String() string {
	var out []string
	for _, d := range c.Differences {
		out = append(out, strings.TrimSpace(d.Kind+" "+d.Key+" "+d.Column))
	}
	return fmt.Sprintf("%d/%d -%d +%d ~%d %s", c.SourceRows, c.TargetRows, c.Missing, c.Extra, c.Different, strings.Join(out, "; "))
}

func TestCompareNamesRows(t *testing.T) {
	r := newRig(t, SinkConfig{},
		`CREATE TABLE public.n (id int8 PRIMARY KEY, v text, w numeric)`,
		`INSERT INTO public.n SELECT g - 500, 'v' || g, g FROM generate_series(1, 2000) g`,
		`CREATE TABLE public.k (a text, b char(4), c bool, v text, PRIMARY KEY (c, a, b))`,
		`INSERT INTO public.k SELECT E'x\ty\\' || chr(g), 'ab', g % 2 = 0, 'v' FROM generate_series(1, 300) g`,
		`CREATE TABLE public.bag (a int, j json, t text)`,
		`INSERT INTO public.bag SELECT g % 10, '{"a":1}', E'line\nend' FROM generate_series(1, 100) g`,
		`CREATE TABLE public."Big" (id uuid PRIMARY KEY, v text)`,
		`INSERT INTO public."Big" SELECT gen_random_uuid(), repeat('x', 400000) FROM generate_series(1, 3)`)
	for _, table := range []string{"public.n", "public.k", "public.bag", `public."Big"`} {
		s := r.shape(table)
		if err := r.sink.Write(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		r.deliver(reshape(nil, s))
		copyTable(t, r.src, r.dst, table)
		if c := r.compare(table, 5); !c.Equal() || c.SourceRows == 0 {
			t.Errorf("%s: %s", table, c)
		}
	}
	exec(t, r.dst, `DELETE FROM public.n WHERE id IN (-7, 9, 100)`, `UPDATE public.n SET w = 0 WHERE id IN (-499, 1500)`, `UPDATE public.n SET v = NULL WHERE id = 10`, `INSERT INTO public.n VALUES (1000000)`,
		`DELETE FROM public.bag WHERE ctid = (SELECT ctid FROM public.bag WHERE a = 3 LIMIT 1)`, `INSERT INTO public.bag VALUES (4, NULL, NULL)`,
		`UPDATE public.k SET v = 'w' WHERE a = E'x\ty\\\n'`)
	if got := r.compare("public.n", 5).String(); got != "2000/1998 -3 +1 ~3 differs id=-499 w; missing id=-7; missing id=9; differs id=10 v; missing id=100" {
		t.Error(got)
	}
	if got := r.compare("public.bag", 5).String(); got != "100/100 -1 +1 ~0 missing (3,\"{\"\"a\"\":1}\",\"line\nend\"); extra (4,,)" {
		t.Errorf("%q", got)
	}
	if got := r.compare("public.k", 5).String(); got != "300/300 -0 +0 ~1 differs a=x\ty\\\n, b=ab, c=true v" {
		t.Errorf("%q", got)
	}
	exec(t, r.dst, `ALTER TABLE public.n DROP COLUMN v`)
	if c := r.compare("public.n", 0); !slices.Equal(c.Skipped, []string{"v"}) || c.Different != 2 {
		t.Error(c, c.Skipped)
	}
}

// The order of keys is that of their bytes, whatever collation the columns have.
func TestCompareOrdersByBytes(t *testing.T) {
	r := newRig(t, SinkConfig{}, `CREATE TABLE public.c (k text COLLATE "en-x-icu" PRIMARY KEY)`,
		`INSERT INTO public.c SELECT chr(g) || CASE g % 3 WHEN 0 THEN '' WHEN 1 THEN 'B' ELSE 'a' END FROM generate_series(33, 1200) g WHERE g NOT BETWEEN 55296 AND 57343`)
	r.deliver(reshape(nil, r.shape("public.c")))
	copyTable(t, r.src, r.dst, "public.c")
	exec(t, r.dst, `DELETE FROM public.c WHERE k = 'bB' OR k = 'é' OR k LIKE 'Z%'`)
	c := r.compare("public.c", 10)
	if c.Extra != 0 || c.Different != 0 || c.Missing == 0 || c.SourceRows-c.TargetRows != c.Missing {
		t.Error(c)
	}
}
