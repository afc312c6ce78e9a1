package httpapi

import (
	"time"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// wallTime prints as TiCDC's checkpoint_time does, in UTC.
type wallTime time.Time

func timeOf(t ts.Ts) wallTime { return wallTime(t.Time()) }

// MarshalJSON prints 2006-01-02 15:04:05.000.
func (t wallTime) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"2006-01-02 15:04:05.000"`)), nil
}

// runningError is TiCDC's, with our hint and fields.
type runningError struct {
	Time    time.Time              `json:"time"`
	Addr    string                 `json:"addr"`
	Code    string                 `json:"code"`
	Message string                 `json:"message"`
	Hint    string                 `json:"hint,omitempty"`
	Fields  []control.FailureField `json:"fields,omitempty"`
}

func (a *api) runningError(f *control.Failure) *runningError {
	if f == nil {
		return nil
	}
	return &runningError{
		Time: f.Time, Addr: a.Node.Address, Code: errorCode(f.Code), Message: f.Message, Hint: f.Hint, Fields: f.Fields,
	}
}

func errorCode(c weirerr.Code) string { return "WEIR:" + string(c) }

// shownError is the error of a state that has one to show.
func (a *api) shownError(s control.FeedStatus) *runningError {
	switch s.State {
	case control.StateNormal, control.StateStopped, control.StateFinished, control.StateRemoved:
		return nil
	}
	return a.runningError(s.Error)
}

type statusBody struct {
	State        control.State `json:"state"`
	ResolvedTs   ts.Ts         `json:"resolved_ts"`
	CheckpointTs ts.Ts         `json:"checkpoint_ts"`
	LastError    *runningError `json:"last_error,omitempty"`
	LastWarning  *runningError `json:"last_warning,omitempty"`
}

// listItem is TiCDC's, with the lag and what holds it.
type listItem struct {
	UpstreamID     uint64         `json:"upstream_id"`
	Namespace      string         `json:"namespace"`
	ID             string         `json:"id"`
	State          control.State  `json:"state"`
	CheckpointTSO  ts.Ts          `json:"checkpoint_tso"`
	CheckpointTime wallTime       `json:"checkpoint_time"`
	Error          *runningError  `json:"error"`
	Source         string         `json:"source"`
	SinkURI        string         `json:"sink_uri"`
	LagMs          int64          `json:"checkpoint_lag_ms"`
	Holder         control.Holder `json:"holder"`
}

func (a *api) item(i control.ChangefeedInfo) listItem {
	return listItem{
		Namespace: namespace, ID: i.ID, State: i.Status.State,
		CheckpointTSO: i.Status.CheckpointTs, CheckpointTime: timeOf(i.Status.CheckpointTs),
		Error: a.shownError(i.Status), Source: i.Source, SinkURI: i.SinkURI,
		LagMs: a.lag(i.Status.CheckpointTs), Holder: i.Status.Holder,
	}
}

// lag is how far a Ts lies behind the wall clock, in milliseconds.
func (a *api) lag(t ts.Ts) int64 {
	if t == 0 {
		return 0
	}
	return max(0, a.Now().UnixMilli()-t.Ms())
}

// taskStatus lists the tables that a node delivers.
type taskStatus struct {
	CaptureID string   `json:"capture_id"`
	TableIDs  []uint64 `json:"table_ids"`
}

// detail is TiCDC's full object, followed by ours.
type detail struct {
	UpstreamID     uint64        `json:"upstream_id"`
	Namespace      string        `json:"namespace"`
	ID             string        `json:"id"`
	SinkURI        string        `json:"sink_uri"`
	CreateTime     time.Time     `json:"create_time"`
	StartTs        ts.Ts         `json:"start_ts"`
	TargetTs       ts.Ts         `json:"target_ts"`
	AdminJobType   int           `json:"admin_job_type"`
	Config         theirConfig   `json:"config"`
	State          control.State `json:"state"`
	Error          *runningError `json:"error"`
	CreatorVersion string        `json:"creator_version"`
	ResolvedTs     ts.Ts         `json:"resolved_ts"`
	CheckpointTs   ts.Ts         `json:"checkpoint_ts"`
	CheckpointTime wallTime      `json:"checkpoint_time"`
	TaskStatus     []taskStatus  `json:"task_status"`

	Source         string                `json:"source"`
	Tables         []string              `json:"tables"`
	Start          control.Start         `json:"start"`
	Options        config.Changefeed     `json:"options"`
	Incarnation    uint64                `json:"incarnation"`
	ConsistentFrom ts.Ts                 `json:"consistent_from"`
	LagMs          int64                 `json:"checkpoint_lag_ms"`
	Holder         control.Holder        `json:"holder"`
	Snapshot       control.Snapshot      `json:"snapshot"`
	SnapshotTables []control.TableStatus `json:"snapshot_tables"`
	PinTs          ts.Ts                 `json:"pin_ts"`
	PinBytes       int64                 `json:"pin_bytes"`
	RetryAt        *time.Time            `json:"retry_at,omitempty"`
	Counters       map[string]int64      `json:"counters"`
}

// adminJob is TiCDC's number of the last command that changed a state.
var adminJob = map[control.State]int{control.StateStopped: 1, control.StateRemoved: 3, control.StateFinished: 4}

func (a *api) detail(i control.ChangefeedInfo) detail {
	s := i.Status
	d := detail{
		Namespace: namespace, ID: i.ID, SinkURI: i.SinkURI, CreateTime: i.CreatedAt,
		StartTs: s.StartTs, TargetTs: i.TargetTs, AdminJobType: adminJob[s.State],
		Config: theirs(i), State: s.State, Error: a.shownError(s), CreatorVersion: i.Version,
		ResolvedTs: s.ResolvedTs, CheckpointTs: s.CheckpointTs, CheckpointTime: timeOf(s.CheckpointTs),
		TaskStatus: []taskStatus{{CaptureID: a.Node.ID, TableIDs: s.TableIDs}},

		Source: i.Source, Tables: i.Tables, Start: i.Start, Options: i.Config, Incarnation: i.Incarnation,
		ConsistentFrom: s.ConsistentFrom, LagMs: a.lag(s.CheckpointTs), Holder: s.Holder,
		Snapshot: s.Snapshot, SnapshotTables: s.Tables, PinTs: s.PinTs, PinBytes: s.PinBytes, Counters: s.Counters,
	}
	if !s.RetryAt.IsZero() {
		d.RetryAt = &s.RetryAt
	}
	return d
}

// theirConfig is the part of TiCDC's replica_config that we honour. A client may
// send it back as it is.
type theirConfig struct {
	Filter        theirFilter     `json:"filter"`
	StuckDuration config.Duration `json:"changefeed_error_stuck_duration"`
	Synced        theirSynced     `json:"synced_status"`
}

type theirFilter struct {
	Rules []string `json:"rules"`
}

type theirSynced struct {
	CheckInterval      int64 `json:"synced_check_interval"` // seconds
	CheckpointInterval int64 `json:"checkpoint_interval"`
}

func theirs(i control.ChangefeedInfo) theirConfig {
	return theirConfig{
		Filter:        theirFilter{Rules: i.Tables},
		StuckDuration: i.Config.StuckDuration,
		Synced: theirSynced{
			CheckInterval:      int64(i.Config.Synced.CheckInterval.Std() / time.Second),
			CheckpointInterval: int64(i.Config.Synced.CheckpointInterval.Std() / time.Second),
		},
	}
}

type tableName struct {
	Database    string `json:"database_name"`
	Table       string `json:"table_name"`
	ID          uint64 `json:"table_id"`
	IsPartition bool   `json:"is_partition"`
	Reason      string `json:"reason,omitempty"`
}

type verifyTableAnswer struct {
	Ineligible []tableName `json:"ineligible_tables"`
	Eligible   []tableName `json:"eligible_tables"`
}
