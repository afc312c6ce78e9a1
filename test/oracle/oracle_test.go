package oracle

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
	"github.com/weirstream/weir/test/slt/fourways"
	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

var srv *pgtest.Server

func TestMain(m *testing.M) { pgtest.Main(m, &srv) }

// lanes is how many scripts run at a time: more than there are processors, for a
// script mostly waits for commits.
const lanes = 4

// corpus calls test with each script, as a subtest of its name; with the number of
// the lane that it runs in, which no other is in meanwhile.
func corpus(t *testing.T, test func(t *testing.T, s *script.Script, topic string, lane int)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.slt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d scripts (%v)", len(files), err)
	}
	free := make(chan int, lanes)
	for lane := range lanes {
		free <- lane
	}
	var running sync.WaitGroup
	for _, path := range files {
		lane := <-free
		running.Go(func() {
			defer func() { free <- lane }()
			topic := strings.TrimSuffix(filepath.Base(path), ".slt")
			t.Run(topic, func(t *testing.T) {
				s, err := script.Load(path)
				if err != nil {
					t.Fatal(err)
				}
				test(t, s, topic, lane)
			})
		})
	}
	running.Wait()
}

// The corpus says what PostgreSQL answers.
func TestPostgreSQLAnswersWhatTheCorpusSays(t *testing.T) {
	corpus(t, func(t *testing.T, s *script.Script, topic string, _ int) {
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
	address := weirAddress(t)
	seed := uint64(1)
	if text := os.Getenv("WEIR_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	var urls [lanes]string
	for lane := range urls {
		urls[lane] = weirDB(t, address, fmt.Sprintf("oracle_%d", lane))
	}
	corpus(t, func(t *testing.T, s *script.Script, topic string, lane int) {
		weir := fourways.Server{URL: urls[lane], Label: "weir", Settle: fourways.Flush}
		oracle := fourways.Server{URL: srv.CreateDB(t, "oracle_"+topic), Label: "postgresql"}
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

// weirDB creates a database and returns its URL. One that is there is empty: an
// earlier test against the same weir left it so.
func weirDB(t *testing.T, address *url.URL, name string) string {
	t.Helper()
	conn, err := play.Dial(t.Context(), address.String(), "weir")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var refused *pgconn.PgError
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	if exists := errors.As(err, &refused) && refused.Code == "42P04"; err != nil && !exists {
		t.Fatal(err)
	}
	own := *address
	own.Path = "/" + name
	return own.String()
}

// weirAddress is a weir's SQL address: WEIR_SQL_URL, or that of one that ends with
// the test.
func weirAddress(t *testing.T) *url.URL {
	t.Helper()
	text := os.Getenv("WEIR_SQL_URL")
	if text == "" {
		text = fmt.Sprintf("postgres://root@%s/dev?sslmode=disable", ownWeir(t).SQLAddr())
	}
	address, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func ownWeir(t *testing.T) *rig.Weir {
	t.Helper()
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
	return w
}
