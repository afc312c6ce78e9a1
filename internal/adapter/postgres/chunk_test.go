package postgres

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/weirstream/weir/internal/row"
)

// TestPlanCoversEveryRowOnce reads tables chunk by chunk, under every kind of key.
func TestPlanCoversEveryRowOnce(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	const rows = 5000
	tables := map[string]string{
		"dense":     `CREATE TABLE dense AS SELECT g AS id, 'v' || g AS v FROM generate_series(-100, 4899) g; ALTER TABLE dense ADD PRIMARY KEY (id)`,
		"unstudied": `CREATE TABLE unstudied (id bigint PRIMARY KEY, v text); INSERT INTO unstudied SELECT g, 'v' || g FROM generate_series(1, 5000) g`,
		"sparse":    `CREATE TABLE sparse AS SELECT CASE WHEN g % 2 = 0 THEN -9223372036854775808 + g ELSE 9223372036854775807 - g END AS id, 'v' AS v FROM generate_series(1, 5000) g; ALTER TABLE sparse ADD PRIMARY KEY (id)`,
		"composite": `CREATE TABLE composite (v int, b text, a int, PRIMARY KEY (a, b)); INSERT INTO composite SELECT g, 'k' || g % 500, g / 500 FROM generate_series(1, 5000) g`,
		"locale":    `CREATE TABLE locale (k text COLLATE "und-x-icu" PRIMARY KEY, v int); INSERT INTO locale SELECT (ARRAY['a','B','ä','Z','é',' ','-','_','''','\','x' || chr(10)])[1 + g % 11] || g, g FROM generate_series(1, 5000) g`,
		"uuids":     `CREATE TABLE uuids (k uuid PRIMARY KEY, v int); INSERT INTO uuids SELECT gen_random_uuid(), g FROM generate_series(1, 5000) g`,
		"numbers":   `CREATE TABLE numbers (k numeric PRIMARY KEY, v int); INSERT INTO numbers SELECT g::numeric / 7, g FROM generate_series(1, 4999) g; INSERT INTO numbers VALUES ('NaN', 0)`,
		"stamps":    `CREATE TABLE stamps (k timestamptz, e mood, PRIMARY KEY (k, e)); INSERT INTO stamps SELECT CASE WHEN g % 100 = 0 THEN 'infinity' ELSE timestamptz '0044-03-15 BC' + g / 2 * interval '1 hour' END, (ARRAY['sad','happy'])[1 + g % 2]::mood FROM generate_series(1, 5000) g ON CONFLICT DO NOTHING; INSERT INTO stamps SELECT timestamptz '2024-01-01' + g * interval '1 s', 'sad' FROM generate_series(1, 5000 - (SELECT count(*) FROM stamps)) g`,
		"chars":     `CREATE TABLE chars (k char(8), b bytea, bit bit(5), PRIMARY KEY (k, b)); INSERT INTO chars SELECT 'c' || g, decode(lpad(to_hex(g), 8, '0'), 'hex'), '10101' FROM generate_series(1, 5000) g`,
		"parted":    `CREATE TABLE parted (id int PRIMARY KEY, v text) PARTITION BY HASH (id); CREATE TABLE parted0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE parted1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1); INSERT INTO parted SELECT g, 'x' FROM generate_series(1, 5000) g`,
		"nokey":     `CREATE TABLE nokey AS SELECT g % 10 AS v FROM generate_series(1, 5000) g`,
		"parent":    `CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child (PRIMARY KEY (id)) INHERITS (parent); INSERT INTO parent SELECT g FROM generate_series(1, 5000) g; INSERT INTO child SELECT g FROM generate_series(1, 7) g`,
	}
	exec(t, db, `CREATE TYPE mood AS ENUM ('sad', 'happy')`)
	for _, sql := range tables {
		exec(t, db, sql)
	}
	exec(t, db, `ANALYZE dense; ANALYZE sparse; ANALYZE composite; ANALYZE parted`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	c.sync()
	list, err := c.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, table := range list {
		if tables[table.Name] == "" {
			continue
		}
		seen++
		t.Run(table.Name, func(t *testing.T) { coverEveryRowOnce(t, c, table.ID, table.Keyless, rows) })
	}
	if seen != len(tables) {
		t.Errorf("%d of %d tables", seen, len(tables))
	}
}

func coverEveryRowOnce(t *testing.T, c *captured, table row.TableID, keyless bool, want int) {
	var bounds []row.Tuple
	err := c.Plan(t.Context(), table, nil, 700, func(hi row.Tuple) error {
		bounds = append(bounds, hi)
		return nil
	})
	if err != nil || bounds[len(bounds)-1] != nil {
		t.Fatalf("%d bounds, %v", len(bounds), err)
	}
	if keyless != (len(bounds) == 1) {
		t.Fatalf("%d chunks", len(bounds))
	}
	// Resuming behind the second bound gives the rest of the same walk.
	if len(bounds) > 2 {
		n := 0
		err := c.Plan(t.Context(), table, bounds[1], 700, func(row.Tuple) error { n++; return nil })
		if err != nil || n != len(bounds)-2 {
			t.Errorf("resumed: %d chunks of %d, %v", n, len(bounds)-2, err)
		}
	}
	total := 0
	distinct := map[string]bool{}
	var lo row.Tuple
	var keys []row.Tuple
	var places []int
	shape := c.rec.Shape(table)
	for i, hi := range bounds {
		rows, _ := readAll(t, c.Source, c.rec, table, lo, hi)
		if !keyless && len(rows) > 1400 {
			t.Errorf("chunk %d has %d rows", i, len(rows))
		}
		for _, r := range rows {
			total++
			distinct[string(r)] = true
			if !keyless {
				keys, places = append(keys, keyTuple(shape, r)), append(places, i)
			}
		}
		lo = hi
	}
	if total != want || !keyless && len(distinct) != want {
		t.Errorf("%d rows, %d distinct, want %d", total, len(distinct), want)
	}
	if keyless {
		return
	}
	rand.Shuffle(len(keys), func(i, j int) {
		keys[i], keys[j] = keys[j], keys[i]
		places[i], places[j] = places[j], places[i]
	})
	got, err := c.Locate(t.Context(), table, bounds[:len(bounds)-1], keys)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(places) {
		t.Errorf("locate puts keys elsewhere than the chunks that hold them: %v", err)
	}
	fetched, ok, err := c.Fetch(t.Context(), shape, keys[0])
	if err != nil || !ok || string(keyTuple(shape, fetched)) != string(keys[0]) {
		t.Errorf("fetch %s: %s %v %v", printTuple(keys[0]), printTuple(fetched), ok, err)
	}
}

// keyTuple takes the key columns of a row.
func keyTuple(shape *row.Schema, r row.Tuple) row.Tuple {
	key := shape.KeyColumns()
	t := row.AppendTupleHeader(nil, len(key))
	i := 0
	for it := r.Iter(); it.Next(); i++ {
		if n := sort.SearchInts(key, i); n < len(key) && key[n] == i {
			t = row.AppendValue(t, it.Value)
		}
	}
	return t
}

func TestFetchFollowsColumnsByID(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v text, w int); INSERT INTO a VALUES (1, 'x', 5)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	c.sync()
	tables, _ := c.Tables(t.Context())
	shape := c.rec.Shape(tables[0].ID)
	exec(t, db, `ALTER TABLE a RENAME v TO vv; ALTER TABLE a DROP w; ALTER TABLE a ADD w int DEFAULT 9`)
	key := row.AppendValue(row.AppendTupleHeader(nil, 1), []byte("1"))
	got, ok, err := c.Fetch(t.Context(), shape, key)
	if err != nil || !ok || printTuple(got) != "(1,x,~)" {
		t.Errorf("%s %v %v", printTuple(got), ok, err)
	}
	_, ok, err = c.Fetch(t.Context(), shape, row.AppendValue(row.AppendTupleHeader(nil, 1), []byte("2")))
	if ok || err != nil {
		t.Errorf("a row that is not there: %v %v", ok, err)
	}
}

// What a chunk's snapshot sees and what it does not, against real transactions.
func TestChunkTellsWhatItSees(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db, other := dial(t, url), dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v text)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	tables, _ := c.Tables(t.Context())
	var before, running, after uint32
	one := func(sql string) (x uint32) {
		if err := db.QueryRow(t.Context(), sql).Scan(&x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	before = one(`INSERT INTO a VALUES (1, 'x') RETURNING pg_current_xact_id()::text::int8`)
	exec(t, other, `BEGIN; INSERT INTO a VALUES (2, 'y')`)
	if err := other.QueryRow(t.Context(), `SELECT pg_current_xact_id()::text::int8`).Scan(&running); err != nil {
		t.Fatal(err)
	}
	rows, read := readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
	exec(t, other, `COMMIT`)
	after = one(`INSERT INTO a VALUES (3, 'z') RETURNING pg_current_xact_id()::text::int8`)
	if len(rows) != 1 || !read.Visible.Sees(uint64(before)) || read.Visible.Sees(uint64(running)) || read.Visible.Sees(uint64(after)) {
		t.Errorf("%d rows, %+v of %d, %d, %d", len(rows), read.Visible, before, running, after)
	}
	_, again := readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
	exec(t, db, `ALTER TABLE a ALTER v SET NOT NULL`)
	_, changed := readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
	if read.ShapeXid != again.ShapeXid || again.ShapeXid == changed.ShapeXid || again.Version == changed.Version {
		t.Errorf("shape %x %x %x", read.ShapeXid, again.ShapeXid, changed.ShapeXid)
	}
}
