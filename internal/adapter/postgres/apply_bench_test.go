package postgres

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
)

var benchSchema = &row.Schema{Table: 1, Version: 1, Namespace: "public", Name: "b", Columns: []row.Column{
	{ID: 1, Name: "id", TypeName: "bigint", Key: true, NotNull: true}, {ID: 2, Name: "name", TypeName: "text"},
	{ID: 3, Name: "qty", TypeName: "integer"}, {ID: 4, Name: "price", TypeName: "numeric(10,2)"}, {ID: 5, Name: "at", TypeName: "timestamptz"}}}

func benchRow(id, v int) row.Tuple {
	return tuple(id, fmt.Sprintf("the name of item %d", id), v, fmt.Sprintf("%d.25", v), "2024-01-01 00:00:00.123456+00")
}

// Netting: collect a piece and net it; ns and allocations a change.
func BenchmarkNet(b *testing.B) {
	sh := newShape(benchSchema)
	const n = 16_000
	changes := make([]row.Change, n)
	for i := range changes {
		c := &changes[i]
		*c = row.Change{Op: row.Update, Table: 1, Version: 1, New: benchRow(i*7919%5000, i)}
		if i%4 == 0 {
			c.Op, c.New = row.Insert, benchRow(1_000_000+i, i)
		}
	}
	p := newPiece()
	var net netter
	var out netted
	b.ReportAllocs()
	for b.Loop() {
		p.reset()
		for i := range changes {
			p.add(sh, &changes[i])
		}
		net.reset(p, sh.keyCols, n)
		for i := range p.ops {
			if !net.apply(&p.ops[i]) {
				b.Fatal("cannot net")
			}
		}
		if !net.collect(&out) {
			b.Fatal("cannot collect")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/change")
}

func BenchmarkCopyText(b *testing.B) {
	sh := newShape(benchSchema)
	p := newPiece()
	var refs []ref
	for i := range 1000 {
		p.add(sh, &row.Change{Op: row.Insert, New: benchRow(i, i)})
		refs = append(refs, ref{image: p.ops[i].new})
	}
	buf := make([]byte, 64<<10)
	bind := &binding{cols: []boundCol{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}, {name: "e"}}}
	b.SetBytes(int64(len(p.buf)))
	b.ReportAllocs()
	for b.Loop() {
		for r := newCopyReader(p, bind, refs); ; {
			if _, err := r.Read(buf); err != nil {
				break
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/row")
}

// cpuOf is the seconds of CPU that a process has used.
func cpuOf(b *testing.B, pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')'):]))
	user, _ := strconv.Atoi(f[12])
	system, _ := strconv.Atoi(f[13])
	return float64(user+system) / 100 // USER_HZ
}

// Rows a second into a real target, in target transactions of 20,000 rows, which
// hold upstream transactions of 1,000.
func BenchmarkSink(b *testing.B) {
	for _, kind := range []string{"insert", "update", "mixed"} {
		b.Run(kind, func(b *testing.B) {
			r := newRig(b, SinkConfig{})
			exec(b, r.dst, `CREATE TABLE public.b (id bigint PRIMARY KEY, name text, qty int, price numeric(10,2), at timestamptz)`)
			const batch, upstream, base = 20_000, 1_000, 100_000
			if kind != "insert" {
				exec(b, r.dst, fmt.Sprintf(`INSERT INTO public.b SELECT g, 'the name', 1, 1, now() FROM generate_series(0, %d) g`, base-1), `VACUUM ANALYZE public.b`)
			}
			items := make([]feed.Item, 0, upstream)
			n, fresh := 0, base
			server, client := cpuOf(b, int(r.sink.work.a.conn.PgConn().PID())), cpuOf(b, os.Getpid())
			for b.Loop() {
				for done := 0; done < batch; done += upstream {
					items = items[:0]
					for range upstream {
						id := n * 7919 % base
						it := update(benchSchema, id, "another name", n, "7.25", "2024-01-01 00:00:00.123456+00")
						if kind == "insert" || kind == "mixed" && n%2 == 0 {
							it = feed.Item{Schema: benchSchema, Change: row.Change{Op: row.Insert, Table: 1, Version: 1, New: benchRow(fresh, n)}}
							fresh++
						}
						items = append(items, it)
						n++
					}
					if err := r.write(items...); err != nil {
						b.Fatal(err)
					}
				}
				if err := r.commit(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric((cpuOf(b, int(r.sink.work.a.conn.PgConn().PID()))-server)*1e6/float64(n), "server-cpu-us/row")
			b.ReportMetric((cpuOf(b, os.Getpid())-client)*1e6/float64(n), "client-cpu-us/row")
		})
	}
}
