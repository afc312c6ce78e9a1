package weirerr

// Code is the stable name of a kind of error. docs/operations.md has a section
// for each.
type Code string

// Flags say how the system reacts to a code.
type Flags struct {
	// FailFast: retrying cannot help; whoever meets it stops in a failed state.
	FailFast bool
	// LogGone: what the consumer still needs is no longer in the log or upstream;
	// it need not hold the log any more.
	LogGone bool
	// Status is the HTTP status a door answers with.
	Status int
}

// The codes. The comment is what happened; the hint of each error says what to do.
const (
	Unknown Code = "Unknown"

	// Requests.
	InvalidArgument Code = "InvalidArgument"
	NotFound        Code = "NotFound"
	AlreadyExists   Code = "AlreadyExists"
	WrongState      Code = "WrongState"
	NotReady        Code = "NotReady"
	Timeout         Code = "Timeout"      // what was waited for did not happen in time
	Unauthorized    Code = "Unauthorized" // no token, or the wrong one
	Overloaded      Code = "Overloaded"   // too many requests of this kind at a time
	TooLarge        Code = "TooLarge"     // a request body above the limit
	Unreachable     Code = "Unreachable"  // the server does not answer the command line

	// Log and stores.
	LogCorrupt      Code = "LogCorrupt"      // a record's checksum or order is wrong
	LogFenced       Code = "LogFenced"       // a newer term writes this channel
	LogUnknown      Code = "LogUnknown"      // an append may or may not have happened
	LogTruncated    Code = "LogTruncated"    // a position below the log's start
	LogEvicted      Code = "LogEvicted"      // a pin was evicted to keep the disk free
	LogFull         Code = "LogFull"         // no room on the log's disk
	StoreBehind     Code = "StoreBehind"     // a store is older than the others prove
	StoreCorrupt    Code = "StoreCorrupt"    // a metadata or state store is damaged
	FormatTooNew    Code = "FormatTooNew"    // the data directory was written by a newer weir
	DataDirLocked   Code = "DataDirLocked"   // another process uses the data directory
	CheckpointStale Code = "CheckpointStale" // a claim below the persisted checkpoint

	// Readers of views.
	SnapshotTooOld Code = "SnapshotTooOld" // a query held its epoch for longer than it may
	FollowerBehind Code = "FollowerBehind" // a reader of a relation's changes lags too far

	// Upstream.
	UpstreamUnreachable Code = "UpstreamUnreachable"
	UpstreamConfig      Code = "UpstreamConfig" // wal_level, max_replication_slots, …
	UpstreamRights      Code = "UpstreamRights"
	UpstreamIdentity    Code = "UpstreamIdentity" // other system identifier, timeline or database
	SlotMissing         Code = "SlotMissing"
	SlotInvalidated     Code = "SlotInvalidated"
	SlotAhead           Code = "SlotAhead" // re-created: it starts beyond our position
	SlotInUse           Code = "SlotInUse"
	UpstreamProtocol    Code = "UpstreamProtocol" // a message we cannot understand
	TableGone           Code = "TableGone"
	ColumnGone          Code = "ColumnGone" // a column that a relation follows was dropped or has another type
	SnapshotWaits       Code = "SnapshotWaits"

	// Targets.
	TargetUnreachable Code = "TargetUnreachable"
	TargetConfig      Code = "TargetConfig"
	TargetRights      Code = "TargetRights"
	TargetFull        Code = "TargetFull"     // no room at the target
	TargetFenced      Code = "TargetFenced"   // a newer owner delivers this lane
	TargetBehind      Code = "TargetBehind"   // its position is below the log's start
	TargetMissing     Code = "TargetMissing"  // table or column missing at the target
	TargetConflict    Code = "TargetConflict" // the target holds rows that contradict
	BadRow            Code = "BadRow"         // the target refuses a row
	SchemaRefused     Code = "SchemaRefused"  // a schema change with schema_policy = fail
	Unretryable       Code = "Unretryable"    // retries went on too long without progress
	OwnerClosed       Code = "OwnerClosed"

	// Views.
	NegativeWeight Code = "NegativeWeight" // the input of an operator contradicts itself
)

var flags = map[Code]Flags{
	Unknown:             {Status: 500},
	InvalidArgument:     {Status: 400, FailFast: true},
	NotFound:            {Status: 404, FailFast: true},
	AlreadyExists:       {Status: 409, FailFast: true},
	WrongState:          {Status: 409, FailFast: true},
	NotReady:            {Status: 503},
	Timeout:             {Status: 504},
	Unauthorized:        {Status: 401, FailFast: true},
	Overloaded:          {Status: 429},
	TooLarge:            {Status: 413, FailFast: true},
	Unreachable:         {Status: 502},
	LogCorrupt:          {Status: 500, FailFast: true},
	LogFenced:           {Status: 503},
	LogUnknown:          {Status: 503},
	LogTruncated:        {Status: 410, FailFast: true, LogGone: true},
	LogEvicted:          {Status: 410, FailFast: true, LogGone: true},
	LogFull:             {Status: 507},
	StoreBehind:         {Status: 500, FailFast: true},
	StoreCorrupt:        {Status: 500, FailFast: true},
	FormatTooNew:        {Status: 500, FailFast: true},
	DataDirLocked:       {Status: 500, FailFast: true},
	CheckpointStale:     {Status: 500, FailFast: true},
	SnapshotTooOld:      {Status: 410},
	FollowerBehind:      {Status: 410},
	UpstreamUnreachable: {Status: 502},
	UpstreamConfig:      {Status: 400, FailFast: true},
	UpstreamRights:      {Status: 400, FailFast: true},
	UpstreamIdentity:    {Status: 409, FailFast: true},
	SlotMissing:         {Status: 410, FailFast: true, LogGone: true},
	SlotInvalidated:     {Status: 410, FailFast: true, LogGone: true},
	SlotAhead:           {Status: 410, FailFast: true, LogGone: true},
	SlotInUse:           {Status: 409},
	UpstreamProtocol:    {Status: 502, FailFast: true},
	TableGone:           {Status: 410, FailFast: true},
	ColumnGone:          {Status: 409, FailFast: true},
	SnapshotWaits:       {Status: 503},
	TargetUnreachable:   {Status: 502},
	TargetConfig:        {Status: 400, FailFast: true},
	TargetRights:        {Status: 400, FailFast: true},
	TargetFull:          {Status: 507},
	TargetFenced:        {Status: 409},
	TargetBehind:        {Status: 410, FailFast: true, LogGone: true},
	TargetMissing:       {Status: 409, FailFast: true},
	TargetConflict:      {Status: 409, FailFast: true},
	BadRow:              {Status: 422, FailFast: true},
	SchemaRefused:       {Status: 409, FailFast: true},
	Unretryable:         {Status: 500, FailFast: true},
	OwnerClosed:         {Status: 503},
	NegativeWeight:      {Status: 500, FailFast: true},
}

// Flags says how to react to c; a code outside the table is retryable.
func (c Code) Flags() Flags {
	if f, ok := flags[c]; ok {
		return f
	}
	return flags[Unknown]
}
