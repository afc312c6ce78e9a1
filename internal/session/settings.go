package session

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
)

// setting is one parameter that a session can show, and perhaps set.
type setting struct {
	name   string // as it is shown
	value  string // at first
	about  string
	report bool // clients are told its value
	fixed  bool // it cannot be changed
	// check gives the value as it is kept; nil: any.
	check func(name, value string) (string, error)
}

// knownSettings are the parameters that clients use, by lower case name. Those without a word about
// them are there because clients set them: they change nothing.
func knownSettings(version string) map[string]setting {
	number, _, _ := strings.Cut(version, " ")
	all := []setting{
		{name: "application_name", about: "What the client calls itself.", report: true, check: printable},
		{name: "client_encoding", value: "UTF8", about: "The client's encoding.", report: true, check: utf8},
		{name: "client_min_messages", value: "notice", about: "The least severity of messages that are sent.", check: oneOf(severities...)},
		{name: "DateStyle", value: "ISO, MDY", about: "How dates are written.", report: true, check: dateStyle},
		{name: "IntervalStyle", value: "postgres", about: "How intervals are written.", report: true, check: only("postgres")},
		{name: "TimeZone", value: "UTC", about: "The zone in which moments are read and written.", report: true, check: zoneName},
		{name: "extra_float_digits", value: "1", about: "Floats are written with the digits they need.", check: integer(-15, 3)},
		{name: "bytea_output", value: "hex", about: "How bytea is written.", check: only("hex")},
		{name: "statement_timeout", value: "0", about: "How long a statement may run; 0 is for ever.", check: duration},
		{name: "search_path", value: `"$user", public`, about: "The schemas of names without one.", check: searchPath},
		{name: "default_transaction_read_only", value: "off", about: "New transactions only read.", report: true, check: boolean},
		{name: "transaction_read_only", value: "off", about: "The transaction only reads.", check: boolean},
		{name: "default_transaction_isolation", value: "read committed", about: "The isolation of new transactions.", check: isolation},
		{name: "transaction_isolation", value: "read committed", about: "The isolation of the transaction.", check: isolation},
		{name: "standard_conforming_strings", value: "on", about: "A backslash in a string is a backslash.", report: true, check: only("on")},
		{name: "session_authorization", about: "The session's user.", report: true, fixed: true},
		{name: "is_superuser", value: "on", about: "Every user may do everything.", report: true, fixed: true},
		{name: "in_hot_standby", value: "off", about: "The server is no standby.", report: true, fixed: true},
		{name: "integer_datetimes", value: "on", about: "Moments are integers.", report: true, fixed: true},
		{name: "server_encoding", value: "UTF8", about: "The server's encoding.", report: true, fixed: true},
		{name: "server_version", value: version, about: "PostgreSQL's version whose behaviour is followed.", report: true, fixed: true},
		{name: "server_version_num", value: versionNumber(number), about: "The version as a number.", fixed: true},
		{name: "max_identifier_length", value: "63", about: "The longest name, in octets.", fixed: true},
		{name: "max_index_keys", value: "32", about: "The most columns of a key.", fixed: true},
		{name: "lc_collate", value: "C", about: "Text is ordered by its octets.", fixed: true},
		{name: "lc_ctype", value: "C", about: "Classes of characters.", fixed: true},
		{name: "block_size", value: "8192", fixed: true}, {name: "ssl", value: "off", fixed: true}, {name: "wal_level", value: "replica", fixed: true},
	}
	for name, value := range inert {
		all = append(all, setting{name: name, value: value})
	}
	known := make(map[string]setting, len(all))
	for _, s := range all {
		known[strings.ToLower(s.name)] = s
	}
	return known
}

// inert are parameters of PostgreSQL that clients set as a matter of course and that have
// no meaning here.
var inert = map[string]string{
	"lock_timeout": "0", "idle_in_transaction_session_timeout": "0", "idle_session_timeout": "0", "row_security": "on", "xmloption": "content",
	"escape_string_warning": "on", "check_function_bodies": "on", "synchronous_commit": "on", "work_mem": "4MB", "maintenance_work_mem": "64MB",
	"jit": "off", "geqo": "on", "enable_seqscan": "on", "enable_indexscan": "on", "enable_bitmapscan": "on", "enable_hashjoin": "on",
	"enable_mergejoin": "on", "enable_nestloop": "on", "enable_sort": "on", "random_page_cost": "4", "seq_page_cost": "1", "plan_cache_mode": "auto",
	"force_parallel_mode": "off", "max_parallel_workers_per_gather": "0", "default_text_search_config": "pg_catalog.simple", "default_tablespace": "",
	"default_table_access_method": "heap", "default_with_oids": "off", "temp_tablespaces": "", "lc_messages": "C", "lc_monetary": "C", "lc_numeric": "C",
	"lc_time": "C", "gin_fuzzy_search_limit": "0", "backslash_quote": "safe_encoding", "array_nulls": "on", "quote_all_identifiers": "off",
	"transform_null_equals": "off", "synchronize_seqscans": "on", "tcp_keepalives_idle": "0", "tcp_keepalives_interval": "0", "tcp_user_timeout": "0",
	"vacuum_freeze_min_age": "50000000", "timezone_abbreviations": "Default", "default_transaction_deferrable": "off", "transaction_deferrable": "off",
	"log_statement": "none", "log_min_duration_statement": "-1", "log_min_messages": "warning", "track_activities": "on", "role": "none",
	"password_encryption": "scram-sha-256", "compute_query_id": "off", "max_stack_depth": "100kB", "wal_sender_timeout": "60000",
}

func versionNumber(v string) string {
	major, minor, _ := strings.Cut(v, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return strconv.Itoa(a*10000 + b)
}

// settings are the values of one session.
type settings struct {
	known map[string]setting
	// values until the session ends, and those of SET LOCAL until the transaction does; by lower case name.
	values, local map[string]string
	initial       map[string]string // what RESET goes back to, where the client gave it at the start
}

func newSettings(known map[string]setting) *settings {
	return &settings{known: known, values: map[string]string{}, local: map[string]string{}, initial: map[string]string{}}
}

// get is a setting's value. A name with a dot is anybody's, and has a value once it is set.
func (s *settings) get(name string) (string, bool) {
	name = strings.ToLower(name)
	for _, m := range []map[string]string{s.local, s.values, s.initial} {
		if v, ok := m[name]; ok {
			return v, true
		}
	}
	if of, ok := transactional[name]; ok {
		return s.value(of), true
	}
	k, ok := s.known[name]
	return k.value, ok
}

// transactional are settings of one transaction, and what they are before it says otherwise.
var transactional = map[string]string{
	"transaction_read_only": "default_transaction_read_only", "transaction_isolation": "default_transaction_isolation",
}

func (s *settings) value(name string) string {
	v, _ := s.get(name)
	return v
}

// set changes a setting and tells whether clients are told.
func (s *settings) set(name, value string, local bool) (report bool, err error) {
	name = strings.ToLower(name)
	k, ok := s.known[name]
	switch {
	case !ok && !strings.Contains(name, "."):
		return false, unknownSetting(name)
	case k.fixed:
		return false, fail("55P02", "parameter \"%s\" cannot be changed", k.name)
	case k.check != nil:
		if value, err = k.check(k.name, value); err != nil {
			return false, err
		}
	}
	if _, once := transactional[name]; local || once {
		s.local[name] = value
	} else {
		s.values[name] = value
		delete(s.local, name)
	}
	return k.report, nil
}

// reset goes back to how the session began; "all" resets everything.
func (s *settings) reset(name string) error {
	name = strings.ToLower(name)
	if name == "all" {
		clear(s.values)
		clear(s.local)
		return nil
	}
	if _, ok := s.known[name]; !ok && !strings.Contains(name, ".") {
		return unknownSetting(name)
	}
	delete(s.values, name)
	delete(s.local, name)
	return nil
}

// saved are the settings at the beginning of a transaction.
type saved struct{ values, local map[string]string }

func (s *settings) save() saved { return saved{maps.Clone(s.values), maps.Clone(s.local)} }

func (s *settings) restore(o saved) { s.values, s.local = o.values, o.local }

// list gives all settings by name.
func (s *settings) list() []pgwire.Parameter {
	names := slices.Sorted(maps.Keys(s.known))
	for name := range s.values {
		if _, ok := s.known[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := make([]pgwire.Parameter, len(names))
	for i, name := range names {
		out[i] = pgwire.Parameter{Name: s.display(name), Value: s.value(name)}
	}
	return out
}

// reported are those that clients are told.
func (s *settings) reported() (out []pgwire.Parameter) {
	for _, name := range slices.Sorted(maps.Keys(s.known)) {
		if s.known[name].report {
			out = append(out, pgwire.Parameter{Name: s.known[name].name, Value: s.value(name)})
		}
	}
	return out
}

// display is a setting's name as it is shown.
func (s *settings) display(name string) string {
	if k, ok := s.known[strings.ToLower(name)]; ok {
		return k.name
	}
	return strings.ToLower(name)
}

func unknownSetting(name string) error {
	return fail(sql.UndefinedObject, "unrecognized configuration parameter \"%s\"", name)
}

func invalidSetting(name, value string) error {
	return fail(sql.InvalidParameter, "invalid value for parameter \"%s\": \"%s\"", name, value)
}

func unsupportedSetting(name, value, hint string) error {
	e := fail(sql.FeatureNotSupported, "parameter \"%s\" cannot be \"%s\" here", name, value)
	e.Hint = hint
	return e
}

// only allows one value.
func only(allowed string) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		if strings.EqualFold(value, allowed) || allowed == "on" && isTrue(value) {
			return allowed, nil
		}
		return "", unsupportedSetting(name, value, "It is always "+allowed+".")
	}
}

func oneOf(allowed ...string) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		if value = strings.ToLower(value); slices.Contains(allowed, value) {
			return value, nil
		}
		return "", invalidSetting(name, value)
	}
}

func isTrue(v string) bool {
	return slices.Contains([]string{"on", "true", "t", "yes", "y", "1"}, strings.ToLower(v))
}

func boolean(name, value string) (string, error) {
	switch {
	case isTrue(value):
		return "on", nil
	case slices.Contains([]string{"off", "false", "f", "no", "n", "0"}, strings.ToLower(value)):
		return "off", nil
	}
	return "", fail(sql.InvalidParameter, "parameter \"%s\" requires a Boolean value", name)
}

func integer(lo, hi int) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return "", invalidSetting(name, value)
		}
		if n < lo || n > hi {
			return "", fail(sql.InvalidParameter, "%d is outside the valid range for parameter \"%s\" (%d .. %d)", n, name, lo, hi)
		}
		return strconv.Itoa(n), nil
	}
}

// printable is what a name of an application may be; other octets become question marks.
func printable(_, value string) (string, error) {
	b := []byte(value)
	for i, c := range b {
		if c < 32 || c > 126 {
			b[i] = '?'
		}
	}
	return string(b[:min(len(b), 63)]), nil
}

func utf8(name, value string) (string, error) {
	if !pgwire.IsUTF8(value) {
		return "", unsupportedSetting(name, value, "Text is UTF-8 always.")
	}
	return "UTF8", nil
}

// dateStyle takes what means ISO; the order of day and month is that of ISO.
func dateStyle(name, value string) (string, error) {
	for part := range strings.SplitSeq(value, ",") {
		switch strings.ToUpper(strings.TrimSpace(part)) {
		case "ISO", "MDY", "US", "NONEURO", "NONEUROPEAN", "DEFAULT":
		case "DMY", "YMD", "SQL", "POSTGRES", "GERMAN", "EURO", "EUROPEAN":
			return "", unsupportedSetting(name, value, "It is always ISO, MDY.")
		default:
			return "", invalidSetting(name, value)
		}
	}
	return "ISO, MDY", nil
}

func isolation(name, value string) (string, error) {
	switch v := strings.ToLower(value); v {
	case "read committed", "read uncommitted":
		return v, nil
	case "repeatable read", "serializable":
		return "", unsupportedSetting(name, value, "Every statement sees one epoch, the newest when it begins: read committed.")
	}
	return "", invalidSetting(name, value)
}

// searchPath takes what comes to the same as public.
func searchPath(name, value string) (string, error) {
	for part := range strings.SplitSeq(value, ",") {
		switch strings.Trim(strings.TrimSpace(part), `"'`) {
		case "", "public", "$user", "pg_catalog":
		default:
			return "", unsupportedSetting(name, value, "Write the schema before the name; without one it is public.")
		}
	}
	return value, nil
}

func zoneName(name, value string) (string, error) {
	switch strings.ToLower(value) {
	case "default", "local":
		return "UTC", nil
	}
	if hours, err := strconv.ParseFloat(value, 64); err == nil { // hours east
		if hours < -167 || hours > 167 {
			return "", invalidSetting(name, value)
		}
		value = offsetZone(int(hours * 60))
	}
	if _, err := datetime.LookupZone(value); err != nil {
		return "", invalidSetting(name, value)
	}
	return value, nil
}

// offsetZone is the POSIX name of a zone some minutes east, which counts westward: <+02>-02.
func offsetZone(minutes int) string {
	east, west := "+", "-"
	if minutes < 0 {
		minutes, east, west = -minutes, west, east
	}
	size := fmt.Sprintf("%02d", minutes/60)
	if m := minutes % 60; m != 0 {
		size += fmt.Sprintf(":%02d", m)
	}
	return "<" + east + size + ">" + west + size
}
