package expr

// setColumns are the columns of the set functions that have several.
var setColumns = map[string][]string{
	"json_each": {"key", "value"}, "jsonb_each": {"key", "value"}, "json_each_text": {"key", "value"}, "jsonb_each_text": {"key", "value"},
	"pg_options_to_table": {"option_name", "option_value"},
	"pg_partition_tree":   {"relid", "parentrelid", "isleaf", "level"},
}

// columnSet is what the function of a column behind the first is called; no statement can call it.
func columnSet(name, column string) string { return name + " " + column }

// SetColumns are the columns of a set function of several, and the functions that make them; nil for any other.
func SetColumns(name string) (columns, functions []string) {
	for i, c := range setColumns[name] {
		f := name
		if i > 0 {
			f = columnSet(name, c)
		}
		columns, functions = append(columns, c), append(functions, f)
	}
	return columns, functions
}

// declareCatalogSets declares what clients ask about partitions and options of foreign servers: there are none.
func declareCatalogSets(r *Registry) {
	for name, types := range map[string][]string{
		"pg_options_to_table": {"text[]", "text", "text"}, "pg_partition_tree": {"regclass", "regclass", "regclass", "bool", "int4"},
	} {
		_, functions := SetColumns(name)
		for i, f := range functions {
			r.set(f+"("+types[0]+") "+types[i+1], func(*site) func(r *Row) error { return func(*Row) error { return nil } })
		}
	}
}
