package config

import "time"

// Changefeed are the options of one changefeed, beside its source, tables and
// sink. In a file (--config cf.toml) and, by the same names, in JSON.
type Changefeed struct {
	SchemaPolicy  string   `toml:"schema_policy" json:"schema_policy" doc:"What a schema change upstream does: evolve the target, ignore it, or fail the changefeed."`
	Merge         string   `toml:"merge" json:"merge" doc:"net: the last state of a key in a batch wins. none: every change is applied by itself."`
	OnFull        string   `toml:"on_full" json:"on_full" doc:"When the log's disk is full and this changefeed pins the most: evict it, or block the capture of its source instead."`
	StuckDuration Duration `toml:"stuck_duration" json:"stuck_duration" doc:"How long errors may repeat without progress before the changefeed fails."`
	Retry         Retry    `toml:"retry" json:"retry"`
	Batch         Batch    `toml:"batch" json:"batch"`
	Snapshot      Snapshot `toml:"snapshot" json:"snapshot"`
	File          File     `toml:"file" json:"file"`
	Synced        Synced   `toml:"synced_status" json:"synced_status"`
}

// Batch says when what was read is committed at the target. The first limit
// that is reached counts; an upstream transaction is never split.
type Batch struct {
	MaxRows  int      `toml:"max_rows" json:"max_rows" doc:"Changes in one target transaction, unless one upstream transaction is larger."`
	MaxBytes Bytes    `toml:"max_bytes" json:"max_bytes" doc:"Bytes in one target transaction, unless one upstream transaction is larger."`
	MaxDelay Duration `toml:"max_delay" json:"max_delay" doc:"How long a change may wait for others to join its batch. 0: a batch is what is there."`
}

// Retry spaces the attempts after an error that may pass.
type Retry struct {
	Initial Duration `toml:"initial" json:"initial" doc:"Pause before the first retry; it doubles with each one, with jitter."`
	Max     Duration `toml:"max" json:"max" doc:"Longest pause between retries."`
}

// Snapshot are the options of the initial snapshot's delivery. How it is read
// belongs to the source: Server.Capture.
type Snapshot struct {
	BatchRows int `toml:"batch_rows" json:"batch_rows" doc:"Rows of a snapshot in one target transaction."`
}

// File are the options of the file sink. Those in the sink's URI win.
type File struct {
	MaxBytes      Bytes    `toml:"max_bytes" json:"max_bytes" doc:"A data file is closed at this size. In the URI: file_size."`
	MaxAge        Duration `toml:"max_age" json:"max_age" doc:"A data file is closed at this age. 0: at any age. In the URI: file_age."`
	MaxCommits    int      `toml:"max_commits" json:"max_commits" doc:"A data file is closed after so many commits. In the URI: file_commits."`
	ResolvedEvery Duration `toml:"resolved_every" json:"resolved_every" doc:"Least time between resolved records. 0: none are written. In the URI: resolved."`
}

// Synced says when GET /api/v2/changefeeds/{id}/synced answers true.
type Synced struct {
	CheckInterval      Duration `toml:"synced_check_interval" json:"synced_check_interval" doc:"Nothing was delivered for this long, …"`
	CheckpointInterval Duration `toml:"checkpoint_interval" json:"checkpoint_interval" doc:"… and the checkpoint is younger than this."`
}

// Choices of Changefeed.
const (
	SchemaEvolve = "evolve"
	SchemaIgnore = "ignore"
	SchemaFail   = "fail"
	MergeNet     = "net"
	MergeNone    = "none"
	FullEvict    = "evict"
	FullBlock    = "block"
)

// DefaultChangefeed suits a PostgreSQL target.
func DefaultChangefeed() Changefeed {
	return Changefeed{
		SchemaPolicy:  SchemaEvolve,
		Merge:         MergeNet,
		OnFull:        FullEvict,
		StuckDuration: Duration(30 * time.Minute),
		Retry:         Retry{Initial: Duration(time.Second), Max: Duration(10 * time.Minute)},
		Batch:         Batch{MaxRows: 60_000, MaxBytes: 32 * MiB},
		Snapshot:      Snapshot{BatchRows: 200_000},
		File:          File{MaxBytes: 64 * MiB, MaxCommits: 10_000, ResolvedEvery: Duration(10 * time.Second)},
		Synced:        Synced{CheckInterval: Duration(5 * time.Minute), CheckpointInterval: Duration(15 * time.Second)},
	}
}

// Validate checks every option; the error names it.
func (c *Changefeed) Validate() error {
	v := validator{}
	v.oneOf("schema_policy", c.SchemaPolicy, SchemaEvolve, SchemaIgnore, SchemaFail)
	v.oneOf("merge", c.Merge, MergeNet, MergeNone)
	v.oneOf("on_full", c.OnFull, FullEvict, FullBlock)
	v.between("stuck_duration", int64(c.StuckDuration), int64(time.Second), int64(30*24*time.Hour))
	v.between("retry.initial", int64(c.Retry.Initial), int64(10*time.Millisecond), int64(time.Hour))
	v.between("retry.max", int64(c.Retry.Max), int64(c.Retry.Initial), int64(24*time.Hour))
	v.between("batch.max_rows", int64(c.Batch.MaxRows), 1, 10_000_000)
	v.between("batch.max_bytes", int64(c.Batch.MaxBytes), int64(KiB), int64(GiB))
	v.between("batch.max_delay", int64(c.Batch.MaxDelay), 0, int64(time.Hour))
	v.between("snapshot.batch_rows", int64(c.Snapshot.BatchRows), 1, 10_000_000)
	v.between("file.max_bytes", int64(c.File.MaxBytes), int64(KiB), int64(TiB))
	v.between("file.max_age", int64(c.File.MaxAge), 0, int64(30*24*time.Hour))
	v.between("file.max_commits", int64(c.File.MaxCommits), 1, 1_000_000_000)
	v.between("file.resolved_every", int64(c.File.ResolvedEvery), 0, int64(24*time.Hour))
	v.between("synced_status.synced_check_interval", int64(c.Synced.CheckInterval), int64(time.Second), int64(24*time.Hour))
	v.between("synced_status.checkpoint_interval", int64(c.Synced.CheckpointInterval), int64(time.Second), int64(24*time.Hour))
	return v.err
}
