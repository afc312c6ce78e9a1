package filter

import "strings"

// Bookkeeping is the schema in which we keep our own tables in a foreign database.
const Bookkeeping = "weir"

// Filter is a parsed list of rules. It is immutable and safe for concurrent
// use. A nil Filter takes every table but the reserved ones.
type Filter struct {
	rules []rule
	all   bool // what holds before the first rule
}

type rule struct {
	text            string
	negated         bool
	namespace, name matcher
	whole           matcher // set for a regular expression that stands alone
}

// Match says whether the table is taken.
func (f *Filter) Match(namespace, name string) bool {
	if Reserved(namespace) {
		return false
	}
	if f == nil {
		return true
	}
	for i := len(f.rules) - 1; i >= 0; i-- {
		if r := &f.rules[i]; r.match(namespace, name) {
			return !r.negated
		}
	}
	return f.all
}

func (r *rule) match(namespace, name string) bool {
	if r.whole != nil {
		return r.whole.match(namespace + "." + name)
	}
	return r.namespace.match(namespace) && r.name.match(name)
}

// String prints the rules as ParseList reads them.
func (f *Filter) String() string {
	if f == nil {
		return ""
	}
	return strings.Join(f.Rules(), ",")
}

// Rules lists the rules as written, trimmed.
func (f *Filter) Rules() []string {
	if f == nil {
		return nil
	}
	out := make([]string, len(f.rules))
	for i := range f.rules {
		out[i] = f.rules[i].text
	}
	return out
}

// Reserved says whether a schema belongs to the server or to us: its tables are
// never captured, whatever the rules say.
func Reserved(namespace string) bool {
	switch namespace {
	case "pg_catalog", "information_schema", Bookkeeping:
		return true
	}
	return strings.HasPrefix(namespace, "pg_toast") || strings.HasPrefix(namespace, "pg_temp")
}
