package database

import (
	"github.com/weirstream/weir/internal/ts"
)

// overlay is the newest state of a table's rows that were written and may not be
// in the committed epoch yet: by key encoding.
type overlay map[string]version

// version is what became of a key.
type version struct {
	row []byte // zset.AppendExactRow of the row; nil: deleted
	at  ts.Ts  // of its transaction; 0 while that is open
}

// forget drops what the epoch holds.
func (o overlay) forget(epoch ts.Ts) {
	for key, v := range o {
		if v.at <= epoch {
			delete(o, key)
		}
	}
}

// merge takes over what a transaction has written at the Ts at.
func (o overlay) merge(written overlay, at ts.Ts) {
	for key, v := range written {
		v.at = at
		o[key] = v
	}
}
