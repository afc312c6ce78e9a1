package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Drop implements capture.Upstream: it removes everything we made upstream. Parts
// that are gone already, or that a DBA made and the role may not remove, are no error.
func (s *Source) Drop(ctx context.Context) error {
	err := s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if err := s.dropSlot(ctx, conn); err != nil {
			return err
		}
		keyed, keyless := s.cfg.publications()
		sql := append(dropTriggerSQL(s.cfg.Slot),
			"DROP PUBLICATION IF EXISTS "+quoteIdent(keyed), "DROP PUBLICATION IF EXISTS "+quoteIdent(keyless),
			"DROP SCHEMA IF EXISTS "+quoteIdent(schemaName))
		for _, q := range sql {
			_, err := conn.Exec(ctx, q)
			switch sqlState(err) {
			case "", "3F000": // no such schema
			case "2BP01": // the schema holds what others made
			case "42501":
				s.log.Warn("cannot remove what a DBA made", "statement", q, "error", err)
				continue
			}
			if err != nil && sqlState(err) != "2BP01" && sqlState(err) != "3F000" {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return upstream.wrap(err, "cannot remove slot, publications and triggers").With("slot", s.cfg.Slot)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published, s.seen, s.surveyed, s.triggered = map[uint32]uint64{}, map[uint32]int64{}, false, false
	return nil
}

// dropSlot ends the walsender that holds the slot and drops it.
func (s *Source) dropSlot(ctx context.Context, conn *pgx.Conn) error {
	for deadline := time.Now().Add(20 * time.Second); ; {
		_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1 AND active_pid IS NOT NULL`, s.cfg.Slot)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1`, s.cfg.Slot)
		if sqlState(err) != "55006" || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
