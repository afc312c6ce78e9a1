package database

import (
	"context"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/metastore"
)

// rowIDBlock is how many row ids are reserved at a time.
const rowIDBlock = 1 << 20

// NextRowIDs gives n consecutive ids for rows of tables without a key. None is ever
// given twice, also after a crash: what was reserved and not used is lost.
func (db *Database) NextRowIDs(_ context.Context, _ *catalog.Relation, n int) (int64, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.nextRow+int64(n) > db.lastRow {
		first := db.info.NextRow
		info := db.info
		info.NextRow = first + max(rowIDBlock, int64(n))
		if err := db.o.Meta.Update(func(tx *metastore.Tx) error { return tx.Put(keyInfo(db.o.ID), info) }); err != nil {
			return 0, err
		}
		db.info, db.nextRow, db.lastRow = info, first, info.NextRow
	}
	at := db.nextRow
	db.nextRow += int64(n)
	return at, nil
}
