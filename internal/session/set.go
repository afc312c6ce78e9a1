package session

import (
	"context"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/sql"
)

// changeSettings changes them, and tells the client of those it wants to know.
func (s *Session) changeSettings(change func()) {
	before := s.settings.reported()
	change()
	s.zone = s.findZone()
	for i, p := range s.settings.reported() {
		if p != before[i] {
			s.client.Parameter(p)
		}
	}
}

func (s *Session) findZone() *time.Location {
	zone, err := datetime.LookupZone(s.settings.value("timezone"))
	if err != nil {
		return time.UTC
	}
	return zone
}

// put changes one setting, so that a rollback takes the change back.
func (s *Session) put(name, value string, local bool) (err error) {
	s.saveSettings()
	s.changeSettings(func() { _, err = s.settings.set(name, value, local) })
	return err
}

// saveSettings keeps how they were before the transaction changed them.
func (s *Session) saveSettings() {
	if s.tx.saved == nil {
		before := s.settings.save()
		s.tx.saved = &before
	}
}

func (s *Session) setTask(st *statement, x *sql.Set) *task {
	tag := "SET"
	if strings.HasPrefix(lower(strings.TrimSpace(st.own)), "reset") {
		tag = "RESET"
	}
	return does(tag, func(context.Context, *portal) error { return s.set(x) })
}

func (s *Session) set(x *sql.Set) error {
	if x.Local && !s.tx.explicit {
		s.notice("WARNING", fail(noActiveTransaction, "SET LOCAL can only be used in transaction blocks"))
	}
	switch {
	case x.Reset:
		s.saveSettings()
		var err error
		s.changeSettings(func() { err = s.settings.reset(x.Name) })
		return err
	case x.Name == "transaction", x.Name == "session characteristics":
		return s.setModes(x)
	case (x.Name == "session_authorization" || x.Name == "role") && (x.Value == s.who.User || x.Value == "none" || x.Value == "default"):
		return nil
	case x.Name == "role":
		return unsupported("SET ROLE", -1)
	}
	return s.put(x.Name, x.Value, x.Local)
}

// setModes is SET TRANSACTION, and SET SESSION CHARACTERISTICS of those to come.
func (s *Session) setModes(x *sql.Set) error {
	if x.Name == "transaction" && !s.tx.explicit {
		s.notice("WARNING", fail(noActiveTransaction, "SET TRANSACTION can only be used in transaction blocks"))
		return nil
	}
	for _, o := range x.Options {
		name := o.Name
		if x.Name != "transaction" {
			name = "default_" + strings.TrimPrefix(name, "default_")
		}
		if err := s.put(name, o.Value, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) discardTask(x *sql.Discard) *task {
	what := strings.ToUpper(x.What)
	return does("DISCARD "+what, func(context.Context, *portal) error {
		if what != "ALL" {
			return nil // of plans, sequences and temporary tables there is nothing to forget
		}
		if s.tx.explicit {
			return fail(activeTransaction, "DISCARD ALL cannot run inside a transaction block")
		}
		s.closePortals(true)
		for name, p := range s.portals {
			if p.cursor {
				s.ClosePortal(name)
			}
		}
		clear(s.statements)
		s.changeSettings(func() { _ = s.settings.reset("all") })
		return nil
	})
}
