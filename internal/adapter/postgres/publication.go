package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// survey is one table the filter selects, as the catalog has it.
type survey struct {
	OID             uint32
	Namespace, Name string
	// Keyed: the old row of an update or delete can be told, in the table and in
	// each of its partitions.
	Keyed   bool
	Keyless bool // rows have no key: neither a primary key nor an identity index
	Rows    int64
	Digest  int64 // changes with the shape
}

// usableExpr tells whether PostgreSQL would accept updates of the pg_class row c in a
// publication: its old rows can be told.
const usableExpr = `CASE c.relreplident WHEN 'f' THEN true
    WHEN 'd' THEN EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate AND i.indisvalid)
    WHEN 'i' THEN EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident AND i.indisvalid)
    ELSE false END`

// surveyQuery lists the permanent tables that are no partitions.
const surveyQuery = `
WITH usable AS (
  SELECT c.oid, ` + usableExpr + ` AS ok
  FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p')
SELECT c.oid::int8, n.nspname::text, c.relname::text,
  u.ok AND (c.relkind = 'r' OR NOT EXISTS (SELECT FROM pg_partition_tree(c.oid) t JOIN usable l ON l.oid = t.relid WHERE t.isleaf AND t.relid <> c.oid AND NOT l.ok)),
  NOT (EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate AND i.indisvalid)
    OR c.relreplident = 'i' AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisreplident AND i.indisvalid)),
  GREATEST(CASE c.relkind WHEN 'r' THEN c.reltuples ELSE (SELECT COALESCE(sum(l.reltuples), 0) FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf AND l.reltuples > 0) END, 0)::int8,
  ` + shapeXidExpr + `
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN usable u ON u.oid = c.oid
WHERE NOT c.relispartition AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 2, 3`

// Tables implements capture.Upstream. It brings the publications in step with the
// catalog: tables come, go, gain and lose their identity. A table that the role
// may not publish is left out and reported by Warnings.
func (s *Source) Tables(ctx context.Context) (tables []capture.Table, err error) {
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) (err error) {
		tables, err = s.tables(ctx, conn)
		return err
	})
	if err != nil {
		return nil, upstream.wrap(err, "cannot bring the publications in step with the tables").With("publication", s.cfg.Slot)
	}
	return tables, nil
}

func (s *Source) tables(ctx context.Context, conn *pgx.Conn) ([]capture.Table, error) {
	selected, err := s.survey(ctx, conn)
	if err != nil {
		return nil, err
	}
	pubs, err := s.ensurePublications(ctx, conn)
	if err != nil {
		return nil, err
	}
	failed := s.alterPublications(ctx, conn, pubs, selected)
	if pubs, err = s.ensurePublications(ctx, conn); err != nil {
		return nil, err
	}
	// Read after the changes are committed: a transaction with a higher id began
	// after that, so all it does is published.
	var now uint64
	var text string
	if err := conn.QueryRow(ctx, `SELECT pg_current_xact_id()::text`).Scan(&text); err != nil {
		return nil, err
	}
	if now, err = strconv.ParseUint(text, 10, 64); err != nil {
		return nil, err
	}
	if err := s.tellChanges(ctx, conn, selected); err != nil {
		return nil, err
	}
	return s.report(pubs, selected, failed, now), nil
}

func (s *Source) survey(ctx context.Context, conn *pgx.Conn) ([]survey, error) {
	rows, err := conn.Query(ctx, surveyQuery)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (t survey, err error) {
		err = r.Scan(&t.OID, &t.Namespace, &t.Name, &t.Keyed, &t.Keyless, &t.Rows, &t.Digest)
		return t, err
	})
	return slices.DeleteFunc(all, func(t survey) bool { return !s.cfg.Tables.Match(t.Namespace, t.Name) }), err
}

// members are the tables in each of the two publications.
type members struct {
	keyed, keyless map[uint32]bool
	// listed are the tables that are in a publication by name, with their names, and
	// not by schema: those that can be taken out.
	listed map[uint32]string
}

func (m *members) has(oid uint32) bool { return m.keyed[oid] || m.keyless[oid] }

const publishKeyed, publishKeyless = "insert, update, delete, truncate", "insert, truncate"

// ensurePublications makes the publications that are missing and lists their members.
func (s *Source) ensurePublications(ctx context.Context, conn *pgx.Conn) (*members, error) {
	keyed, keyless := s.cfg.publications()
	have := map[string]bool{}
	rows, err := conn.Query(ctx, `SELECT pubname::text, puballtables, pubupdate OR pubdelete, pubinsert AND pubviaroot FROM pg_publication WHERE pubname = ANY($1)`,
		[]string{keyed, keyless})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var all, updates, sane bool
		if err := rows.Scan(&name, &all, &updates, &sane); err != nil {
			return nil, err
		}
		have[name] = true
		if all || !sane || updates != (name == keyed) {
			return nil, weirerr.New(weirerr.UpstreamConfig, "the publication is not as it has to be").With("publication", name).
				Hint("drop it; make it as weir check --print-sql says, or let weir make it")
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for name, publish := range map[string]string{keyed: publishKeyed, keyless: publishKeyless} {
		if have[name] {
			continue
		}
		_, err := conn.Exec(ctx, fmt.Sprintf(`CREATE PUBLICATION %s WITH (publish = '%s', publish_via_partition_root = true)`, quoteIdent(name), publish))
		if sqlState(err) == "42501" {
			return nil, weirerr.New(weirerr.UpstreamRights, "the role may not create publications").With("publication", name).Wrap(redacted(err)).
				Hint("GRANT CREATE ON DATABASE, or have a DBA run what weir check --print-sql prints")
		}
		if err != nil {
			return nil, err
		}
	}
	return s.members(ctx, conn)
}

func (s *Source) members(ctx context.Context, conn *pgx.Conn) (*members, error) {
	keyed, keyless := s.cfg.publications()
	m := &members{keyed: map[uint32]bool{}, keyless: map[uint32]bool{}, listed: map[uint32]string{}}
	rows, err := conn.Query(ctx, `
SELECT p.pubname = $1, t.relid::int8, EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = t.relid),
  quote_ident(n.nspname) || '.' || quote_ident(c.relname)
FROM pg_publication p, LATERAL pg_get_publication_tables(p.pubname::text) t JOIN pg_class c ON c.oid = t.relid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE p.pubname IN ($1, $2)`, keyed, keyless)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var inKeyed, listed bool
		var oid uint32
		var name string
		if err := rows.Scan(&inKeyed, &oid, &listed, &name); err != nil {
			return nil, err
		}
		if inKeyed {
			m.keyed[oid] = true
		} else {
			m.keyless[oid] = true
		}
		if listed {
			m.listed[oid] = name
		}
	}
	return m, rows.Err()
}

// alterPublications moves tables in and out, each in a transaction of its own so
// that one which is locked or not ours does not hold up the rest. It returns why
// tables could not be moved.
func (s *Source) alterPublications(ctx context.Context, conn *pgx.Conn, m *members, selected []survey) map[uint32]error {
	keyed, keyless := s.cfg.publications()
	failed := map[uint32]error{}
	wanted := map[uint32]bool{}
	for _, t := range selected {
		wanted[t.OID] = true
		var sql []string
		name := quoteTable(t.Namespace, t.Name)
		if m.keyed[t.OID] && !t.Keyed {
			sql = append(sql, alterPublication(keyed, "DROP", name))
		}
		if m.keyless[t.OID] && t.Keyed {
			sql = append(sql, alterPublication(keyless, "DROP", name))
		}
		if t.Keyed && !m.keyed[t.OID] {
			sql = append(sql, alterPublication(keyed, "ADD", name))
		}
		if !t.Keyed && !m.keyless[t.OID] {
			sql = append(sql, alterPublication(keyless, "ADD", name))
		}
		if len(sql) > 0 {
			if err := alter(ctx, conn, sql); err != nil {
				failed[t.OID] = err
			} else {
				delete(s.published, t.OID)
			}
		}
	}
	for oid, name := range m.listed {
		if wanted[oid] {
			continue
		}
		pub := keyless
		if m.keyed[oid] {
			pub = keyed
		}
		if err := alter(ctx, conn, []string{alterPublication(pub, "DROP", name)}); err != nil {
			s.log.Warn("cannot take a table that is not wanted out of the publication", "table", name, "error", err)
		}
	}
	return failed
}

func alterPublication(publication, verb, table string) string {
	return fmt.Sprintf("ALTER PUBLICATION %s %s TABLE ONLY %s", quoteIdent(publication), verb, table)
}

// alter runs statements in one transaction that does not wait long for locks: the
// application's come first.
func alter(ctx context.Context, conn *pgx.Conn, sql []string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '3s'`); err != nil {
			return err
		}
		for _, q := range sql {
			if _, err := tx.Exec(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// report lists what is published and remembers since when.
func (s *Source) report(m *members, selected []survey, failed map[uint32]error, now uint64) []capture.Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []capture.Table
	var missing []Finding
	for _, t := range selected {
		if !m.has(t.OID) {
			missing = append(missing, unpublished(t, failed[t.OID]))
			continue
		}
		since, known := s.published[t.OID]
		if !known {
			since = now
			s.published[t.OID] = now
		}
		out = append(out, capture.Table{ID: row.TableID(t.OID), Namespace: t.Namespace, Name: t.Name,
			Keyless: t.Keyless, Rows: t.Rows, PublishedXid: since})
	}
	if !slices.Equal(missing, s.missing) {
		for _, f := range missing {
			s.log.Warn(f.What, "remedy", f.Remedy)
		}
	}
	s.missing = missing
	return out
}

// wholeSinceSlot notes that the slot was made after the tables were published: it
// misses nothing of them.
func (s *Source) wholeSinceSlot() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for oid := range s.published {
		s.published[oid] = 0
	}
}

// Warnings are the tables that the filter selects and that are not captured, and why.
func (s *Source) Warnings() []Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.missing)
}

func unpublished(t survey, err error) Finding {
	name := quoteTable(t.Namespace, t.Name)
	f := Finding{Severity: Warning, What: fmt.Sprintf("table %s is not published, so it is not captured", name)}
	switch sqlState(err) {
	case "42501":
		f.Remedy = "the role owns neither the table nor the publication: have a DBA add it as weir check --print-sql says"
	case "55P03":
		f.Remedy = "it is locked by another session; weir tries again"
	default:
		f.Remedy = fmt.Sprintf("%v", redacted(err))
	}
	return f
}
