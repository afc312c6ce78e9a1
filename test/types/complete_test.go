package types

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest"
)

// internal types cannot be table columns, or cannot be written by a user.
var internal = strings.Fields(`aclitem gtsvector pg_node_tree pg_ndistinct pg_dependencies pg_mcv_list
	pg_brin_bloom_summary pg_brin_minmax_multi_summary`)

// reg types print the names of local objects; regtype stands for all of them.
var registered = strings.Fields(`regclass regcollation regconfig regdictionary regnamespace regoper regoperator
	regproc regprocedure regrole refcursor`)

// The catalog of this package has every built-in type that a column can have.
func TestCatalogIsComplete(t *testing.T) {
	conn := pgtest.Start(t).Conn(t, "postgres")
	rows, err := conn.Query(t.Context(), `SELECT typname::text FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace
		AND typtype IN ('b', 'r', 'm') AND typcategory <> 'A' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for i := range catalog {
		var name string
		err := conn.QueryRow(t.Context(), "SELECT typname::text FROM pg_type WHERE oid = to_regtype($1)", catalog[i].name).Scan(&name)
		if err == nil {
			covered[name] = true
		}
	}
	for _, name := range names {
		if !covered[name] && !slices.Contains(internal, name) && !slices.Contains(registered, name) {
			t.Errorf("type %s has no values here", name)
		}
	}
}
