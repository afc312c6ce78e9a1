package control

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// ListChangefeeds lists changefeeds by id: those in one of the states, or all.
func (c *Control) ListChangefeeds(_ context.Context, states ...State) ([]ChangefeedInfo, error) {
	all, err := c.catalog.changefeeds()
	if err != nil {
		return nil, c.hide(err)
	}
	out := make([]ChangefeedInfo, 0, len(all))
	for _, cf := range all {
		if info := c.changefeedInfo(cf); len(states) == 0 || slices.Contains(states, info.Status.State) {
			out = append(out, info)
		}
	}
	return out, nil
}

// GetChangefeed shows one changefeed.
func (c *Control) GetChangefeed(_ context.Context, id string) (ChangefeedInfo, error) {
	cf, err := c.catalog.changefeed(id)
	if err != nil {
		return ChangefeedInfo{}, c.hide(err)
	}
	return c.changefeedInfo(cf), nil
}

func (c *Control) changefeedInfo(cf Changefeed) ChangefeedInfo {
	status, ok := c.changefeeds.Status(cf.ID)
	if !ok {
		status = FeedStatus{State: StateStopped, StartTs: cf.StartTs, CheckpointTs: cf.StartTs,
			Holder: Holder{Stage: "not running on this node"}, Snapshot: Snapshot{ETA: -1}}
	}
	if cf.Intent == IntentRemove {
		status.State = StateRemoved
	}
	status.Error = c.hideFailure(status.Error)
	status.Holder.Waits = c.redactor.Redact(status.Holder.Waits)
	status.Tables, status.TableIDs = nonNil(status.Tables), nonNil(status.TableIDs)
	if status.Counters == nil {
		status.Counters = map[string]int64{}
	}
	return cf.info(status)
}

// PauseChangefeed stops delivery; the log keeps what is not delivered.
// A changefeed that is stopped stays so.
func (c *Control) PauseChangefeed(ctx context.Context, id string) error {
	return c.hide(c.withChangefeed(ctx, id, func(_ Changefeed, state State) error {
		switch {
		case state == StateStopped:
			return nil
		case !state.Running():
			return wrongState(id, state, "paused", "only one that is running can be paused")
		}
		return c.changefeeds.Pause(ctx, id)
	}))
}

// ResumeChangefeed goes on after a pause, a failure or the finish point.
// Overwrite, when not 0, replaces the checkpoint: what lies between is skipped or
// delivered again, as the user asked.
func (c *Control) ResumeChangefeed(ctx context.Context, id string, overwrite ts.Ts) error {
	return c.hide(c.withChangefeed(ctx, id, func(cf Changefeed, state State) error {
		switch {
		case state.Running() && overwrite == 0:
			return nil
		case state.Running():
			return wrongState(id, state, "moved", "pause it first")
		case overwrite > ts.FromTime(c.now()):
			return weirerr.New(weirerr.InvalidArgument, "checkpoint %s lies in the future", overwrite).With("changefeed", id)
		}
		if err := c.checkSink(ctx, cf); err != nil {
			return err
		}
		return c.changefeeds.Resume(ctx, id, overwrite)
	}))
}

// UpdateChangefeed changes a changefeed that is stopped or failed. It does not
// resume it.
func (c *Control) UpdateChangefeed(ctx context.Context, id string, req UpdateChangefeed) (ChangefeedInfo, error) {
	var info ChangefeedInfo
	err := c.withChangefeed(ctx, id, func(cf Changefeed, state State) error {
		if state != StateStopped && state != StateFailed {
			return wrongState(id, state, "updated", "pause it first: weir changefeed pause "+id)
		}
		if err := c.apply(&cf, req); err != nil {
			return err
		}
		if err := c.checkSink(ctx, cf); err != nil {
			return err
		}
		if err := c.catalog.putChangefeed(cf); err != nil {
			return err
		}
		if err := c.changefeeds.Update(ctx, cf); err != nil {
			return err
		}
		info = c.changefeedInfo(cf)
		return nil
	})
	return info, c.hide(err)
}

// apply changes cf as asked and validates what came out.
func (c *Control) apply(cf *Changefeed, req UpdateChangefeed) error {
	if req.Tables != nil {
		if cf.Of != nil {
			return weirerr.New(weirerr.InvalidArgument, "the relations of a changefeed of a database do not change").With("changefeed", cf.ID).
				Hint("create another one: CREATE CHANGEFEED … FOR …")
		}
		cf.Tables = *req.Tables
		if _, err := filter.Parse(cf.Tables); err != nil {
			return err
		}
	}
	if req.SinkURI != nil {
		cf.SinkURI = *req.SinkURI
	}
	if req.TargetTs != nil {
		cf.TargetTs = *req.TargetTs
		status, _ := c.changefeeds.Status(cf.ID)
		if t := cf.TargetTs; t != 0 && t <= status.CheckpointTs {
			return weirerr.New(weirerr.InvalidArgument, "target_ts %s is not after the checkpoint", t).
				With("changefeed", cf.ID).With("checkpoint_ts", status.CheckpointTs)
		}
		if err := c.checkTarget(*cf); err != nil {
			return err
		}
	}
	if req.Configure != nil {
		if err := req.Configure(&cf.Config); err != nil {
			return err
		}
	}
	return cf.Config.Validate()
}

// RemoveChangefeed ends a changefeed and frees what it held. It returns what was
// removed; nil when there was nothing by that name, which is not an error.
func (c *Control) RemoveChangefeed(ctx context.Context, id string) (*ChangefeedInfo, error) {
	info, err := c.removeChangefeed(ctx, id)
	return info, c.hide(err)
}

func (c *Control) removeChangefeed(ctx context.Context, id string) (*ChangefeedInfo, error) {
	if err := checkChangefeedName(id); err != nil {
		return nil, err
	}
	release, err := c.locks.acquire(ctx, changefeedKey(id))
	if err != nil {
		return nil, err
	}
	defer release()
	return c.removeLocked(ctx, id)
}

func (c *Control) removeLocked(ctx context.Context, id string) (*ChangefeedInfo, error) {
	cf, err := c.catalog.changefeed(id)
	if weirerr.CodeOf(err) == weirerr.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info := c.changefeedInfo(cf)
	cf.Intent = IntentRemove
	if err := c.catalog.putChangefeed(cf); err != nil {
		return nil, err
	}
	if err := c.changefeeds.Remove(ctx, cf); err != nil {
		return nil, err
	}
	if err := c.catalog.deleteChangefeed(id); err != nil {
		return nil, err
	}
	info.Status.State = StateRemoved
	c.logger.Info("changefeed removed", "changefeed", id)
	return &info, nil
}

// withChangefeed runs a command on an existing changefeed, alone.
func (c *Control) withChangefeed(ctx context.Context, id string, do func(Changefeed, State) error) error {
	release, err := c.locks.acquire(ctx, changefeedKey(id))
	if err != nil {
		return err
	}
	defer release()
	cf, err := c.catalog.changefeed(id)
	if err != nil {
		return err
	}
	return do(cf, c.changefeedInfo(cf).Status.State)
}

func wrongState(id string, state State, done, hint string) error {
	return weirerr.New(weirerr.WrongState, "a changefeed in state %s cannot be %s", state, done).
		With("changefeed", id).With("state", state).Hint("%s", hint)
}
