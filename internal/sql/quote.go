package sql

import "strings"

// QuoteIdent writes a name so that it is read back as it is: in double quotes if it
// has other than lower case letters, digits and _, or is a word of the grammar.
func QuoteIdent(name string) string {
	plain := name != "" && !keywords[name]
	for i := 0; plain && i < len(name); i++ {
		b := name[i]
		plain = 'a' <= b && b <= 'z' || b == '_' || i > 0 && ('0' <= b && b <= '9' || b == '$')
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteString writes a string constant.
func QuoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// keywords are PostgreSQL's that may not stand everywhere as a name.
var keywords = wordSet(`
	all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast char
	character check coalesce collate collation column concurrently constraint create cross current_catalog current_date current_role
	current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do else end except
	exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in initially inner inout
	int integer intersect interval into is isnull join json json_array json_arrayagg json_exists json_object json_objectagg json_query
	json_scalar json_serialize json_table json_value lateral leading least left like limit localtime localtimestamp merge_action
	national natural nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
	placing position precision primary real references returning right row select session_user setof similar smallint some
	substring symmetric system_user table tablesample then time timestamp to trailing treat trim true union unique user
	using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest
	xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
