package httpapi

import (
	"encoding/json"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// placement names TiDB's placement driver in TiCDC's requests. We have none, so
// its keys are known and must be empty.
type placement struct {
	Addrs    []string `json:"pd_addrs"`
	CA       string   `json:"ca_path"`
	Cert     string   `json:"cert_path"`
	Key      string   `json:"key_path"`
	Names    []string `json:"cert_allowed_cn"`
	Upstream uint64   `json:"upstream_id"`
}

func (p *placement) check() error {
	if len(p.Addrs) == 0 && p.CA == "" && p.Cert == "" && p.Key == "" && len(p.Names) == 0 {
		return nil
	}
	return weirerr.New(weirerr.InvalidArgument, "pd_addrs and its certificates name a TiDB cluster, which cannot be an upstream").
		Hint("leave them out and name one of our sources: \"source\": \"NAME\"")
}

// createBody is TiCDC's, with our keys at the end.
type createBody struct {
	placement
	Namespace     string        `json:"namespace"`
	ID            string        `json:"changefeed_id"`
	StartTs       ts.Ts         `json:"start_ts"` // 0: as start says
	TargetTs      ts.Ts         `json:"target_ts"`
	SinkURI       string        `json:"sink_uri"`
	ReplicaConfig replicaConfig `json:"replica_config"`

	Source string          `json:"source"` // may be left out when there is one
	Start  control.Start   `json:"start"`  // initial (the default) or now
	Tables []string        `json:"tables"` // rules; or replica_config.filter.rules
	Config json.RawMessage `json:"config"` // docs/configuration.md
}

func (b *createBody) request() (control.CreateChangefeed, error) {
	if err := checkNamespace(b.Namespace); err != nil {
		return control.CreateChangefeed{}, err
	}
	if err := b.placement.check(); err != nil {
		return control.CreateChangefeed{}, err
	}
	req := control.CreateChangefeed{
		ID: b.ID, Source: b.Source, Tables: b.Tables, SinkURI: b.SinkURI,
		Start: b.Start, StartTs: b.StartTs, TargetTs: b.TargetTs, Config: config.DefaultChangefeed(),
	}
	if err := configure(&req.Config, &b.ReplicaConfig, b.Config); err != nil {
		return req, err
	}
	rules, err := oneOf(b.Tables, b.ReplicaConfig.rules)
	req.Tables = rules
	return req, err
}

// configure applies TiCDC's options, then ours.
func configure(cfg *config.Changefeed, theirs *replicaConfig, ours json.RawMessage) error {
	if err := theirs.apply(cfg); err != nil {
		return err
	}
	if len(ours) == 0 || string(ours) == "null" {
		return nil
	}
	return cfg.ReadJSON(ours)
}

// oneOf takes the rules from the place that has them.
func oneOf(tables, filterRules []string) ([]string, error) {
	if tables != nil && filterRules != nil {
		return nil, weirerr.New(weirerr.InvalidArgument, "tables and replica_config.filter.rules are both given").Hint("give one of them")
	}
	if tables == nil {
		tables = filterRules
	}
	return tables, nil
}

// updateBody is TiCDC's, with our keys at the end. What is left out stays as it is.
type updateBody struct {
	placement
	TargetTs      *ts.Ts        `json:"target_ts"`
	StartTs       ts.Ts         `json:"start_ts"`
	SinkURI       *string       `json:"sink_uri"`
	ReplicaConfig replicaConfig `json:"replica_config"`

	Tables []string        `json:"tables"`
	Config json.RawMessage `json:"config"`
}

func (b *updateBody) request() (control.UpdateChangefeed, error) {
	var req control.UpdateChangefeed
	if err := b.placement.check(); err != nil {
		return req, err
	}
	if b.StartTs != 0 {
		return req, weirerr.New(weirerr.InvalidArgument, "start_ts cannot be changed").
			Hint("create another changefeed, or resume with overwrite_checkpoint_ts")
	}
	scratch := config.DefaultChangefeed()
	if err := b.ReplicaConfig.apply(&scratch); err != nil {
		return req, err
	}
	rules, err := oneOf(b.Tables, b.ReplicaConfig.rules)
	if err != nil {
		return req, err
	}
	if rules != nil {
		req.Tables = &rules
	}
	req.TargetTs = b.TargetTs
	if b.SinkURI != nil && *b.SinkURI != "" { // TiCDC sends "" for "as it is"
		req.SinkURI = b.SinkURI
	}
	req.Configure = func(cfg *config.Changefeed) error { return configure(cfg, &b.ReplicaConfig, b.Config) }
	return req, nil
}

type resumeBody struct {
	placement
	OverwriteCheckpointTs ts.Ts `json:"overwrite_checkpoint_ts"`
}

func (b *resumeBody) check() error { return b.placement.check() }

type verifyTableBody struct {
	placement
	StartTs       ts.Ts         `json:"start_ts"`
	SinkURI       string        `json:"sink_uri"`
	ReplicaConfig replicaConfig `json:"replica_config"`

	Source string   `json:"source"`
	Tables []string `json:"tables"`
}

func (b *verifyTableBody) rules() ([]string, error) {
	if err := b.placement.check(); err != nil {
		return nil, err
	}
	cfg := config.DefaultChangefeed()
	if err := b.ReplicaConfig.apply(&cfg); err != nil {
		return nil, err
	}
	return oneOf(b.Tables, b.ReplicaConfig.rules)
}
