package play_test

import (
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

// A server's answers are told from the script's wherever they differ.
func TestFaultsAreFound(t *testing.T) {
	t.Parallel()
	srv := pgtest.Start(t)
	conn, err := play.Dial(t.Context(), srv.CreateDB(t, "play"), "postgresql")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for text, reason := range map[string]string{
		"query IRTT\nSELECT 1, 1.0, 'x', true\n----\n1\t1.0\tx\tt":                     "",
		"query T\nSELECT NULL\n----\nNULL":                                             "",
		"query I\nSELECT 1 WHERE false\n----":                                          "",
		"query I\nSELECT 1\n----\n2":                                                   "result differs",
		"query I\nSELECT 1":                                                            "result differs",
		"query T\nSELECT 1\n----\n1":                                                   "columns of types I, want T",
		"query II\nSELECT 1\n----\n1":                                                  "columns of types I, want II",
		"query I\nSELECT 1/0\n----\n1":                                                 "SQLSTATE 22012",
		"query error 22012\nSELECT 1/0":                                                "",
		"query error 22003\nSELECT 1/0":                                                "want an error that matches",
		"query error\nSELECT 1":                                                        "it succeeded",
		"statement ok\nSELECT 1/0":                                                     "SQLSTATE 22012",
		"statement error zero\nSELECT 1/0":                                             "",
		"statement error (\nSELECT 1/0":                                                "missing closing",
		"statement count 2\nSELECT 1 UNION SELECT 2":                                   "",
		"statement count 2\nSELECT 1":                                                  "1 rows affected, want 2",
		"onlyif weir\nquery I\nSELECT 1/0\n----\n1":                                    "",
		"halt\n\nquery I\nSELECT 1/0":                                                  "",
		"query I x a\nSELECT 1\n----\n1":                                               "unexpected",
		"query I rowsort a\nSELECT 1\n----\n1\n\nquery I rowsort a\nSELECT 2\n----\n2": "labelled",
	} {
		s, err := script.Parse("x.slt", text)
		if err != nil {
			if reason == "" || !strings.Contains(err.Error(), reason) {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		rep, err := play.Run(t.Context(), conn, s)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case reason == "" && len(rep.Faults) > 0:
			t.Errorf("%q: %v", text, rep.Faults)
		case reason != "" && (len(rep.Faults) == 0 || !strings.Contains(rep.Faults[0].Error(), reason)):
			t.Errorf("%q: %v, want %q", text, rep.Faults, reason)
		}
	}
}

// A server that is gone ends the run with an error, not with faults to the end.
func TestALostServerEndsTheRun(t *testing.T) {
	t.Parallel()
	srv := pgtest.Start(t)
	conn, err := play.Dial(t.Context(), srv.CreateDB(t, "play"), "postgresql")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s, err := script.Parse("x.slt", "statement ok\nSELECT pg_terminate_backend(pg_backend_pid())\n\nquery I\nSELECT 1\n----\n1\n")
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := play.Run(t.Context(), conn, s); err == nil || rep.Queries != 0 {
		t.Errorf("%v after %d queries", err, rep.Queries)
	}
}
