package expr

import (
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// What depends on the statement: the time, the user, the database.

func declareSession(r *Registry) {
	now := perRow(func(r *Row) error {
		r.SetInt(int64(r.Env().Now))
		return nil
	})
	for _, name := range []string{"now", "transaction_timestamp", "statement_timestamp"} {
		r.fn(name+"() timestamptz", now, changing)
	}
	r.fn("current_user() name", perRow(func(r *Row) error {
		r.SetString(r.Env().User)
		return nil
	}), changing)
	r.fn("current_database() name", perRow(func(r *Row) error {
		r.SetString(r.Env().Database)
		return nil
	}), changing)
	count := func(null bool) func(*site) kernel {
		return perRow(func(r *Row) error {
			n := int64(0)
			for k := range r.args {
				n += bit(r.Null(k) == null)
			}
			r.SetInt(n)
			return nil
		})
	}
	r.fn("num_nulls(variadic any) int4", count(true), lax)
	r.fn("num_nonnulls(variadic any) int4", count(false), lax)
	r.fn("pg_typeof(any) text", func(s *site) kernel {
		name := nameOf(s.args[0].OID)
		return rowKernel(zset.Bytes, func(r *Row) error {
			r.SetString(name)
			return nil
		})
	}, lax)
}

// sqlValues are the keywords that are values: the function or cast each stands for.
var sqlValues = map[string]uint32{
	"current_date": datum.OIDDate, "current_timestamp": datum.OIDTimestampTZ, "localtimestamp": datum.OIDTimestamp,
	"localtime": datum.OIDTime,
}

// SQLValue is CURRENT_DATE, CURRENT_TIMESTAMP(p), CURRENT_USER and their like; mod is a precision, -1: none.
func (r *Registry) SQLValue(name string, mod int32, pos int) (Expr, error) {
	switch name {
	case "current_user", "session_user", "user", "current_role":
		return r.ResolveCall("current_user", nil, pos)
	case "current_catalog":
		return r.ResolveCall("current_database", nil, pos)
	case "current_schema":
		return r.ResolveCall("current_schema", nil, pos)
	}
	oid, ok := sqlValues[name]
	if !ok {
		return nil, fail(sql.FeatureNotSupported, pos, "%s is not supported", strings.ToUpper(name))
	}
	now, err := r.ResolveCall("now", nil, pos)
	if err != nil {
		return nil, err
	}
	return r.Cast(now, datum.TypeRef{OID: oid, Mod: mod}, Explicit, pos)
}
