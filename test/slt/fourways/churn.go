package fourways

import (
	"fmt"
	"strings"

	"github.com/weirstream/weir/test/slt/script"
)

// table is a table of the script with the rows to delete and to bring back.
type table struct {
	name    string
	columns []string
	key     []int // positions of the key's columns; nil: the whole row
	rows    script.Rows
}

// churn is way 4.
func (w *way) churn() error {
	var tables []*table
	rows := 0
	for _, name := range w.oracle.named("TABLE") {
		t, err := w.read(name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		tables = append(tables, t)
		rows += len(t.rows)
	}
	if err := w.play(w.deal(tables), rows, (*table).remove); err != nil {
		return err
	}
	if err := w.compareAll("after all rows were deleted"); err != nil {
		return err
	}
	hands := w.deal(tables)
	if err := w.play(hands, rows/2, (*table).insert); err != nil {
		return err
	}
	if err := w.compareAll("after half of the rows came back"); err != nil {
		return err
	}
	if err := w.play(hands, rows-rows/2, (*table).insert); err != nil {
		return err
	}
	return w.compareAll("after all rows came back")
}

// read takes a table's columns, key and rows from the oracle.
func (w *way) read(name string) (*table, error) {
	all, err := w.oracle.conn.Exec(w.ctx, "SELECT * FROM "+name)
	if err != nil {
		return nil, err
	}
	key, err := w.oracle.conn.Exec(w.ctx, fmt.Sprintf(`SELECT a.attname FROM pg_index i
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indisprimary AND i.indrelid = '%s'::regclass`, name))
	if err != nil {
		return nil, err
	}
	t := &table{name: name, rows: all.Rows}
	for i, c := range all.Columns {
		t.columns = append(t.columns, c.Name)
		for _, k := range key.Rows {
			if k[0].Text == c.Name {
				t.key = append(t.key, i)
			}
		}
	}
	return t, nil
}

// hand holds the rows of a table that are still to be written, in random order.
type hand struct {
	table *table
	rows  script.Rows
}

func (w *way) deal(tables []*table) []*hand {
	hands := make([]*hand, len(tables))
	for i, t := range tables {
		h := &hand{t, append(script.Rows{}, t.rows...)}
		w.random.Shuffle(len(h.rows), func(a, b int) { h.rows[a], h.rows[b] = h.rows[b], h.rows[a] })
		hands[i] = h
	}
	return hands
}

// play writes n rows of the hands on both servers, a few at a time, from tables
// chosen at random.
func (w *way) play(hands []*hand, n int, write func(*table, script.Rows) string) error {
	for n > 0 {
		h := hands[w.random.IntN(len(hands))]
		size := min(1+w.random.IntN(8+len(h.table.rows)/20), len(h.rows), n)
		if size == 0 {
			continue
		}
		if err := w.both(write(h.table, h.rows[:size])); err != nil {
			return err
		}
		h.rows = h.rows[size:]
		n -= size
	}
	return nil
}

// both executes a change on both servers.
func (w *way) both(sql string) error {
	w.dirty = true
	for _, s := range []*side{&w.oracle, &w.peer} {
		if _, err := s.conn.Exec(w.ctx, sql); err != nil {
			return fmt.Errorf("%s: %w\n%s", s.Label, err, sql)
		}
	}
	return nil
}

func (t *table) insert(rows script.Rows) string {
	tuples := make([]string, len(rows))
	for i, r := range rows {
		values := make([]string, len(r))
		for j, v := range r {
			values[j] = literal(v)
		}
		tuples[i] = "(" + strings.Join(values, ", ") + ")"
	}
	return "INSERT INTO " + t.name + " VALUES " + strings.Join(tuples, ", ")
}

// remove deletes these rows; of a table without a key, all that equal them.
func (t *table) remove(rows script.Rows) string {
	any := make([]string, len(rows))
	for i, r := range rows {
		var all []string
		if t.key == nil {
			for j, c := range t.columns {
				all = append(all, c+" IS NOT DISTINCT FROM "+literal(r[j]))
			}
		}
		for _, j := range t.key {
			all = append(all, t.columns[j]+" = "+literal(r[j]))
		}
		any[i] = "(" + strings.Join(all, " AND ") + ")"
	}
	return "DELETE FROM " + t.name + " WHERE " + strings.Join(any, " OR ")
}

func literal(v script.Value) string {
	if v.Null {
		return "NULL"
	}
	return "'" + strings.ReplaceAll(v.Text, "'", "''") + "'"
}
