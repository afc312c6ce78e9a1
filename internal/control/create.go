package control

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sort"
	"strings"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// CreateChangefeed defines a changefeed and starts it. It checks the name, the
// options, the table rules and the sink, in this order.
func (c *Control) CreateChangefeed(ctx context.Context, req CreateChangefeed) (ChangefeedInfo, error) {
	info, err := c.createChangefeed(ctx, req)
	return info, c.hide(err)
}

func (c *Control) createChangefeed(ctx context.Context, req CreateChangefeed) (ChangefeedInfo, error) {
	cf, err := c.newChangefeed(req)
	if err != nil {
		return ChangefeedInfo{}, err
	}
	release, err := c.locks.acquire(ctx, changefeedKey(cf.ID))
	if err != nil {
		return ChangefeedInfo{}, err
	}
	defer release()
	if err := c.catalog.checkNewChangefeed(cf); err != nil { // before the target is bothered
		return ChangefeedInfo{}, err
	}
	if err := c.checkSink(ctx, cf); err != nil {
		return ChangefeedInfo{}, err
	}
	if cf, err = c.catalog.addChangefeed(cf); err != nil {
		return ChangefeedInfo{}, err
	}
	if err := c.changefeeds.Start(ctx, cf); err != nil {
		c.takeBack(context.WithoutCancel(ctx), cf)
		return ChangefeedInfo{}, err
	}
	c.logger.Info("changefeed created", "changefeed", cf.ID, "source", cf.Source)
	return c.changefeedInfo(cf), nil
}

// takeBack undoes a creation that failed half way. If that fails too, the intent
// is on record and Restore removes the changefeed.
func (c *Control) takeBack(ctx context.Context, cf Changefeed) {
	if _, err := c.removeLocked(ctx, cf.ID); err != nil {
		c.complain("changefeed", cf.ID, "cannot take back its definition", err)
	}
}

// newChangefeed validates a request and fills in the defaults.
func (c *Control) newChangefeed(req CreateChangefeed) (Changefeed, error) {
	cf := Changefeed{
		ID: req.ID, Source: req.Source, Tables: req.Tables, SinkURI: req.SinkURI, Config: req.Config,
		Start: req.Start, StartTs: req.StartTs, TargetTs: req.TargetTs,
		CreatedAt: c.now().UTC(), Version: c.version, Of: req.Of,
	}
	if cf.Of != nil {
		cf.Source = OutboxOf(cf.Of.Database)
	}
	if cf.ID == "" {
		cf.ID = randomID()
	}
	if err := checkChangefeedName(cf.ID); err != nil {
		return cf, err
	}
	if cf.Source == "" {
		only, err := c.onlySource()
		if err != nil {
			return cf, err
		}
		cf.Source = only
	}
	if err := c.checkStart(&cf); err != nil {
		return cf, err
	}
	if err := c.checkTarget(cf); err != nil {
		return cf, err
	}
	if err := cf.Config.Validate(); err != nil {
		return cf, err
	}
	_, err := filter.Parse(cf.Tables)
	return cf, err
}

// randomID is a version 4 UUID: TiCDC's default, and a valid name.
func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// onlySource is the source a request may leave out.
func (c *Control) onlySource() (string, error) {
	sources, err := c.catalog.sources()
	if err != nil {
		return "", err
	}
	switch len(sources) {
	case 0:
		return "", weirerr.New(weirerr.InvalidArgument, "there is no source yet").
			Hint("create one first: weir source create NAME --url postgres://…")
	case 1:
		return sources[0].Name, nil
	}
	names := make([]string, len(sources))
	for i := range sources {
		names[i] = sources[i].Name
	}
	return "", weirerr.New(weirerr.InvalidArgument, "the source is not given and there are %d", len(names)).
		Hint("name one of %s", strings.Join(names, ", "))
}

func (c *Control) checkStart(cf *Changefeed) error {
	if cf.Start == "" && cf.StartTs != 0 {
		cf.Start = StartTs
	}
	if cf.Start == "" {
		cf.Start = StartInitial
	}
	switch {
	case cf.Start != StartInitial && cf.Start != StartNow && cf.Start != StartTs:
		return weirerr.New(weirerr.InvalidArgument, "start is %q", cf.Start).
			Hint("allowed is initial (snapshot first), now, or a start_ts alone")
	case (cf.Start == StartTs) != (cf.StartTs != 0):
		return weirerr.New(weirerr.InvalidArgument, "start %s and start_ts %s contradict each other", cf.Start, cf.StartTs).
			Hint("give one of them")
	case cf.StartTs > ts.FromTime(c.now()):
		return weirerr.New(weirerr.InvalidArgument, "start_ts %s lies in the future", cf.StartTs).
			With("time", cf.StartTs.Time().Format(timeFormat)).Hint("leave it out to start now")
	}
	return nil
}

// checkTarget wants the finish point to lie behind the start.
func (c *Control) checkTarget(cf Changefeed) error {
	if cf.TargetTs == 0 {
		return nil
	}
	begin := cf.StartTs
	if begin == 0 {
		begin = ts.FromTime(cf.CreatedAt)
	}
	if cf.TargetTs > begin {
		return nil
	}
	return weirerr.New(weirerr.InvalidArgument, "target_ts %s is not after the start", cf.TargetTs).
		With("start_ts", begin).With("target_time", cf.TargetTs.Time().Format(timeFormat)).
		Hint("a Ts is unix milliseconds << 18; leave it out to go on for ever")
}

const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// checkSink asks the scheme's sink whether it could deliver.
func (c *Control) checkSink(ctx context.Context, cf Changefeed) error {
	sink, uri, err := c.sinkOf(cf.SinkURI)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return sink.Check(ctx, uri, &cf.Config)
}

// sinkOf resolves a sink URI and finds who understands its scheme.
func (c *Control) sinkOf(ref string) (Sink, string, error) {
	scheme, uri, err := c.schemeOf(ref)
	if err != nil {
		return nil, "", err
	}
	if sink, ok := c.sinks[scheme]; ok {
		return sink, uri, nil
	}
	known := make([]string, 0, len(c.sinks))
	for s := range c.sinks {
		known = append(known, s+"://")
	}
	sort.Strings(known)
	return nil, "", weirerr.New(weirerr.InvalidArgument, "no sink understands the scheme %s", scheme).
		Hint("sinks are %s", strings.Join(slices.Compact(known), ", "))
}

func (c *Control) schemeOf(ref string) (scheme, uri string, err error) {
	if ref == "" {
		return "", "", weirerr.New(weirerr.InvalidArgument, "a changefeed needs a sink").
			Hint("for example postgres://…, file:///dir or blackhole://")
	}
	if uri, err = c.resolve(ref); err != nil {
		return "", "", err
	}
	scheme, _, ok := strings.Cut(uri, "://")
	if !ok {
		return "", "", weirerr.New(weirerr.InvalidArgument, "the sink URI has no scheme").
			Hint("for example postgres://…, file:///dir or blackhole://")
	}
	return strings.ToLower(scheme), uri, nil
}
