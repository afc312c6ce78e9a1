package node

import (
	"context"
	"errors"
	"maps"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/outbox"
	"github.com/weirstream/weir/internal/weirerr"
)

// prepare makes the source of a changefeed ready when it is a database of ours; false: its
// start waits until databases run.
func (c *changefeeds) prepare(ctx context.Context, def control.Changefeed) (bool, error) {
	if def.Of == nil {
		return true, nil
	}
	c.mu.Lock()
	e := c.engine
	if e == nil {
		c.waiting[def.ID] = def
	}
	c.mu.Unlock()
	if e == nil {
		return false, nil
	}
	db := e.Database(def.Of.Database)
	if db == nil {
		return false, weirerr.New(weirerr.NotFound, "there is no such database").With("database", def.Of.Database)
	}
	if err := db.Leave(c.leaving(def.Of.Database, def)); err != nil {
		return false, err
	}
	src, err := c.sources.outbox(ctx, def.Source, outbox.New(db))
	if err != nil {
		return false, err
	}
	return true, src.Prepare(ctx) // it knows the relations now
}

// leaving lists what changefeeds deliver of a database, and more that will be.
func (c *changefeeds) leaving(database string, more ...control.Changefeed) (ids []catalog.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.all {
		more = append(more, f.def)
	}
	for _, def := range c.waiting {
		more = append(more, def)
	}
	for _, def := range more {
		if def.Of == nil || def.Of.Database != database {
			continue
		}
		for _, id := range def.Of.IDs {
			ids = append(ids, catalog.ID(id))
		}
	}
	return ids
}

// stays is told that a changefeed is gone: what no other one delivers does not leave any more.
func (c *changefeeds) stays(def control.Changefeed) error {
	c.mu.Lock()
	e := c.engine
	c.mu.Unlock()
	if def.Of == nil || e == nil {
		return nil
	}
	db := e.Database(def.Of.Database)
	if db == nil {
		return nil
	}
	return db.Leave(c.leaving(def.Of.Database))
}

// attach starts what has waited for databases.
func (c *changefeeds) attach(ctx context.Context, e *engine) {
	c.mu.Lock()
	c.engine = e
	waiting := maps.Clone(c.waiting)
	c.mu.Unlock()
	for _, def := range waiting {
		if err := c.Start(ctx, def); err != nil {
			c.log.Error("cannot start", "changefeed", def.ID, "error", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.waiting)
}

// detach stops what reads databases, before they are closed.
func (c *changefeeds) detach(ctx context.Context) error {
	c.mu.Lock()
	c.engine = nil
	var of []*changefeed
	for id, f := range c.all {
		if f.def.Of != nil {
			of = append(of, f)
			delete(c.all, id)
		}
	}
	c.mu.Unlock()
	var all error
	for _, f := range of {
		all = errors.Join(all, f.Close(ctx))
	}
	return errors.Join(all, c.sources.endOutboxes(ctx))
}

// outbox finds the source that a database is, and starts it when it does not run.
func (s *sources) outbox(ctx context.Context, name string, up *outbox.Upstream) (*source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if src := s.all[name]; src != nil {
		return src, nil
	}
	return s.run(ctx, control.Source{Name: name}, up)
}

// endOutboxes stops the sources that databases are.
func (s *sources) endOutboxes(ctx context.Context) (all error) {
	s.mu.Lock()
	var names []string
	for name, src := range s.all {
		if src.upstream == nil {
			names = append(names, name)
		}
	}
	s.mu.Unlock()
	for _, name := range names {
		_, err := s.end(ctx, name)
		all = errors.Join(all, err)
	}
	return all
}
