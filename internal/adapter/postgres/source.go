package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/secret"
)

// Config says what to capture. Zero values mean the defaults given.
type Config struct {
	Name   string         // of the source
	URL    string         // as the user gave it: a connection string, env:NAME or file:PATH
	Tables *filter.Filter // nil: every table
	// Slot overrides the name of the replication slot; publications, function and
	// event triggers are named after it. Default weir_<name>_<8 hex of database and name>.
	Slot string
	// NoEventTrigger leaves out the DDL trigger: shapes then change with the next row.
	NoEventTrigger bool
	Heartbeat      time.Duration // while the upstream is idle: 10 s
	Readers        int           // parallel snapshot connections: 2
	AckEvery       time.Duration // of acknowledgements: 1 s
}

func (c *Config) setDefaults() {
	if c.Heartbeat <= 0 {
		c.Heartbeat = 10 * time.Second
	}
	if c.Readers <= 0 {
		c.Readers = 2
	}
	if c.AckEvery <= 0 {
		c.AckEvery = time.Second
	}
}

// SlotName derives the name of a source's replication slot: lower case letters,
// digits and underscores, at most 63. Slots belong to the whole server, so the
// database is in it; whoever knows both names can prepare what is named after it.
func SlotName(database, source string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, source)
	name := "weir_" + clean[:min(len(clean), 40)]
	sum := sha256.Sum256([]byte(database + "\x00" + source))
	return name + "_" + hex.EncodeToString(sum[:4])
}

// Source captures one PostgreSQL database. It implements capture.Upstream.
type Source struct {
	cfg     Config
	log     *slog.Logger
	control *control // publications, slot, heartbeats
	lookups *control // catalog look-ups of the stream
	readers *pool

	// whole: the next stream takes transactions only when they committed. Servers up
	// to 15.18 at least cannot stream one in progress that changes a table after a
	// change of its shape was rolled back to a savepoint ("could not map filenode"),
	// and never get past it.
	whole atomic.Bool

	mu sync.Mutex
	// published: by table, when it became part of the publications (see
	// capture.Table.PublishedXid).
	published map[uint32]uint64
	surveyed  bool // Tables has run in this process
	triggered bool // the DDL trigger is in place
	missing   []Finding
	seen      map[uint32]int64 // digests of shapes by the last survey
	keys      map[row.TableID]*tableKey
}

var _ capture.Upstream = (*Source)(nil)

// New makes a source. It does not connect.
func New(cfg Config, log *slog.Logger) (*Source, error) {
	cfg.setDefaults()
	conn, err := parseURL(cfg.URL, "")
	if err != nil {
		return nil, err
	}
	if cfg.Slot == "" {
		cfg.Slot = SlotName(conn.Database, cfg.Name)
	}
	s := &Source{cfg: cfg, log: log.With("source", cfg.Name), published: map[uint32]uint64{}, seen: map[uint32]int64{}, keys: map[row.TableID]*tableKey{}}
	s.control = &control{open: s.connect}
	s.lookups = &control{open: s.connect}
	s.readers = newPool(cfg.Readers, s.connect)
	return s, nil
}

// Slot is the name of the replication slot.
func (s *Source) Slot() string { return s.cfg.Slot }

// Close ends the source's connections. A stream that runs is ended by its context.
func (s *Source) Close() error {
	s.control.close()
	s.lookups.close()
	s.readers.close()
	return nil
}

func (s *Source) connect(ctx context.Context) (*pgx.Conn, error) {
	return connect(ctx, s.cfg.URL, s.cfg.Slot, upstream)
}

func (s *Source) maskedURL() string { return secret.Mask(s.cfg.URL) }

// publications are the source's two publications: of tables whose old rows can be
// told, and of those whose updates cannot be published.
func (c *Config) publications() (keyed, keyless string) { return c.Slot, c.Slot + "_keyless" }
