package control

import (
	"context"
	"errors"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Delivered is the answer to a wait.
type Delivered struct {
	// Ts: everything committed upstream before the call lies at or below it.
	Ts             ts.Ts `json:"ts"`
	CheckpointTs   ts.Ts `json:"checkpoint_ts"`
	ConsistentFrom ts.Ts `json:"consistent_from"`
}

// Wait returns when everything that was committed upstream before the call is at
// the target, the initial snapshot included. A changefeed that does not run is a
// WrongState error; ctx's deadline becomes a Timeout error that names what holds
// the checkpoint.
func (c *Control) Wait(ctx context.Context, id string) (Delivered, error) {
	d, err := c.wait(ctx, id)
	return d, c.hide(err)
}

func (c *Control) wait(ctx context.Context, id string) (Delivered, error) {
	cf, err := c.catalog.changefeed(id)
	if err != nil {
		return Delivered{}, err
	}
	if err := c.delivers(cf); err != nil {
		return Delivered{}, err
	}
	began := c.now()
	t, err := c.sources.Now(ctx, cf.Source)
	if err == nil {
		err = c.waitFor(ctx, cf, t)
	}
	status := c.changefeedInfo(cf).Status
	if errors.Is(err, context.DeadlineExceeded) {
		err = timeout(cf, status, t, c.now().Sub(began))
	}
	return Delivered{Ts: t, CheckpointTs: status.CheckpointTs, ConsistentFrom: status.ConsistentFrom}, err
}

// waitFor waits until everything <= t is delivered and the snapshot is complete.
func (c *Control) waitFor(ctx context.Context, cf Changefeed, t ts.Ts) error {
	if cf.TargetTs != 0 && cf.TargetTs < t {
		return weirerr.New(weirerr.WrongState, "the changefeed ends at its target_ts, before what is to be delivered").
			With("changefeed", cf.ID).With("target_ts", cf.TargetTs).With("wanted", t)
	}
	if err := c.changefeeds.Wait(ctx, cf.ID, t); err != nil {
		return err
	}
	return c.waitConsistent(ctx, cf)
}

// snapshotPoll is how often a wait looks whether the initial snapshot is complete.
const snapshotPoll = 20 * time.Millisecond

// waitConsistent waits until no snapshot is under way and what it left is delivered.
func (c *Control) waitConsistent(ctx context.Context, cf Changefeed) error {
	poll := time.NewTicker(snapshotPoll)
	defer poll.Stop()
	for {
		status := c.changefeedInfo(cf).Status
		if status.ConsistentFrom != 0 && status.CheckpointTs >= status.ConsistentFrom {
			return nil
		}
		if err := c.delivers(cf); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-poll.C:
		}
	}
}

// delivers tells why waiting for a changefeed is in vain, if it is.
func (c *Control) delivers(cf Changefeed) error {
	status := c.changefeedInfo(cf).Status
	if status.State.Running() {
		return nil
	}
	e := weirerr.New(weirerr.WrongState, "the changefeed is %s and delivers nothing", status.State).
		With("changefeed", cf.ID).With("state", status.State)
	if status.Error != nil {
		e.With("error", string(status.Error.Code)).Wrap(errors.New(status.Error.Message))
	}
	if status.State == StateFinished || status.State == StateRemoved {
		return e
	}
	return e.Hint("resume it: weir changefeed resume %s", cf.ID)
}

func timeout(cf Changefeed, status FeedStatus, t ts.Ts, after time.Duration) error {
	e := weirerr.New(weirerr.Timeout, "not delivered within %s", after.Round(time.Millisecond)).
		With("changefeed", cf.ID).With("state", status.State)
	if t != 0 {
		e.With("wanted", t)
	} else {
		e.With("waits", "for the upstream's present position")
	}
	e.With("checkpoint_ts", status.CheckpointTs)
	if h := status.Holder; h.Stage != "" {
		e.With("table", h.Table).With("stage", h.Stage).With("since", h.Since.Format(timeFormat)).With("waits", h.Waits)
	}
	if status.Error != nil {
		e.With("error", string(status.Error.Code)).Wrap(errors.New(status.Error.Message))
	}
	return e.Hint("weir changefeed query %s shows how it goes on", cf.ID)
}
