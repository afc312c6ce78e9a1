package pgcatalog

// emptyRelations are those of which Weir never has a row.
func emptyRelations() []definition {
	return []definition{
		{"pg_proc", "oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost float4, prorows float4, provariadic oid, prokind char, prosecdef bool, proleakproof bool, proisstrict bool, proretset bool, provolatile char, proparallel char, pronargs int2, pronargdefaults int2, prorettype oid, proargtypes text, proallargtypes oid[], proargmodes char[], proargnames text[], prosrc text, probin text, proacl aclitem[]", nil},
		{"pg_description", "objoid oid, classoid oid, objsubid int4, description text", nil},
		{"pg_shdescription", "objoid oid, classoid oid, description text", nil},
		{"pg_inherits", "inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool", nil},
		{"pg_policy", "oid oid, polname name, polrelid oid, polcmd char, polpermissive bool, polroles oid[], polqual text, polwithcheck text", nil},
		{"pg_statistic_ext", "oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid, stxstattarget int4, stxkeys int2vector, stxkind char[], stxexprs text", nil},
		{"pg_publication", "oid oid, pubname name, pubowner oid, puballtables bool, pubinsert bool, pubupdate bool, pubdelete bool, pubtruncate bool, pubviaroot bool", nil},
		{"pg_publication_rel", "oid oid, prpubid oid, prrelid oid, prqual text, prattrs int2vector", nil},
		{"pg_publication_namespace", "oid oid, pnpubid oid, pnnspid oid", nil},
		{"pg_rewrite", "oid oid, rulename name, ev_class oid, ev_type char, ev_enabled char, is_instead bool, ev_qual text, ev_action text", nil},
		{"pg_trigger", "oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype int2, tgenabled char, tgisinternal bool, tgconstrrelid oid, tgconstrindid oid, tgconstraint oid, tgdeferrable bool, tginitdeferred bool, tgnargs int2, tgattr int2vector, tgargs text, tgqual text, tgoldtable name, tgnewtable name", nil},
		{"pg_extension", "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable bool, extversion text, extconfig oid[], extcondition text[]", nil},
		{"pg_auth_members", "roleid oid, member oid, grantor oid, admin_option bool", nil},
		{"pg_enum", "oid oid, enumtypid oid, enumsortorder float4, enumlabel name", nil},
		{"pg_range", "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid, rngcanonical text, rngsubdiff text", nil},
		{"pg_depend", "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, refobjsubid int4, deptype char", nil},
		{"pg_sequence", "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax int8, seqmin int8, seqcache int8, seqcycle bool", nil},
		{"pg_sequences", "schemaname name, sequencename name, sequenceowner name, data_type text, start_value int8, min_value int8, max_value int8, increment_by int8, cycle bool, cache_size int8, last_value int8", nil},
		{"pg_foreign_table", "ftrelid oid, ftserver oid, ftoptions text[]", nil},
		{"pg_foreign_server", "oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion text, srvacl aclitem[], srvoptions text[]", nil},
		{"pg_foreign_data_wrapper", "oid oid, fdwname name, fdwowner oid, fdwhandler oid, fdwvalidator oid, fdwacl aclitem[], fdwoptions text[]", nil},
		{"pg_partitioned_table", "partrelid oid, partstrat char, partnatts int2, partdefid oid, partattrs int2vector, partclass text, partcollation text, partexprs text", nil},
		{"pg_conversion", "oid oid, conname name, connamespace oid, conowner oid, conforencoding int4, contoencoding int4, conproc text, condefault bool", nil},
		{"pg_event_trigger", "oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled char, evttags text[]", nil},
		{"pg_operator", "oid oid, oprname name, oprnamespace oid, oprowner oid, oprkind char, oprleft oid, oprright oid, oprresult oid, oprcode oid", nil},
		{"pg_opclass", "oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid, opcintype oid, opcdefault bool, opckeytype oid", nil},
		{"pg_aggregate", "aggfnoid oid, aggkind char, aggnumdirectargs int2", nil},
		{"pg_cast", "oid oid, castsource oid, casttarget oid, castfunc oid, castcontext char, castmethod char", nil},
		{"pg_default_acl", "oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype char, defaclacl aclitem[]", nil},
		{"pg_locks", "locktype text, database oid, relation oid, pid int4, mode text, granted bool", nil},
		{"pg_prepared_xacts", "transaction int8, gid text, prepared timestamptz, owner name, database name", nil},
		{"pg_stat_user_tables", "relid oid, schemaname name, relname name, n_live_tup int8, n_dead_tup int8", nil},
		{"pg_subscription", "oid oid, subdbid oid, subname name, subowner oid, subenabled bool, subbinary bool, substream bool, subtwophasestate char, subdisableonerr bool, subskiplsn text, subconninfo text, subslotname name, subsynccommit text, subpublications text[]", nil},
		{"pg_largeobject_metadata", "oid oid, lomowner oid, lomacl aclitem[]", nil},
		{"pg_db_role_setting", "setdatabase oid, setrole oid, setconfig text[]", nil},
	}
}

// emptyToo are those that came later: a relation's id is its place among all, so they are the last.
func emptyToo() []definition {
	return []definition{
		{"pg_user_mapping", "oid oid, umuser oid, umserver oid, umoptions text[]", nil},
		{"pg_user_mappings", "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions text[]", nil},
		{"pg_ts_config", "oid oid, cfgname name, cfgnamespace oid, cfgowner oid, cfgparser oid", nil},
		{"pg_ts_config_map", "mapcfg oid, maptokentype int4, mapseqno int4, mapdict oid", nil},
		{"pg_ts_dict", "oid oid, dictname name, dictnamespace oid, dictowner oid, dicttemplate oid, dictinitoption text", nil},
		{"pg_ts_parser", "oid oid, prsname name, prsnamespace oid, prsstart oid, prstoken oid, prsend oid, prsheadline oid, prslextype oid", nil},
		{"pg_ts_template", "oid oid, tmplname name, tmplnamespace oid, tmplinit oid, tmpllexize oid", nil},
		{"pg_opfamily", "oid oid, opfmethod oid, opfname name, opfnamespace oid, opfowner oid", nil},
		{"pg_amop", "oid oid, amopfamily oid, amoplefttype oid, amoprighttype oid, amopstrategy int2, amoppurpose char, amopopr oid, amopmethod oid, amopsortfamily oid", nil},
		{"pg_amproc", "oid oid, amprocfamily oid, amproclefttype oid, amprocrighttype oid, amprocnum int2, amproc oid", nil},
		{"pg_parameter_acl", "oid oid, parname text, paracl aclitem[]", nil},
	}
}
