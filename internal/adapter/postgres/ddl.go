package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// schemaName is the schema that holds what we create upstream.
const schemaName = "weir"

// triggerSQL makes the DDL trigger of a slot: a function, and the events it runs at.
func triggerSQL(slot string) []string {
	fn := quoteIdent(schemaName) + "." + quoteIdent(slot+"_ddl")
	sql := []string{`CREATE SCHEMA IF NOT EXISTS ` + quoteIdent(schemaName), functionSQL(slot)}
	for _, e := range triggerEvents {
		sql = append(sql, `DROP EVENT TRIGGER IF EXISTS `+quoteIdent(slot+e.suffix))
	}
	for _, e := range triggerEvents {
		sql = append(sql, `CREATE EVENT TRIGGER `+quoteIdent(slot+e.suffix)+` ON `+e.event+` EXECUTE FUNCTION `+fn+`()`,
			`ALTER EVENT TRIGGER `+quoteIdent(slot+e.suffix)+` ENABLE ALWAYS`)
	}
	return sql
}

// triggerEvents are the events and how their triggers' names end, after the slot's.
var triggerEvents = []struct{ suffix, event string }{
	{"_end", "ddl_command_end"}, {"_drop", "sql_drop"}, {"_rewrite", "table_rewrite"},
}

// triggerNames are the event triggers of a slot.
func triggerNames(slot string) (names []string) {
	for _, e := range triggerEvents {
		names = append(names, slot+e.suffix)
	}
	return names
}

func dropTriggerSQL(slot string) (sql []string) {
	for _, name := range triggerNames(slot) {
		sql = append(sql, `DROP EVENT TRIGGER IF EXISTS `+quoteIdent(name))
	}
	return append(sql, `DROP FUNCTION IF EXISTS `+quoteIdent(schemaName)+"."+quoteIdent(slot+"_ddl")+`()`)
}

// ensureTrigger installs the DDL trigger where that is wanted and the role may;
// one that a DBA made is used as it is.
func (s *Source) ensureTrigger(ctx context.Context) error {
	installed := false
	err := s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		if s.cfg.NoEventTrigger {
			return nil
		}
		present, current, err := s.triggerState(ctx, conn)
		if err != nil {
			return err
		}
		if current {
			installed = true
			return nil
		}
		err = alter(ctx, conn, triggerSQL(s.cfg.Slot))
		switch {
		case err == nil:
			installed = true
		case sqlState(err) == "42501" && present:
			installed = true
			s.log.Warn("the DDL trigger was made by another version of weir and the role may not replace it", "hint", "run what weir check --print-sql prints")
		case sqlState(err) == "42501":
			s.log.Info("without a DDL trigger: the role may not create event triggers; a changed shape is noticed with the next row or survey")
		default:
			return err
		}
		return nil
	})
	if err != nil {
		return upstream.wrap(err, "cannot install the DDL trigger").With("slot", s.cfg.Slot)
	}
	s.mu.Lock()
	s.triggered = installed
	s.mu.Unlock()
	return nil
}

// triggerState tells whether the event triggers are there and enabled, and
// whether their function is the one this version would make.
func (s *Source) triggerState(ctx context.Context, conn *pgx.Conn) (present, current bool, err error) {
	var body string
	err = conn.QueryRow(ctx, `SELECT count(*) = cardinality($1::text[]), COALESCE(min(p.prosrc), '') FROM pg_event_trigger e JOIN pg_proc p ON p.oid = e.evtfoid
		WHERE e.evtname = ANY($1) AND e.evtenabled <> 'D'`, triggerNames(s.cfg.Slot)).Scan(&present, &body)
	return present, present && strings.Contains(triggerSQL(s.cfg.Slot)[1], "$weir$"+body+"$weir$"), err
}

// tellChanges does by polling what the DDL trigger would do: where there is none, it
// emits a message for each table that came, changed or went since the last survey.
func (s *Source) tellChanges(ctx context.Context, conn *pgx.Conn, selected []survey) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, triggered := !s.surveyed, s.triggered
	s.surveyed = true
	now := make(map[uint32]int64, len(selected))
	var changed, gone []int64
	for _, t := range selected {
		if now[t.OID] = t.Digest; s.seen[t.OID] != t.Digest {
			changed = append(changed, int64(t.OID))
		}
	}
	for oid := range s.seen {
		if _, ok := now[oid]; !ok {
			gone = append(gone, int64(oid))
		}
	}
	s.seen = now
	if first || triggered || len(changed)+len(gone) == 0 {
		return nil
	}
	return s.tell(ctx, conn, changed, gone)
}

// tellAll announces all tables at the slot's beginning, so that shapes are known
// exactly before the first row and however late the stream is read.
func (s *Source) tellAll(ctx context.Context) error {
	s.mu.Lock()
	all := make([]int64, 0, len(s.seen))
	for oid := range s.seen {
		all = append(all, int64(oid))
	}
	s.mu.Unlock()
	slices.Sort(all)
	err := s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error { return s.tell(ctx, conn, all, nil) })
	if err != nil {
		return upstream.wrap(err, "cannot announce the tables in the stream")
	}
	return nil
}

// tellBatch is how many tables one message describes, about 1 KiB each.
const tellBatch = 200

// tell emits DDL messages for tables: as they are, or that they are gone.
func (s *Source) tell(ctx context.Context, conn *pgx.Conn, changed, gone []int64) error {
	for len(changed)+len(gone) > 0 {
		n := min(len(changed), tellBatch)
		_, err := conn.Exec(ctx, fmt.Sprintf(`SELECT pg_logical_emit_message(true, $1, json_build_object('slot', $2::text, 'tag', 'survey', 'tables',
			COALESCE((SELECT json_agg(%s) FROM pg_class c WHERE c.oid = ANY($3::int8[]::oid[]))::jsonb, '[]') ||
			COALESCE((SELECT json_agg(json_build_object('oid', id, 'dropped', true)) FROM unnest($4::int8[]) AS u(id)
				WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = id::oid))::jsonb, '[]'))::text)`, factsExpr),
			ddlPrefix, s.cfg.Slot, changed[:n], gone)
		if err != nil {
			return err
		}
		changed, gone = changed[n:], nil
	}
	return nil
}
