package pgcatalog

import (
	"fmt"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
)

// sessions are the functions that tell of the session and the server.
func sessions() []expr.External {
	volatile := func(list []expr.External) []expr.External {
		for i := range list {
			list[i].Volatility = expr.Volatile
		}
		return list
	}
	number := func(get func(c *Context) int64, signatures ...string) []expr.External {
		return over(func(c *Context, r *expr.Row) error {
			r.SetInt(get(c))
			return nil
		}, signatures...)
	}
	return concat(
		text(func(c *Context, _ *expr.Row) (string, bool) { return c.Version, true }, "version() text"),
		text(func(c *Context, _ *expr.Row) (string, bool) { return c.schema() }, "current_schema() name"),
		text(func(c *Context, r *expr.Row) (string, bool) { return c.schemaList(r.Bool(0)), true }, "current_schemas(bool) name[]"),
		number(func(c *Context) int64 { return int64(c.PID) }, "pg_backend_pid() int4"),
		number(func(c *Context) int64 { return int64(c.Started) }, "pg_postmaster_start_time() timestamptz", "pg_conf_load_time() timestamptz"),
		constantBool(false, "pg_is_in_recovery() bool", "pg_is_wal_replay_paused() bool", "pg_jit_available() bool",
			"pg_is_other_temp_schema(oid) bool"),
		over(currentSetting, "current_setting(text) text"),
		over(func(c *Context, r *expr.Row) error {
			if _, known := c.setting(string(r.Bytes(0))); !known && r.Bool(1) {
				r.SetNull()
				return nil
			}
			return currentSetting(c, r)
		}, "current_setting(text,bool) text"),
		volatile(over(setConfig, "set_config(text,text,bool) text")),
		volatile(over(func(c *Context, r *expr.Row) error { return signal(c, r, false) }, "pg_cancel_backend(int4) bool")),
		volatile(over(func(c *Context, r *expr.Row) error { return signal(c, r, true) }, "pg_terminate_backend(int4) bool", "pg_terminate_backend(int4,int8) bool")),
		text(func(_ *Context, r *expr.Row) (string, bool) { return encodingName(r.Int(0)), true }, "pg_encoding_to_char(int4) name"),
		over(func(_ *Context, r *expr.Row) error {
			r.SetInt(-1)
			if name := string(r.Bytes(0)); name == "UTF8" || name == "utf8" || name == "UTF-8" {
				r.SetInt(6)
			}
			return nil
		}, "pg_char_to_encoding(name) int4"),
		text(func(*Context, *expr.Row) (string, bool) { return "UTF8", true }, "getdatabaseencoding() name", "pg_client_encoding() name"),
		text(func(*Context, *expr.Row) (string, bool) { return "", true }, "pg_tablespace_location(oid) text"),
		text(func(*Context, *expr.Row) (string, bool) { return "{}", true }, "pg_blocking_pids(int4) int4[]"),
		number(func(*Context) int64 { return 0 }, "pg_my_temp_schema() oid"),
		// The statement's time: it grows, and is one for a transaction.
		over(func(_ *Context, r *expr.Row) error {
			r.SetInt(int64(r.Env().Now))
			return nil
		}, "txid_current() int8"),
	)
}

// encodingName knows the one encoding that there is.
func encodingName(n int64) string {
	if n == 6 {
		return "UTF8"
	}
	return ""
}

func (c *Context) setting(name string) (string, bool) {
	if c.Setting == nil {
		return "", false
	}
	return c.Setting(name)
}

func currentSetting(c *Context, r *expr.Row) error {
	name := string(r.Bytes(0))
	value, known := c.setting(name)
	if !known {
		return &sql.Error{Code: sql.UndefinedObject, Message: fmt.Sprintf("unrecognized configuration parameter \"%s\"", name), Pos: -1}
	}
	r.SetString(value)
	return nil
}

func setConfig(c *Context, r *expr.Row) error {
	name := string(r.Bytes(0))
	if c.SetSetting == nil {
		return &sql.Error{Code: sql.FeatureNotSupported, Message: "settings cannot change here", Pos: -1}
	}
	if err := c.SetSetting(name, string(r.Bytes(1)), r.Bool(2)); err != nil {
		return err
	}
	value, _ := c.setting(name)
	r.SetString(value)
	return nil
}

func signal(c *Context, r *expr.Row, end bool) error {
	r.SetBool(c.Signal != nil && c.Signal(int32(r.Int(0)), end))
	return nil
}

// schema is the first of the search path that is there.
func (c *Context) schema() (string, bool) {
	for _, s := range c.SearchPath {
		if c.Catalog.HasSchema(s) {
			return s, true
		}
	}
	return "", false
}

func (c *Context) schemaList(implicit bool) string {
	var list []string
	if implicit {
		list = append(list, "pg_catalog")
	}
	for _, s := range c.SearchPath {
		if c.Catalog.HasSchema(s) && s != "pg_catalog" {
			list = append(list, s)
		}
	}
	return plainArray(list)
}

// sizes are the functions about disk space.
func sizes() []expr.External {
	relation := over(func(c *Context, r *expr.Row) error {
		rel, err := c.relationNamed(string(r.Bytes(0)))
		if err == nil && rel != nil && c.Bytes != nil {
			r.SetInt(c.Bytes(rel.ID))
		}
		return err
	}, "pg_relation_size(regclass) int8", "pg_relation_size(regclass,text) int8", "pg_table_size(regclass) int8", "pg_total_relation_size(regclass) int8")
	zero := over(func(*Context, *expr.Row) error { return nil }, "pg_indexes_size(regclass) int8", "pg_tablespace_size(oid) int8",
		"pg_stat_get_numscans(oid) int8", "pg_stat_get_tuples_returned(oid) int8", "pg_stat_get_tuples_fetched(oid) int8",
		"pg_stat_get_tuples_inserted(oid) int8", "pg_stat_get_tuples_updated(oid) int8", "pg_stat_get_tuples_deleted(oid) int8",
		"pg_stat_get_live_tuples(oid) int8", "pg_stat_get_dead_tuples(oid) int8", "pg_stat_get_blocks_fetched(oid) int8",
		"pg_stat_get_blocks_hit(oid) int8")
	database := over(func(c *Context, r *expr.Row) error {
		var sum int64
		for _, rel := range c.relations() {
			if c.Bytes != nil {
				sum += c.Bytes(rel.ID)
			}
		}
		r.SetInt(sum)
		return nil
	}, "pg_database_size(oid) int8", "pg_database_size(name) int8")
	return concat(relation, zero, database, prettySizes())
}

// plainArray is an array of names that need no quotes.
func plainArray(names []string) string {
	out := "{"
	for i, s := range names {
		if i > 0 {
			out += ","
		}
		out += s
	}
	return out + "}"
}
