package parser_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// TestTheCorpusParses reads all SQL of the repository, and for each query checks what
// the tree keeps.
func TestTheCorpusParses(t *testing.T) {
	examples := corpus(t)
	queries := 0
	for _, e := range examples {
		script, err := parser.Parse(e.text)
		if err != nil {
			if !e.fails {
				t.Errorf("%s: %s", e.place, report(e.text, err))
			}
			continue
		}
		for _, p := range script {
			if q, ok := p.Stmt.(*sql.Query); ok {
				queries++
				checkRoundTrip(t, p.Text, q.Select)
			}
		}
	}
	t.Logf("%d scripts, %d queries", len(examples), queries)
	if queries < 500 {
		t.Errorf("only %d queries: the corpus is not where it was", queries)
	}
}

var positions = regexp.MustCompile(`@-?\d+`)

// checkRoundTrip writes a query again. It must parse to the same tree of ours, and,
// when PostgreSQL's grammar reads both, to the same tree of PostgreSQL's: so ours has lost nothing.
func checkRoundTrip(t *testing.T, text string, q *sql.Select) {
	t.Helper()
	written := sql.DeparseSelect(q)
	again, err := parser.ParseQuery(written)
	if err != nil {
		t.Errorf("%s\n  written as %s\n  is not read: %s", text, written, report(written, err))
		return
	}
	if a, b := positions.ReplaceAllString(dump(q), ""), positions.ReplaceAllString(dump(again), ""); a != b {
		t.Errorf("%s\n  written as %s\n  is another tree:\n%s\n%s", text, written, a, b)
	}
	if strings.Contains(dump(q), "Grouping: true") || strings.Contains(dump(q), "EmitOnWindowClose") {
		return
	}
	if a, b := postgresTree(t, text), postgresTree(t, written); !reflect.DeepEqual(a, b) {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		t.Errorf("%s\n  written as %s\n  is another tree to PostgreSQL:\n%s\n%s", text, written, x, y)
	}
}

// postgresTree is the grammar's own tree of a query, without what does not matter.
func postgresTree(t *testing.T, text string) any {
	t.Helper()
	data, err := pg.ParseToJSON(text)
	if err != nil {
		t.Fatal(err, text)
	}
	var tree any
	if err := json.Unmarshal([]byte(data), &tree); err != nil {
		t.Fatal(err)
	}
	return normalise(tree)
}

// spelling is what says how a thing was written, and not what it is.
var spelling = []string{"location", "stmt_len", "funcformat", "row_format", "inh", "list_start", "list_end", "rexpr_list_start", "rexpr_list_end"}

func normalise(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = normalise(v[i])
		}
	case map[string]any:
		for key := range v {
			if slices.Contains(spelling, key) {
				delete(v, key)
				continue
			}
			v[key] = normalise(v[key])
		}
		dropDefaults(v)
		dropQualifiedOperator(v)
		if v["subLinkType"] == "ANY_SUBLINK" {
			delete(v, "operName") // = ANY is IN
		}
	}
	return v
}

// dropDefaults takes out what a writer may leave out: LIMIT ALL, ASC, and BETWEEN of
// a frame.
func dropDefaults(v map[string]any) {
	limit, _ := v["limitCount"].(map[string]any)
	if c, _ := limit["A_Const"].(map[string]any); c["isnull"] == true {
		delete(v, "limitCount")
	}
	if v["limitOption"] != "LIMIT_OPTION_WITH_TIES" {
		delete(v, "limitOption")
	}
	if v["sortby_dir"] == "SORTBY_ASC" {
		v["sortby_dir"] = "SORTBY_DEFAULT"
	}
	if frame, ok := v["frameOptions"].(float64); ok {
		const between = 0x10
		v["frameOptions"] = float64(int(frame) &^ between)
	}
}

// dropQualifiedOperator: OPERATOR(pg_catalog.=) is =.
func dropQualifiedOperator(v map[string]any) {
	if _, isOperator := v["kind"]; !isOperator {
		return
	}
	if names, _ := v["name"].([]any); len(names) == 2 {
		v["name"] = names[1:]
	}
}

// TestQueriesRoundTrip covers the syntax that the corpus does not.
func TestQueriesRoundTrip(t *testing.T) {
	for _, text := range []string{
		`SELECT -1, - 2, -(3), -x, (-1)::int, -1::int, 1 - -1, - '2', + 1, 9223372036854775808, -9223372036854775808, 1e10, .5, 0x1f`,
		`SELECT (a AND b) AND c, a AND (b AND c), (a OR b) AND c, NOT (a AND NOT b), (a = b) = c, a = (b = c)`,
		`SELECT (r).a.b[1], (r.x)[2], r[1][2:3][:4], ($1).x, (f(1)).y, (ARRAY[1,2])[1], ((SELECT a))[1]`,
		`SELECT a IS NULL IS TRUE, (a IS DISTINCT FROM b) IS NOT UNKNOWN, (a, b) = (1, 2), ROW(), ROW(1), (a, b) IN ((1, 2), (3, 4))`,
		`SELECT a = ANY (b), a <> ALL (ARRAY[1]), a LIKE ANY (ARRAY['x']), a = ANY (SELECT 1), a > ALL (SELECT 1), (a, b) IN (SELECT 1, 2), a NOT IN (SELECT 1)`,
		`SELECT a LIKE b ESCAPE c, a NOT LIKE b, a SIMILAR TO b ESCAPE 'x', a BETWEEN 1 AND 2 AND b NOT BETWEEN SYMMETRIC 3 AND 4`,
		`SELECT "A", "select", "a b"."c""d", "coalesce"(1), pg_catalog.upper('x'), 'it''s', E'a\\b', U&'\0061', B'01', X'1F', '日本'`,
		`SELECT x::numeric(10,2)[], x::"char", x::char, x::char(3), x::varchar, x::timestamp(3) with time zone, x::interval(2), x::interval day to second(3), x::bit(3), x::time, x::"T y".z`,
		`SELECT date '2024-01-01', interval '1' year, interval '1 day', timestamp with time zone 'now', int4 '1', true, 't'::bool`,
		`SELECT current_date, current_time(2), localtimestamp, current_user, user, session_user, current_catalog, current_schema, current_role, a AT TIME ZONE 'UTC' AT TIME ZONE b`,
		`SELECT extract(epoch FROM x), position('a' IN b), substring(a FROM 1 FOR 2), substring(a FROM 'x'), trim(a), trim(leading 'x' FROM a), overlay(a PLACING b FROM 1), (a, b) OVERLAPS (c, d)`,
		`SELECT count(*), count(DISTINCT a), array_agg(a ORDER BY b DESC NULLS LAST, c), sum(a) FILTER (WHERE b), f(VARIADIC a), f(1, VARIADIC b), f(), f(1, b => 2)`,
		`SELECT sum(a) OVER (), rank() OVER (PARTITION BY a, b ORDER BY c), sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING), sum(a) OVER (ORDER BY b RANGE BETWEEN '1 day' PRECEDING AND UNBOUNDED FOLLOWING), sum(a) FILTER (WHERE c) OVER (ORDER BY b GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING EXCLUDE CURRENT ROW)`,
		`SELECT CASE WHEN a THEN b END, CASE a WHEN 1 THEN 2 ELSE 3 END, coalesce(a), greatest(a, b), least(a), nullif(a, b), EXISTS (SELECT 1), (SELECT 1), ARRAY(SELECT 1), a COLLATE "C" || b`,
		`SELECT a x, b AS "order", t.*, * FROM t, s.t AS u (a, b), (SELECT 1) v, LATERAL (SELECT 2) AS w (z), f(1) WITH ORDINALITY AS g (a, o), unnest(a, b)`,
		`SELECT 1 FROM a JOIN b ON x LEFT JOIN c USING (k, l) CROSS JOIN d NATURAL RIGHT JOIN e FULL JOIN (f JOIN g ON true) ON y, (h CROSS JOIN i) AS hi`,
		`SELECT 1 FROM (a JOIN (b LEFT JOIN c ON p) AS bc ON q)`,
		`SELECT DISTINCT a FROM t WHERE b GROUP BY a, 1 HAVING c ORDER BY a USING_ASC, 2 DESC NULLS FIRST LIMIT 1 OFFSET 2`,
		`SELECT DISTINCT ON (a, b) a FROM t ORDER BY a, b FETCH FIRST 3 ROWS ONLY`,
		`SELECT a FROM t ORDER BY a OFFSET 1 ROW FETCH FIRST ROW WITH TIES`,
		`(SELECT 1 UNION SELECT 2) EXCEPT ALL (SELECT 3 INTERSECT SELECT 4 ORDER BY 1) LIMIT 5`,
		`SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3`,
		`WITH RECURSIVE a (x, y) AS (VALUES (1, 2) UNION ALL SELECT x, y FROM a), b AS MATERIALIZED (SELECT 1), c AS NOT MATERIALIZED (TABLE b) SELECT * FROM a`,
		`VALUES (1, 'a'), (2, DEFAULT) ORDER BY 1`,
		`SELECT`,
		`SELECT FROM t`,
		`SELECT * FROM a, b FOR UPDATE`,
	} {
		script, err := parser.Parse(strings.ReplaceAll(text, "USING_ASC", "ASC NULLS LAST"))
		if err != nil {
			t.Errorf("%s", report(text, err))
			continue
		}
		checkRoundTrip(t, script[0].Text, script[0].Stmt.(*sql.Query).Select)
	}
}

// TestKeywords compares the list by which names are quoted with the grammar's own.
func TestKeywords(t *testing.T) {
	for number, name := range pg.Token_name {
		word := strings.ToLower(strings.TrimSuffix(name, "_P"))
		scanned, err := pg.Scan(word)
		if err != nil || len(scanned.Tokens) != 1 || int32(scanned.Tokens[0].Token) != number {
			continue
		}
		switch kind := scanned.Tokens[0].KeywordKind; kind {
		case pg.KeywordKind_NO_KEYWORD:
		case pg.KeywordKind_UNRESERVED_KEYWORD:
			if sql.QuoteIdent(word) != word {
				t.Errorf("%s is quoted without need", word)
			}
		default:
			if sql.QuoteIdent(word) == word {
				t.Errorf("%s is %v and not quoted", word, kind)
			}
		}
	}
}
