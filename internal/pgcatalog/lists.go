package pgcatalog

import "github.com/weirstream/weir/internal/catalog"

// listRelations are the smaller ones that have rows.
func listRelations() []definition {
	return []definition{
		{"pg_database", "oid oid, datname name, datdba oid, encoding int4, datlocprovider char, datistemplate bool, datallowconn bool, datconnlimit int4, datfrozenxid int8, datminmxid int8, dattablespace oid, datcollate text, datctype text, daticulocale text, datcollversion text, datacl aclitem[]", func(b *Builder, c *Context) {
			for _, name := range c.Databases {
				b.Row(nameOID(name), name, oidRoot, 6, "c", false, true, -1, 0, 0, 1663, "C", "C")
			}
		}},
		{"pg_roles", "rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool, rolcanlogin bool, rolreplication bool, rolconnlimit int4, rolpassword text, rolvaliduntil timestamptz, rolbypassrls bool, rolconfig text[], oid oid", func(b *Builder, c *Context) {
			for _, name := range c.Users {
				b.Row(name, true, true, true, true, true, false, -1, "********", nil, true, nil, userOID(name))
			}
		}},
		{"pg_user", "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool, passwd text, valuntil timestamptz, useconfig text[]", func(b *Builder, c *Context) {
			for _, name := range c.Users {
				b.Row(name, userOID(name), true, true, false, true, "********")
			}
		}},
		{"pg_am", "oid oid, amname name, amhandler text, amtype char", func(b *Builder, _ *Context) {
			b.Row(oidHeap, "heap", "heap_tableam_handler", "t")
			b.Row(oidBtree, "btree", "bthandler", "i")
		}},
		{"pg_collation", "oid oid, collname name, collnamespace oid, collowner oid, collprovider char, collisdeterministic bool, collencoding int4, collcollate text, collctype text, colliculocale text", func(b *Builder, _ *Context) {
			b.Row(oidDefaultColl, "default", oidPgCatalog, oidRoot, "d", true, -1, "C", "C")
			b.Row(oidCollationC, "C", oidPgCatalog, oidRoot, "c", true, -1, "C", "C")
		}},
		{"pg_language", "oid oid, lanname name, lanowner oid, lanispl bool, lanpltrusted bool, lanplcallfoid oid, laninline oid, lanvalidator oid, lanacl aclitem[]", func(b *Builder, _ *Context) {
			b.Row(12, "internal", oidRoot, false, false, 0, 0, 0)
			b.Row(14, "sql", oidRoot, false, true, 0, 0, 0)
		}},
		{"pg_tablespace", "oid oid, spcname name, spcowner oid, spcacl aclitem[], spcoptions text[]", func(b *Builder, _ *Context) {
			b.Row(1663, "pg_default", oidRoot)
		}},
		{"pg_settings", "name text, setting text, unit text, category text, short_desc text, extra_desc text, context text, vartype text, source text, min_val text, max_val text, enumvals text[], boot_val text, reset_val text, sourcefile text, sourceline int4, pending_restart bool", func(b *Builder, c *Context) {
			for _, s := range c.Settings {
				b.Row(s.Name, s.Value, nil, "Weir", s.Description, nil, "user", "string", "session")
			}
		}},
		{"pg_stat_activity", "datid oid, datname name, pid int4, leader_pid int4, usesysid oid, usename name, application_name text, client_addr text, client_hostname text, client_port int4, backend_start timestamptz, xact_start timestamptz, query_start timestamptz, state_change timestamptz, wait_event_type text, wait_event text, state text, backend_xid int8, backend_xmin int8, query_id int8, query text, backend_type text", func(b *Builder, c *Context) {
			for _, s := range c.Sessions {
				b.Row(nameOID(s.Database), s.Database, int(s.PID), nil, userOID(s.User), s.User, s.Application, s.Addr, nil, nil, nil, nil, nil, nil, nil, nil, s.State, nil, nil, nil, s.Query, "client backend")
			}
		}},
		{"pg_tables", "schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool, hasrules bool, hastriggers bool, rowsecurity bool", func(b *Builder, c *Context) {
			for _, r := range c.ofKind(catalog.KindTable, catalog.KindCapture) {
				b.Row(r.Schema, r.Name, "root", nil, hasKey(r), false, false, false)
			}
		}},
		{"pg_views", "schemaname name, viewname name, viewowner name, definition text", func(b *Builder, c *Context) {
			for _, r := range c.ofKind(catalog.KindView) {
				b.Row(r.Schema, r.Name, "root", r.Query)
			}
		}},
		{"pg_matviews", "schemaname name, matviewname name, matviewowner name, tablespace name, hasindexes bool, ispopulated bool, definition text", func(b *Builder, c *Context) {
			for _, r := range c.ofKind(catalog.KindMatView) {
				b.Row(r.Schema, r.Name, "root", nil, false, true, r.Query)
			}
		}},
		{"pg_indexes", "schemaname name, tablename name, indexname name, tablespace name, indexdef text", func(b *Builder, c *Context) {
			for _, r := range c.ofKind(catalog.KindTable, catalog.KindCapture) {
				if hasKey(r) {
					b.Row(r.Schema, r.Name, r.Name+"_pkey", nil, indexDef(r))
				}
			}
		}},
	}
}

// ofKind are the relations of some kinds, by id.
func (c *Context) ofKind(kinds ...catalog.Kind) []*catalog.Relation {
	var out []*catalog.Relation
	for _, r := range c.relations() {
		for _, k := range kinds {
			if r.Kind == k {
				out = append(out, r)
			}
		}
	}
	return out
}
