package postgres

import (
	"maps"
	"slices"
	"strings"
)

// functionSQL makes the function of a slot's DDL trigger: after every DDL command it
// emits the catalog's view of the tables concerned as a transactional message, so that
// it stands in the stream exactly where the command took effect. It does so before a
// command rewrites a table as well, since the rewrite clears what the catalog tells of
// older rows. A table that lost its identity moves to the other publication in the same
// transaction, so that the next update of it is not refused. An empty message follows: PostgreSQL
// orders a message by where its record ends and a row by where it begins, so that a row right behind
// a message may come before it, but not before the one before that. The function runs with its
// owner's rights and swallows every error: no statement of the application fails because
// of it.
func functionSQL(slot string) string {
	fn := quoteIdent(schemaName) + "." + quoteIdent(slot+"_ddl")
	return `CREATE OR REPLACE FUNCTION ` + fn + `() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER` + textSettings() + ` AS $weir$
DECLARE
  roots oid[];
  ids oid[];
  moved record;
  rewrite int := 0;
  changed json;
  gone json;
BEGIN
  IF tg_event = 'sql_drop' THEN
    SELECT json_agg(json_build_object('oid', d.objid::int8, 'ns', d.schema_name, 'name', d.object_name, 'dropped', true)) INTO gone
      FROM pg_event_trigger_dropped_objects() d
      WHERE d.classid = 'pg_class'::regclass AND d.objsubid = 0 AND d.object_type = 'table' AND NOT d.is_temporary;
    SELECT array_agg(DISTINCT d.objid) INTO ids FROM pg_event_trigger_dropped_objects() d
      WHERE d.classid = 'pg_class'::regclass AND d.objsubid <> 0;
  ELSIF tg_event = 'table_rewrite' THEN -- the catalog is changed already, the rows are not
    ids := ARRAY[pg_event_trigger_table_rewrite_oid()];
    rewrite := pg_event_trigger_table_rewrite_reason();
    IF pg_relation_size(ids[1]) = 0 THEN
      RETURN; -- there are no rows
    END IF;
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
    PERFORM pg_logical_emit_message(true, ` + quoteLiteral(ddlPrefix) + `, json_build_object('slot', ` + quoteLiteral(slot) + `, 'tag', tg_tag, 'rewrite', rewrite, 'tables',
      COALESCE(changed::jsonb, '[]') || COALESCE(gone::jsonb, '[]'))::text);
    PERFORM pg_logical_emit_message(true, ` + quoteLiteral(ddlPrefix+"_end") + `, '');
  END IF;
  IF tg_event = 'table_rewrite' THEN
    RETURN; -- the command has not ended
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
END $weir$`
}

// textSettings are SET clauses under which the function prints values as all our
// sessions do. The encoding is the application's matter.
func textSettings() string {
	var b strings.Builder
	settings := pinned()
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		switch name {
		case "DateStyle", "IntervalStyle", "TimeZone", "extra_float_digits", "bytea_output", "lc_monetary", "search_path":
			b.WriteString(" SET " + name + " = " + quoteLiteral(settings[name]))
		}
	}
	return b.String()
}
