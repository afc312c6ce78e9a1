package control

import (
	"context"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/weirerr"
)

// probeTimeout bounds the time that a command waits for a foreign system to
// answer a first question.
const probeTimeout = 30 * time.Second

// DropSource says how a source is dropped.
type DropSource struct {
	Cascade bool // remove the changefeeds that use it first
	Force   bool // go on when the upstream cannot be reached to clean up
}

// CreateSource defines a source and starts capturing.
func (c *Control) CreateSource(ctx context.Context, req CreateSource) (SourceInfo, error) {
	info, err := c.createSource(ctx, req)
	return info, c.hide(err)
}

func (c *Control) createSource(ctx context.Context, req CreateSource) (SourceInfo, error) {
	if err := checkSourceName(req.Name); err != nil {
		return SourceInfo{}, err
	}
	if _, err := filter.Parse(req.Tables); err != nil {
		return SourceInfo{}, err
	}
	if err := c.checkSourceURL(req.URL); err != nil {
		return SourceInfo{}, err
	}
	release, err := c.locks.acquire(ctx, sourceKey(req.Name))
	if err != nil {
		return SourceInfo{}, err
	}
	defer release()
	s := Source{Name: req.Name, URL: req.URL, Tables: req.Tables, CreatedAt: c.now().UTC()}
	if err := c.catalog.checkNewSource(s); err != nil { // before the upstream is bothered
		return SourceInfo{}, err
	}
	probe, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if s.Upstream, err = c.sources.Probe(probe, s); err != nil {
		return SourceInfo{}, err
	}
	if err := c.catalog.addSource(s); err != nil {
		return SourceInfo{}, err
	}
	if err := c.sources.Start(ctx, s); err != nil {
		if undo := c.catalog.deleteSource(s.Name); undo != nil {
			c.complain("source", s.Name, "cannot take back its definition", undo)
		}
		return SourceInfo{}, err
	}
	c.logger.Info("source created", "source", s.Name)
	return c.sourceInfo(s)
}

// checkSourceURL accepts PostgreSQL's connection strings.
func (c *Control) checkSourceURL(url string) error {
	if url == "" {
		return weirerr.New(weirerr.InvalidArgument, "a source needs a URL").
			Hint("for example postgres://user:password@host:5432/db, env:NAME or file:PATH")
	}
	plain, err := c.resolve(url)
	if err != nil {
		return err
	}
	scheme, _, ok := strings.Cut(plain, "://")
	if ok && scheme != "postgres" && scheme != "postgresql" {
		return weirerr.New(weirerr.InvalidArgument, "no source understands the scheme %s", scheme).
			Hint("sources are postgres://…")
	}
	return nil
}

// ListSources lists all sources by name.
func (c *Control) ListSources(context.Context) ([]SourceInfo, error) {
	sources, err := c.catalog.sources()
	if err != nil {
		return nil, c.hide(err)
	}
	out := make([]SourceInfo, 0, len(sources))
	for _, s := range sources {
		info, err := c.sourceInfo(s)
		if err != nil {
			return nil, c.hide(err)
		}
		out = append(out, info)
	}
	return out, nil
}

// GetSource shows one source.
func (c *Control) GetSource(_ context.Context, name string) (SourceInfo, error) {
	s, err := c.catalog.source(name)
	if err != nil {
		return SourceInfo{}, err
	}
	info, err := c.sourceInfo(s)
	return info, c.hide(err)
}

func (c *Control) sourceInfo(s Source) (SourceInfo, error) {
	users, err := c.catalog.usersOf(s.Name)
	if err != nil {
		return SourceInfo{}, err
	}
	status, ok := c.sources.Status(s.Name)
	if !ok {
		status = SourceStatus{State: "stopped", Waits: "not running on this node"}
	}
	status.Error = c.hideFailure(status.Error)
	status.Waits = c.redactor.Redact(status.Waits)
	return s.info(status, users), nil
}

// ResyncSource is the way back after a lost slot or data directory: the source
// streams from now on, and each of its changefeeds snapshots its tables anew and
// reconciles its target, deletes included.
func (c *Control) ResyncSource(ctx context.Context, name string) error {
	return c.hide(c.resyncSource(ctx, name))
}

func (c *Control) resyncSource(ctx context.Context, name string) error {
	release, err := c.locks.acquire(ctx, sourceKey(name))
	if err != nil {
		return err
	}
	defer release()
	if err := c.sources.Followed(name); err != nil {
		return err
	}
	s, err := c.catalog.intendSource(name, IntentResync)
	if err != nil {
		return err
	}
	if err := c.sources.Resync(ctx, s); err != nil {
		return err
	}
	users, err := c.catalog.usersOf(name)
	if err != nil {
		return err
	}
	for _, id := range users {
		if err := c.changefeeds.Resync(ctx, id); err != nil {
			return err
		}
	}
	_, err = c.catalog.intendSource(name, NoIntent)
	if err == nil {
		c.logger.Info("source resynchronised", "source", name, "changefeeds", len(users))
	}
	return err
}

// DropSource ends a source and removes what it made upstream.
func (c *Control) DropSource(ctx context.Context, name string, how DropSource) error {
	return c.hide(c.dropSource(ctx, name, how))
}

func (c *Control) dropSource(ctx context.Context, name string, how DropSource) error {
	release, err := c.locks.acquire(ctx, sourceKey(name))
	if err != nil {
		return err
	}
	defer release()
	if err := c.sources.Followed(name); err != nil {
		return err
	}
	intent := IntentDrop
	if how.Force {
		intent = IntentDropForce
	}
	s, users, err := c.catalog.intendDrop(name, intent, how.Cascade)
	if err != nil {
		return err
	}
	for _, id := range users {
		if _, err := c.removeChangefeed(ctx, id); err != nil {
			return err
		}
	}
	if err := c.sources.Drop(ctx, s, how.Force); err != nil {
		return err
	}
	if err := c.catalog.deleteSource(name); err != nil {
		return err
	}
	c.logger.Info("source dropped", "source", name)
	return nil
}

// LogStatus tells about the log's channels.
func (c *Control) LogStatus(context.Context) ([]ChannelStatus, error) {
	channels, err := c.log.Channels()
	return nonNil(channels), c.hide(err)
}
