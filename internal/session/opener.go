package session

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
)

// Options of an Opener. All must be set.
type Options struct {
	Server Server
	// Functions has those of pgcatalog too.
	Functions *expr.Registry
	Catalogs  *pgcatalog.Catalogs
	Version   string // server_version: 15.0 (weir 0.2)
	Log       *slog.Logger
	Now       func() time.Time
}

// Opener starts the sessions of a server and knows those that are open. It is the
// pgwire.Opener and pgwire.Authenticator.
type Opener struct {
	o       Options
	known   map[string]setting
	started datum.Timestamp

	mu       sync.Mutex
	sessions map[uint32]*Session
}

// NewOpener makes an Opener.
func NewOpener(o Options) *Opener {
	return &Opener{o: o, known: knownSettings(o.Version), started: moment(o.Now()), sessions: map[uint32]*Session{}}
}

// moment is a time as SQL has it.
func moment(t time.Time) datum.Timestamp { return datum.Timestamp(t.UnixMicro() - datum.EpochMicros) }

// Verifier implements pgwire.Authenticator.
func (o *Opener) Verifier(_ context.Context, user string) (string, bool, error) {
	v, known := o.o.Server.Verifier(user)
	return v, known, nil
}

// Open implements pgwire.Opener.
func (o *Opener) Open(_ context.Context, who pgwire.Startup, c pgwire.Client) (pgwire.Session, error) {
	db := o.o.Server.Database(who.Database)
	if db == nil {
		return nil, missing(sql.UndefinedDatabase, "database", who.Database)
	}
	s := &Session{
		o: o, db: db, who: who, client: c, settings: newSettings(o.known), statements: map[string]*statement{}, portals: map[string]*portal{},
		random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
	}
	s.settings.initial["session_authorization"] = who.User
	for name, value := range who.Settings {
		if err := s.startWith(name, value); err != nil {
			return nil, err
		}
	}
	s.zone = s.findZone()
	o.mu.Lock()
	o.sessions[who.Process] = s
	o.mu.Unlock()
	return s, nil
}

// startWith takes a setting of the startup packet: RESET goes back to it.
func (s *Session) startWith(name, value string) error {
	if _, err := s.settings.set(name, value, false); err != nil {
		return err
	}
	name = strings.ToLower(name)
	s.settings.initial[name] = s.settings.values[name]
	delete(s.settings.values, name)
	return nil
}

func (o *Opener) forget(process uint32) {
	o.mu.Lock()
	delete(o.sessions, process)
	o.mu.Unlock()
}

// list describes the open sessions by number, for pg_stat_activity.
func (o *Opener) list() []pgcatalog.SessionInfo {
	o.mu.Lock()
	defer o.mu.Unlock()
	infos := make([]pgcatalog.SessionInfo, 0, len(o.sessions))
	for _, s := range o.sessions {
		infos = append(infos, s.info())
	}
	slices.SortFunc(infos, func(a, b pgcatalog.SessionInfo) int { return int(a.PID) - int(b.PID) })
	return infos
}
