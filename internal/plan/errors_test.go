package plan_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
)

// Wrong queries are refused in PostgreSQL's words: SQLSTATE, message, position, detail and hint. Where ours
// differ on purpose, testdata/errors.differ has them with ours.
func TestErrorsAreThoseOfPostgres(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var differ strings.Builder
	for _, query := range lines(t, "testdata/errors.sql") {
		_, want := w.postgres(query)
		_, got := try(w.cat, query, plan.Options{})
		if want == nil {
			t.Errorf("PostgreSQL accepts %s", query)
			continue
		}
		theirs, ours := asText(want), "accepted"
		if got != nil {
			ours = asText(got)
		}
		if theirs != ours {
			fmt.Fprintf(&differ, "%s\n  PostgreSQL: %s\n  weir:       %s\n", query, theirs, ours)
		}
	}
	if os.Getenv("WEIR_REWRITE") != "" {
		if err := os.WriteFile("testdata/errors.differ", []byte(differ.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	known, err := os.ReadFile("testdata/errors.differ")
	if err != nil {
		t.Fatal(err)
	}
	if string(known) != differ.String() {
		t.Errorf("the differences are\n%s", differ.String())
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// asText is an error in one form, whoever made it. PostgreSQL counts positions from 1.
func asText(err error) string {
	var pg *pgconn.PgError
	var own *sql.Error
	switch {
	case errors.As(err, &pg):
		return errorText(pg.Code, pg.Message, pg.Detail, pg.Hint, int(pg.Position)-1)
	case errors.As(err, &own):
		return errorText(own.Code, own.Message, own.Detail, own.Hint, own.Pos)
	}
	return err.Error()
}

func errorText(code, message, detail, hint string, pos int) string {
	text := fmt.Sprintf("%s at %d: %s", code, pos, message)
	if detail != "" {
		text += " | " + detail
	}
	if hint != "" {
		text += " | " + hint
	}
	return text
}
