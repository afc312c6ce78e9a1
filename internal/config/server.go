package config

import (
	"time"

	"github.com/weirstream/weir/internal/weirerr"
)

// Server is what `weir serve` runs with.
type Server struct {
	DataDir  string  `toml:"data_dir" json:"data_dir" doc:"Directory of the log, the metadata and the lock. Created when missing."`
	HTTPAddr string  `toml:"http_addr" json:"http_addr" doc:"Where the HTTP API, the metrics and the command line's server side listen."`
	SQLAddr  string  `toml:"sql_addr" json:"sql_addr" doc:"Where SQL listens, on the PostgreSQL protocol."`
	Insecure bool    `toml:"insecure" json:"insecure" doc:"Allow an address that is not loopback without TLS."`
	HTTP     HTTP    `toml:"http" json:"http"`
	SQL      SQL     `toml:"sql" json:"sql"`
	Log      Log     `toml:"log" json:"log"`
	Capture  Capture `toml:"capture" json:"capture"`
	Logging  Logging `toml:"logging" json:"logging"`
}

// HTTP are the options of the HTTP door.
type HTTP struct {
	TLSCert      string   `toml:"tls_cert" json:"tls_cert" doc:"PEM file with the certificate chain. With tls_key it turns TLS on."`
	TLSKey       string   `toml:"tls_key" json:"tls_key" doc:"PEM file with the private key."`
	TokenFile    string   `toml:"token_file" json:"token_file" doc:"File with the bearer token that every request except /healthz and /readyz must carry. Empty: no token."`
	MaxBodyBytes Bytes    `toml:"max_body_bytes" json:"max_body_bytes" doc:"Largest request body."`
	MaxWaits     int      `toml:"max_waits" json:"max_waits" doc:"Requests that may wait or verify at the same time; one more is refused."`
	HeaderWait   Duration `toml:"header_timeout" json:"header_timeout" doc:"Longest time a client may take to send a request's header."`
	PProf        bool     `toml:"pprof" json:"pprof" doc:"Serve Go's profiles under /debug/pprof/."`
}

// SQL are the options of the SQL door and of what keeps tables and views.
type SQL struct {
	TLSCert        string   `toml:"tls_cert" json:"tls_cert" doc:"PEM file with the certificate chain. With tls_key it turns TLS on."`
	TLSKey         string   `toml:"tls_key" json:"tls_key" doc:"PEM file with the private key."`
	MaxConnections int      `toml:"max_connections" json:"max_connections" doc:"Sessions at a time; one more is refused."`
	MemoryBytes    Bytes    `toml:"memory_bytes" json:"memory_bytes" doc:"State of tables and views that is held in memory; the rest is read from the store when it is needed. 0: a quarter of the memory of the machine, or of the cgroup. Half as much again, 256 MiB to 1 GiB, caches the store."`
	QueryMemory    Bytes    `toml:"query_memory_bytes" json:"query_memory_bytes" doc:"What queries and transactions may hold in memory, all together; one that asks for more fails."`
	Shards         int      `toml:"shards" json:"shards" doc:"Slices by key that are computed at the same time. 0: as many as processors."`
	BarrierEvery   Duration `toml:"barrier_interval" json:"barrier_interval" doc:"Time between barriers, of databases that set none of their own."`
	Checkpoint     int      `toml:"checkpoint_frequency" json:"checkpoint_frequency" doc:"Every nth barrier is a checkpoint, which readers see."`
}

// Log are the options of the durable log.
type Log struct {
	SegmentBytes     Bytes    `toml:"segment_bytes" json:"segment_bytes" doc:"Size of a segment file, the unit of truncation."`
	MaxBytes         Bytes    `toml:"max_bytes" json:"max_bytes" doc:"High watermark: above it the changefeed that pins the most bytes is evicted. 0: only the disk's free space counts."`
	ReserveFreeBytes Bytes    `toml:"reserve_free_bytes" json:"reserve_free_bytes" doc:"Free space to leave on the disk; with less, changefeeds are evicted as above max_bytes."`
	SideBytes        Bytes    `toml:"side_bytes" json:"side_bytes" doc:"Rows of one changefeed's initial snapshot that may wait for its sink before the snapshot's readers pause; at least two segments."`
	CheckpointEvery  Duration `toml:"checkpoint_every" json:"checkpoint_every" doc:"How often a moved checkpoint is saved. On SIGTERM the last one is saved within 10s."`
}

// Capture says how sources read existing rows. Each source reads them once for
// each changefeed that begins with a snapshot.
type Capture struct {
	SnapshotReaders   int `toml:"snapshot_readers" json:"snapshot_readers" doc:"Chunks of initial snapshots that a source reads at the same time, each on a connection of its own."`
	SnapshotChunkRows int `toml:"snapshot_chunk_rows" json:"snapshot_chunk_rows" doc:"Rows in a chunk, the unit in which a snapshot resumes."`
}

// Logging are the options of the process's own log, on standard error.
type Logging struct {
	Level  string `toml:"level" json:"level" doc:"debug, info, warn or error. Can be changed while running: POST /api/v2/log."`
	Format string `toml:"format" json:"format" doc:"text or json."`
}

// DefaultServer is a server on loopback with the data directory ./weir-data.
func DefaultServer() Server {
	return Server{
		DataDir:  "./weir-data",
		HTTPAddr: "127.0.0.1:8300",
		SQLAddr:  "127.0.0.1:4566",
		HTTP: HTTP{
			MaxBodyBytes: MiB,
			MaxWaits:     64,
			HeaderWait:   Duration(10 * time.Second),
		},
		SQL: SQL{MaxConnections: 100, QueryMemory: GiB, BarrierEvery: Duration(250 * time.Millisecond), Checkpoint: 1},
		Log: Log{
			SegmentBytes:     64 * MiB,
			ReserveFreeBytes: GiB,
			SideBytes:        256 * MiB,
			CheckpointEvery:  Duration(time.Second),
		},
		Capture: Capture{SnapshotReaders: 2, SnapshotChunkRows: 50_000},
		Logging: Logging{Level: "info", Format: "text"},
	}
}

// Validate checks every option; the error names it.
func (s *Server) Validate() error {
	v := validator{}
	v.that(s.DataDir != "", "data_dir", "is empty")
	v.address("http_addr", s.HTTPAddr)
	v.address("sql_addr", s.SQLAddr)
	v.that(s.HTTPAddr != s.SQLAddr || s.SQLAddr == "", "sql_addr", "is the same as http_addr")
	v.that((s.HTTP.TLSCert == "") == (s.HTTP.TLSKey == ""), "http.tls_cert", "and http.tls_key go together")
	v.that((s.SQL.TLSCert == "") == (s.SQL.TLSKey == ""), "sql.tls_cert", "and sql.tls_key go together")
	v.between("sql.max_connections", int64(s.SQL.MaxConnections), 1, 100_000)
	if s.SQL.MemoryBytes != 0 {
		v.between("sql.memory_bytes", int64(s.SQL.MemoryBytes), int64(16*MiB), int64(1024*GiB))
	}
	v.between("sql.query_memory_bytes", int64(s.SQL.QueryMemory), int64(16*MiB), int64(1024*GiB))
	v.between("sql.shards", int64(s.SQL.Shards), 0, 256)
	v.between("sql.barrier_interval", int64(s.SQL.BarrierEvery), int64(time.Millisecond), int64(10*time.Minute))
	v.between("sql.checkpoint_frequency", int64(s.SQL.Checkpoint), 1, 10_000)
	v.between("http.max_body_bytes", int64(s.HTTP.MaxBodyBytes), int64(KiB), int64(64*MiB))
	v.between("http.max_waits", int64(s.HTTP.MaxWaits), 1, 10_000)
	v.between("http.header_timeout", int64(s.HTTP.HeaderWait), int64(100*time.Millisecond), int64(5*time.Minute))
	v.between("log.segment_bytes", int64(s.Log.SegmentBytes), int64(MiB), int64(4*GiB))
	v.that(s.Log.MaxBytes == 0 || s.Log.MaxBytes >= 2*s.Log.SegmentBytes, "log.max_bytes", "is below two segments (log.segment_bytes)")
	v.between("log.side_bytes", int64(s.Log.SideBytes), int64(MiB), int64(TiB))
	v.that(s.Log.SideBytes >= 2*s.Log.SegmentBytes, "log.side_bytes", "is below two segments (log.segment_bytes): readers would wait for room that never comes")
	v.between("log.checkpoint_every", int64(s.Log.CheckpointEvery), int64(10*time.Millisecond), int64(time.Minute))
	v.between("capture.snapshot_readers", int64(s.Capture.SnapshotReaders), 1, 64)
	v.between("capture.snapshot_chunk_rows", int64(s.Capture.SnapshotChunkRows), 1, 10_000_000)
	v.oneOf("logging.level", s.Logging.Level, "debug", "info", "warn", "error")
	v.oneOf("logging.format", s.Logging.Format, "text", "json")
	if v.err == nil && !s.Insecure && s.HTTP.TLSCert == "" && !Loopback(s.HTTPAddr) {
		return weirerr.New(weirerr.InvalidArgument, "http_addr %s is not a loopback address and TLS is off", s.HTTPAddr).
			Hint("give --http-tls-cert and --http-tls-key, best with --http-token-file; or --insecure to allow it as it is")
	}
	return v.err
}
