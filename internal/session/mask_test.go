package session

import "testing"

func TestStatementsAreMasked(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`CREATE USER a WITH PASSWORD 'it''s'`, `CREATE USER a WITH PASSWORD '***'`},
		{`CREATE SOURCE s WITH (connector = 'postgres-cdc', password = 'x', "database.name" = 'd')`, `CREATE SOURCE s WITH (connector = 'postgres-cdc', password = '***', "database.name" = 'd')`},
		{`CREATE SOURCE s WITH (url = 'postgres://u:pw@h/d')`, `CREATE SOURCE s WITH (url = 'postgres://u:xxxxx@h/d')`},
		{`ALTER USER a PASSWORD NULL`, `ALTER USER a PASSWORD NULL`},
	} {
		if got := maskStatement(c.text); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
