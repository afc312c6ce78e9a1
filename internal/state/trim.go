package state

import "github.com/cockroachdb/pebble/v2"

// Trim removes the entries of a table whose keys are in [low, high). Snapshots taken
// before keep them. It need not be durable when it returns.
func (s *Store) Trim(database, table uint32, low, high []byte) error {
	from := append(appendTable(nil, database, table), low...)
	to := append(appendTable(nil, database, table), high...)
	return name.Error(s.db.DeleteRange(from, to, pebble.NoSync))
}
