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

// triggerSQL makes the DDL trigger of a slot: after every DDL command it emits the
// catalog's view of the tables concerned as a transactional message, so that it
// stands in the stream exactly where the command took effect. A table that lost its
// identity moves to the other publication in the same transaction, so that the next
// update of it is not refused. The function runs with its owner's rights and swallows every error: no statement of the
// application fails because of it.
func triggerSQL(slot string) []string {
	fn := quoteIdent(schemaName) + "." + quoteIdent(slot+"_ddl")
	return []string{
		`CREATE SCHEMA IF NOT EXISTS ` + quoteIdent(schemaName),
		`CREATE OR REPLACE FUNCTION ` + fn + `() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $weir$
DECLARE
  roots oid[];
  ids oid[];
  moved record;
  changed json;
  gone json;
BEGIN
  IF tg_event = 'sql_drop' THEN
    SELECT json_agg(json_build_object('oid', d.objid::int8, 'ns', d.schema_name, 'name', d.object_name, 'dropped', true)) INTO gone
      FROM pg_event_trigger_dropped_objects() d
      WHERE d.classid = 'pg_class'::regclass AND d.objsubid = 0 AND d.object_type = 'table' AND NOT d.is_temporary;
    SELECT array_agg(DISTINCT d.objid) INTO ids FROM pg_event_trigger_dropped_objects() d
      WHERE d.classid = 'pg_class'::regclass AND d.objsubid <> 0;
  ELSE
    WITH RECURSIVE commands AS (
      SELECT d.classid, d.objid FROM pg_event_trigger_ddl_commands() d WHERE d.classid IS NOT NULL
    ), types AS ( -- those commanded, and those made of them: arrays, domains, composites
      SELECT d.objid AS id FROM commands d WHERE d.classid = 'pg_type'::regclass
      UNION SELECT c.reltype FROM commands d JOIN pg_class c ON c.oid = d.objid WHERE d.classid = 'pg_class'::regclass AND c.relkind = 'c'
      UNION SELECT COALESCE(c.reltype, p.objid) FROM types t JOIN pg_depend p ON p.refclassid = 'pg_type'::regclass AND p.refobjid = t.id
        LEFT JOIN pg_class c ON p.classid = 'pg_class'::regclass AND c.oid = p.objid AND c.relkind = 'c'
        WHERE p.classid = 'pg_type'::regclass OR c.oid IS NOT NULL
    )
    SELECT array_agg(DISTINCT x.id) INTO ids FROM (
      SELECT d.objid AS id FROM commands d WHERE d.classid = 'pg_class'::regclass
      UNION ALL SELECT i.indrelid FROM commands d JOIN pg_index i ON i.indexrelid = d.objid WHERE d.classid = 'pg_class'::regclass
      UNION ALL SELECT p.objid FROM types t JOIN pg_depend p ON p.refclassid = 'pg_type'::regclass AND p.refobjid = t.id AND p.classid = 'pg_class'::regclass
      UNION ALL SELECT c.oid FROM commands d JOIN pg_class c ON c.relnamespace = d.objid WHERE d.classid = 'pg_namespace'::regclass AND tg_tag = 'ALTER SCHEMA'
    ) x;
  END IF;
  SELECT array_agg(COALESCE(pg_partition_root(u.id), u.id)) INTO roots FROM unnest(ids) AS u(id);
  SELECT json_agg(` + factsExpr + `) INTO changed FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND NOT c.relispartition
    AND c.oid = ANY (roots);
  IF changed IS NOT NULL OR gone IS NOT NULL THEN
    PERFORM pg_logical_emit_message(true, ` + quoteLiteral(ddlPrefix) + `, json_build_object('slot', ` + quoteLiteral(slot) + `, 'tag', tg_tag, 'tables',
      COALESCE(changed::jsonb, '[]') || COALESCE(gone::jsonb, '[]'))::text);
  END IF;
  FOR moved IN SELECT format('%I.%I', n.nspname, t.relname) AS name
      FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid JOIN pg_class t ON t.oid = r.prrelid JOIN pg_namespace n ON n.oid = t.relnamespace
      WHERE p.pubname = ` + quoteLiteral(slot) + ` AND t.oid = ANY (roots)
      AND EXISTS (SELECT FROM pg_class c WHERE NOT (` + usableExpr + `) AND (c.oid = t.oid OR c.relkind = 'r' AND c.oid IN (SELECT relid FROM pg_partition_tree(t.oid)))) LOOP
    EXECUTE 'ALTER PUBLICATION ` + quoteIdent(slot) + ` DROP TABLE ONLY ' || moved.name;
    EXECUTE 'ALTER PUBLICATION ` + quoteIdent(slot+"_keyless") + ` ADD TABLE ONLY ' || moved.name;
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  RAISE LOG 'weir: % was not announced: %', tg_tag, SQLERRM;
END $weir$`,
		`DROP EVENT TRIGGER IF EXISTS ` + quoteIdent(slot+"_end"),
		`DROP EVENT TRIGGER IF EXISTS ` + quoteIdent(slot+"_drop"),
		`CREATE EVENT TRIGGER ` + quoteIdent(slot+"_end") + ` ON ddl_command_end EXECUTE FUNCTION ` + fn + `()`,
		`CREATE EVENT TRIGGER ` + quoteIdent(slot+"_drop") + ` ON sql_drop EXECUTE FUNCTION ` + fn + `()`,
		`ALTER EVENT TRIGGER ` + quoteIdent(slot+"_end") + ` ENABLE ALWAYS`,
		`ALTER EVENT TRIGGER ` + quoteIdent(slot+"_drop") + ` ENABLE ALWAYS`,
	}
}

func dropTriggerSQL(slot string) []string {
	return []string{
		`DROP EVENT TRIGGER IF EXISTS ` + quoteIdent(slot+"_end"),
		`DROP EVENT TRIGGER IF EXISTS ` + quoteIdent(slot+"_drop"),
		`DROP FUNCTION IF EXISTS ` + quoteIdent(schemaName) + "." + quoteIdent(slot+"_ddl") + `()`,
	}
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

// triggerState tells whether the two event triggers are there and enabled, and
// whether their function is the one this version would make.
func (s *Source) triggerState(ctx context.Context, conn *pgx.Conn) (present, current bool, err error) {
	var body string
	err = conn.QueryRow(ctx, `SELECT count(*) = 2, COALESCE(min(p.prosrc), '') FROM pg_event_trigger e JOIN pg_proc p ON p.oid = e.evtfoid
		WHERE e.evtname = ANY($1) AND e.evtenabled <> 'D'`, []string{s.cfg.Slot + "_end", s.cfg.Slot + "_drop"}).Scan(&present, &body)
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
