package postgres

import (
	"log/slog"
	"strings"

	"github.com/weirstream/weir/internal/row"
)

// Bits of pg_event_trigger_table_rewrite_reason.
const (
	rewriteDefault = 2 // a column was added whose value must be computed for each row
	rewriteColumn  = 4 // a column's type was changed, perhaps by USING
)

// unseen warns of values that a command wrote into rows upstream and that are not in
// the stream: PostgreSQL does not stream the rewrite of a table.
//
//	ADD COLUMN c int DEFAULT 42                  the catalog tells what older rows hold
//	ADD COLUMN c uuid DEFAULT gen_random_uuid()  each row has its own: only the rows tell
//	ALTER COLUMN c TYPE text USING f(c)          as well, unless f is the cast
type unseen struct {
	log  *slog.Logger
	told map[row.TableID]bool // by the command under way, which rewrites each partition
}

const unseenHint = "weir source resync brings all rows anew; weir changefeed verify shows whether that is needed"

// rewritten is for a command that the trigger announced. known is the table as the
// stream told of it last, else prev the newest shape known.
func (u *unseen) rewritten(f, known *tableFacts, prev *row.Schema, rewrite int) {
	id := row.TableID(f.OID)
	if rewrite == 0 {
		delete(u.told, id) // the command has ended
		return
	}
	if u.told[id] || rewrite&(rewriteDefault|rewriteColumn) == 0 {
		return
	}
	u.told[id] = true
	before := typesBefore(known, prev)
	var computed, retyped []string
	added := 0
	for _, a := range f.Attrs {
		if a.Dropped {
			continue
		}
		was, ok := before[a.Num]
		if !ok {
			added++ // a generated column too: the target computes it as well
		}
		switch {
		case a.Generated != "":
		case !ok && a.Missing == nil && a.Defaulted:
			computed = append(computed, a.Name)
		case ok && was != columnType{a.Type, a.Typmod}:
			retyped = append(retyped, a.Name)
		}
	}
	switch {
	case len(computed) > 0:
		u.warn(f, "a table was rewritten for a new column's default: the target lacks the values of the rows that were there", computed)
	case rewrite&rewriteColumn != 0:
		u.warn(f, "a table was rewritten for a column's type: the target casts the values, which may differ if the command had USING", retyped)
	case added == 0:
		u.warn(f, "a table was rewritten: the target lacks the new values", nil)
	}
}

func (u *unseen) warn(f *tableFacts, what string, columns []string) {
	u.log.Warn(what, "table", f.Namespace+"."+f.Name, "columns", strings.Join(columns, ", "), "hint", unseenHint)
}

// guess is for a shape that was noticed without a trigger: a new column with a default
// of which the catalog does not tell what older rows hold.
func (u *unseen) guess(table string, f *tableFacts, columns []row.Column, prev *row.Schema) {
	before := typesBefore(nil, prev)
	for i := range columns {
		a := f.attr(columns[i].ID)
		if a == nil || a.Missing != nil || !a.Defaulted {
			continue
		}
		if _, ok := before[a.Num]; !ok {
			u.log.Warn("a column with a default was added, and the catalog does not tell what the rows that were there hold: the target may lack it",
				"table", table, "columns", a.Name, "hint", unseenHint)
		}
	}
}

type columnType struct {
	oid    uint32
	typmod int32
}

// typesBefore are the columns known before, by their number.
func typesBefore(f *tableFacts, prev *row.Schema) map[int32]columnType {
	types := map[int32]columnType{}
	if f != nil {
		for _, a := range f.Attrs {
			if !a.Dropped {
				types[a.Num] = columnType{a.Type, a.Typmod}
			}
		}
		return types
	}
	if prev != nil {
		for _, c := range prev.Columns {
			types[c.ID] = columnType{c.Type, c.Typmod}
		}
	}
	return types
}
