package httpapi

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/weirerr"
)

// replicaConfig is TiCDC's replica_config. Decoding takes it apart into leaves;
// apply says what each of them means for us.
type replicaConfig struct {
	leaves map[string]json.RawMessage // by path: sink.protocol
	rules  []string                   // filter.rules; nil: not given
}

// meaning is what a key of replica_config means for us.
type meaning struct {
	// set honours the key.
	set func(r *replicaConfig, cfg *config.Changefeed, value json.RawMessage) error
	// only lists the values that ask for what we do anyway; others are refused.
	only []string
	why  string // a refusal's hint
}

// passed marks a key, and all below it, that tunes what we do not have, or that
// concerns sinks we do not have: it changes nothing that is delivered.
var passed = meaning{}

func only(why string, values ...string) meaning { return meaning{only: values, why: why} }

func seconds(field func(*config.Changefeed) *config.Duration) meaning {
	return meaning{set: func(_ *replicaConfig, cfg *config.Changefeed, value json.RawMessage) error {
		return field(cfg).UnmarshalJSON(value)
	}}
}

// meanings lists TiCDC's keys. A value of null means the default everywhere.
func meanings() map[string]meaning {
	wholeRows := only("whole rows are delivered", "false")
	return map[string]meaning{
		"filter.rules": {set: func(r *replicaConfig, _ *config.Changefeed, value json.RawMessage) error {
			return json.Unmarshal(value, &r.rules)
		}},
		"changefeed_error_stuck_duration":          seconds(func(c *config.Changefeed) *config.Duration { return &c.StuckDuration }),
		"synced_status.synced_check_interval":      seconds(func(c *config.Changefeed) *config.Duration { return &c.Synced.CheckInterval }),
		"synced_status.checkpoint_interval":        seconds(func(c *config.Changefeed) *config.Duration { return &c.Synced.CheckpointInterval }),
		"sink.cloud_storage_config.flush_interval": seconds(func(c *config.Changefeed) *config.Duration { return &c.File.MaxAge }),
		"sink.cloud_storage_config.file_size": {set: func(_ *replicaConfig, c *config.Changefeed, value json.RawMessage) error {
			return c.File.MaxBytes.UnmarshalJSON(value)
		}},

		"enable_sync_point":                              only("syncpoints are not built", "false"),
		"bdr_mode":                                       only("there is no bidirectional mode", "false"),
		"filter.ignore_txn_start_ts":                     only("transactions cannot be left out", "[]"),
		"filter.event_filters":                           only("choose tables with filter.rules", "[]"),
		"sink.protocol":                                  only("the file sink writes Debezium's JSON", `""`, `"debezium"`),
		"sink.schema_registry":                           only("there is no schema registry", `""`),
		"sink.dispatchers":                               only("there are no topics or partitions to choose", "[]"),
		"sink.column_selectors":                          only("whole rows are delivered", "[]"),
		"sink.transaction_atomicity":                     only("whole transactions are delivered", `""`, `"none"`, `"table"`),
		"sink.only_output_updated_columns":               wholeRows,
		"sink.delete_only_output_handle_key_columns":     wholeRows,
		"sink.content_compatible":                        only("there is no such format", "false"),
		"sink.debezium_config.output_old_value":          only("old values are delivered as the source sends them", "true"),
		"sink.cloud_storage_config.output_column_id":     only("there is no such field", "false"),
		"sink.cloud_storage_config.file_expiration_days": only("files are not removed", "0"),
		"consistent.level":                               only("there is no redo log", `""`, `"none"`),
		"integrity.integrity_check_level":                only("there are no row checksums upstream", `""`, `"none"`),

		"memory_quota": passed, "case_sensitive": passed, "force_replicate": passed, "ignore_ineligible_table": passed,
		"check_gc_safe_point": passed, "enable_table_monitor": passed, "sync_point_interval": passed,
		"sync_point_retention": passed, "sql_mode": passed, "mounter": passed, "scheduler": passed, "integrity": passed,
		"consistent": passed, "filter": passed, "sink": passed, "synced_status": passed, "sink.debezium_config": passed, "sink.csv": passed, "sink.kafka_config": passed, "sink.pulsar_config": passed,
		"sink.mysql_config": passed, "sink.open_config": passed, "sink.cloud_storage_config": passed,
		"sink.encoder_concurrency": passed, "sink.terminator": passed, "sink.date_separator": passed,
		"sink.enable_partition_separator": passed, "sink.file_index_width": passed, "sink.enable_kafka_sink_v2": passed,
		"sink.safe_mode": passed, "sink.send_bootstrap_interval_in_sec": passed, "sink.send_bootstrap_in_msg_count": passed,
		"sink.send_bootstrap_to_all_partition": passed, "sink.send_all_bootstrap_at_start": passed,
		"sink.debezium_disable_schema": passed, "sink.advance_timeout_in_sec": passed,
	}
}

// groups are keys whose parts are judged one by one; true: parts that meanings
// does not list are passed over.
var groups = map[string]bool{
	"filter": false, "sink": false, "synced_status": false, "sink.debezium_config": false,
	"consistent": true, "integrity": true, "sink.cloud_storage_config": true,
}

// UnmarshalJSON takes the object apart.
func (r *replicaConfig) UnmarshalJSON(text []byte) error {
	r.leaves = make(map[string]json.RawMessage)
	return r.split("", text)
}

func (r *replicaConfig) split(prefix string, text []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	for key, value := range object {
		path := prefix + key
		if _, isGroup := groups[path]; isGroup && bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")) {
			if err := r.split(path+".", value); err != nil {
				return err
			}
			continue
		}
		r.leaves[path] = value
	}
	return nil
}

// apply honours, passes over or refuses each key.
func (r *replicaConfig) apply(cfg *config.Changefeed) error {
	known := meanings()
	paths := make([]string, 0, len(r.leaves))
	for path := range r.leaves {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		m, ok := known[path]
		if !ok && !groups[path[:max(0, strings.LastIndexByte(path, '.'))]] {
			return weirerr.New(weirerr.InvalidArgument, "unknown key replica_config.%s", path).
				Hint("our own options go into config: see docs/configuration.md")
		}
		if err := m.judge(r, cfg, path, r.leaves[path]); err != nil {
			return err
		}
	}
	return nil
}

// judge carries the meaning out.
func (m meaning) judge(r *replicaConfig, cfg *config.Changefeed, path string, value json.RawMessage) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil || compact.String() == "null" {
		return nil
	}
	if m.set != nil {
		if err := m.set(r, cfg, value); err != nil {
			return weirerr.New(weirerr.InvalidArgument, "replica_config.%s: %v", path, err)
		}
		return nil
	}
	if m.only == nil {
		return nil
	}
	for _, allowed := range m.only {
		if compact.String() == allowed {
			return nil
		}
	}
	return weirerr.New(weirerr.InvalidArgument, "replica_config.%s is %s, which weir does not do", path, compact.String()).
		Hint("%s; allowed is %s", m.why, strings.Join(m.only, ", "))
}
