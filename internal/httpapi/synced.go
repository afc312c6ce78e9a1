package httpapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

type syncedBody struct {
	placement
	CheckInterval      int64 `json:"synced_check_interval"` // seconds; 0: the changefeed's
	CheckpointInterval int64 `json:"checkpoint_interval"`
}

type syncedAnswer struct {
	Synced           bool     `json:"synced"`
	SinkCheckpointTs wallTime `json:"sink_checkpoint_ts"`
	PullerResolvedTs wallTime `json:"puller_resolved_ts"`
	LastSyncedTs     wallTime `json:"last_synced_ts"`
	NowTs            wallTime `json:"now_ts"`
	Info             string   `json:"info"`
}

// synced tells whether the target has all of the source: nothing was delivered
// for a while, although the checkpoint is fresh.
func (a *api) synced(w http.ResponseWriter, r *http.Request) error {
	var body syncedBody
	if err := read(w, r, &body); err != nil {
		return err
	}
	if body.CheckInterval < 0 || body.CheckpointInterval < 0 {
		return weirerr.New(weirerr.InvalidArgument, "an interval is negative")
	}
	if err := body.placement.check(); err != nil {
		return err
	}
	info, err := a.Control.GetChangefeed(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	quiet, fresh := info.Config.Synced.CheckInterval.Std(), info.Config.Synced.CheckpointInterval.Std()
	if body.CheckInterval > 0 {
		quiet = time.Duration(body.CheckInterval) * time.Second
	}
	if body.CheckpointInterval > 0 {
		fresh = time.Duration(body.CheckpointInterval) * time.Second
	}
	respond(w, http.StatusOK, judgeSynced(info.Status, a.Now(), quiet, fresh))
	return nil
}

// judgeSynced has TiCDC's cases: quiet and fresh, quiet and stale by the
// source's or the sink's fault, and not quiet.
func judgeSynced(s control.FeedStatus, now time.Time, quiet, fresh time.Duration) syncedAnswer {
	since := func(t ts.Ts) time.Duration { return now.Sub(t.Time()) }
	out := syncedAnswer{
		SinkCheckpointTs: timeOf(s.CheckpointTs), PullerResolvedTs: timeOf(s.ResolvedTs),
		LastSyncedTs: timeOf(s.LastSyncedTs), NowTs: wallTime(now),
	}
	switch behind := s.ResolvedTs.Time().Sub(s.CheckpointTs.Time()); {
	case since(s.LastSyncedTs) <= quiet:
		out.Info = "The data syncing is not finished, please wait"
	case since(s.CheckpointTs) < fresh:
		out.Synced, out.Info = true, "Data syncing is finished"
	case behind < fresh:
		out.Info = "Please check whether the upstream and the capture of the source are healthy: nothing new has been read since " +
			s.ResolvedTs.Time().Format(time.DateTime) + ". If they are, the data syncing is finished"
	default:
		out.Info = fmt.Sprintf("The data syncing is not finished, please wait: the target is %s behind the log", behind.Round(time.Millisecond))
	}
	return out
}
