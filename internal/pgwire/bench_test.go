package pgwire_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// BenchmarkRoundTrip is a statement and its one row, over loopback.
func BenchmarkRoundTrip(b *testing.B) {
	_, addr := serve(b, newWorld(), nil)
	conn := connect(b, addr)
	for name, mode := range map[string]pgx.QueryExecMode{"simple": pgx.QueryExecModeSimpleProtocol, "prepared": pgx.QueryExecModeCacheStatement} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var i int
				if err := conn.QueryRow(b.Context(), "select 1", mode).Scan(&i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRows is the way of 100,000 rows of two columns to the client, per run.
func BenchmarkRows(b *testing.B) {
	_, addr := serve(b, newWorld(), nil)
	conn := connect(b, addr)
	b.ReportAllocs()
	for b.Loop() {
		r := conn.PgConn().ExecParams(b.Context(), "rows 100000", nil, nil, nil, nil)
		n := 0
		for r.NextRow() {
			n++
		}
		if _, err := r.Close(); err != nil || n != 100_000 {
			b.Fatal(n, err)
		}
	}
}

// BenchmarkCopyIn is COPY FROM of 100,000 rows, per run; MB/s is of its data.
func BenchmarkCopyIn(b *testing.B) {
	csv := []byte(strings.Repeat("12345,\"some text of a note\"\n", 100_000))
	for how, data := range map[string][]byte{"text": bytes.ReplaceAll(bytes.ReplaceAll(csv, []byte(","), []byte("\t")), []byte("\""), nil), "csv": csv, "binary": binaryRows(100_000)} {
		b.Run(how, func(b *testing.B) {
			w := newWorld()
			_, addr := serve(b, w, nil)
			conn := connect(b, addr)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := conn.PgConn().CopyFrom(b.Context(), bytes.NewReader(data), "copy from "+how); err != nil {
					b.Fatal(err)
				}
				w.rows = nil
			}
		})
	}
}

// BenchmarkCopyOut is COPY TO of 100,000 rows, per run.
func BenchmarkCopyOut(b *testing.B) {
	w := newWorld()
	for i := range int64(100_000) {
		w.rows = append(w.rows, line{a: i, b: "some text of a note"})
	}
	_, addr := serve(b, w, nil)
	conn := connect(b, addr)
	for _, how := range []string{"text", "csv", "binary"} {
		b.Run(how, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := conn.PgConn().CopyTo(b.Context(), io.Discard, "copy to "+how); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
