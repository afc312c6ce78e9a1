package pgcatalog

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
)

// privileges are the has_…_privilege functions: every user may do everything that can be done.
func privileges() []expr.External {
	var all []expr.External
	for _, kind := range []string{"database", "schema", "function", "language", "sequence", "tablespace", "type", "server", "foreign_data_wrapper"} {
		for _, user := range users {
			all = append(all, constantBool(true, "has_"+kind+"_privilege("+user+"text,text) bool", "has_"+kind+"_privilege("+user+"oid,text) bool")...)
		}
	}
	for at, user := range users {
		at = min(at, 1) // where the relation stands among the arguments
		for name, rest := range map[string]string{"has_table_privilege": "text", "has_any_column_privilege": "text", "has_column_privilege": "text,text"} {
			all = append(all, over(namedPrivilege(at), name+"("+user+"text,"+rest+") bool")...)
			all = append(all, over(numberedPrivilege(at), name+"("+user+"oid,"+rest+") bool")...)
		}
	}
	return append(all, constantBool(true, "pg_has_role(name,name,text) bool", "pg_has_role(name,oid,text) bool", "pg_has_role(oid,name,text) bool",
		"pg_has_role(oid,oid,text) bool", "pg_has_role(name,text) bool", "pg_has_role(oid,text) bool")...)
}

// users are the forms without a user, with one by name, and by OID.
var users = []string{"", "name,", "oid,"}

// namedPrivilege is an error for the name of no relation.
func namedPrivilege(at int) func(c *Context, r *expr.Row) error {
	return func(c *Context, r *expr.Row) error {
		_, err := c.relationOID(string(r.Bytes(at)))
		r.SetBool(true)
		return err
	}
}

// numberedPrivilege is NULL for the OID of no relation.
func numberedPrivilege(at int) func(c *Context, r *expr.Row) error {
	return func(c *Context, r *expr.Row) error {
		if c.Catalog.Get(catalog.ID(r.Int(at))) == nil {
			r.SetNull()
		} else {
			r.SetBool(true)
		}
		return nil
	}
}

// absent are the functions about what Weir does not have: their answer is NULL, or no.
func absent() []expr.External {
	var null []string
	for _, name := range []string{
		"pg_get_ruledef(oid)", "pg_get_ruledef(oid,bool)", "pg_get_triggerdef(oid)", "pg_get_triggerdef(oid,bool)", "pg_get_functiondef(oid)",
		"pg_get_function_result(oid)", "pg_get_function_arguments(oid)", "pg_get_function_identity_arguments(oid)", "pg_get_function_sqlbody(oid)",
		"pg_get_statisticsobjdef(oid)", "pg_get_statisticsobjdef_columns(oid)", "pg_get_partkeydef(oid)",
		"pg_get_partition_constraintdef(oid)", "pg_get_serial_sequence(text,text)", "obj_description(oid)", "obj_description(oid,name)",
		"shobj_description(oid,name)", "col_description(oid,int4)", "inet_server_addr()", "inet_client_addr()", "pg_last_wal_replay_lsn()",
	} {
		null = append(null, name+" text")
	}
	null = append(null, "inet_server_port() int4", "inet_client_port() int4", "pg_relation_filenode(regclass) oid", "pg_sequence_last_value(regclass) int8",
		"pg_get_statisticsobjdef_expressions(oid) text[]")
	return append(over(func(_ *Context, r *expr.Row) error {
		r.SetNull()
		return nil
	}, null...), constantBool(false, "pg_relation_is_publishable(regclass) bool")...)
}
