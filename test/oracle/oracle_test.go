package oracle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
	"github.com/weirstream/weir/test/slt/fourways"
	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

var srv *pgtest.Server

func TestMain(m *testing.M) { pgtest.Main(m, &srv) }

// corpus calls test with each script, as a subtest of its name.
func corpus(t *testing.T, test func(t *testing.T, s *script.Script, topic string)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.slt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d scripts (%v)", len(files), err)
	}
	for _, path := range files {
		topic := strings.TrimSuffix(filepath.Base(path), ".slt")
		t.Run(topic, func(t *testing.T) {
			s, err := script.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			test(t, s, topic)
		})
	}
}

// The corpus says what PostgreSQL answers.
func TestPostgreSQLAnswersWhatTheCorpusSays(t *testing.T) {
	corpus(t, func(t *testing.T, s *script.Script, topic string) {
		conn, err := play.Dial(t.Context(), srv.CreateDB(t, topic), "postgresql")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		rep, err := play.Run(t.Context(), conn, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rep.Faults {
			t.Error(f)
		}
	})
}

// Weir answers what PostgreSQL answers: as SELECT, as a view made before the load,
// as one made after it, and while all rows go and come back in random order.
// WEIR_SEED is that order's.
func TestWeirAnswersAsPostgreSQLInFourWays(t *testing.T) {
	weir := fourways.Server{URL: weirURL(t), Label: "weir", Settle: fourways.Flush}
	oracle := fourways.Server{URL: srv.CreateDB(t, "oracle"), Label: "postgresql"}
	seed := uint64(1)
	if text := os.Getenv("WEIR_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	corpus(t, func(t *testing.T, s *script.Script, _ string) {
		rep, err := fourways.Run(t.Context(), s, oracle, weir, seed)
		if rep != nil {
			for _, f := range rep.Faults {
				t.Error(f)
			}
			t.Logf("%d answers compared, %d differ; seed %d", rep.Compared, len(rep.Faults), seed)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// weirURL is a weir's SQL address: WEIR_SQL_URL's, or that of one that ends with
// the test.
func weirURL(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("WEIR_SQL_URL"); url != "" {
		return url
	}
	bin, err := rig.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, err := rig.New(rig.Options{Bin: bin, DataDir: filepath.Join(t.TempDir(), "data")})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", w.Log())
		}
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
	})
	url := fmt.Sprintf("postgres://root@%s/dev?sslmode=disable", w.SQLAddr())
	conn, err := play.Dial(context.Background(), url, "weir")
	if errors.Is(err, syscall.ECONNREFUSED) {
		t.Skip("this weir serves no SQL: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	return url
}
