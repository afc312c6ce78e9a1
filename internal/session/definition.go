package session

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/sql"
)

func text(n int64) string { return strconv.FormatInt(n, 10) }

// showCreate is SHOW CREATE kind name.
func (s *Session) showCreate(x *sql.Show) (*task, error) {
	kind := strings.TrimPrefix(x.What, "create ")
	title := "Create"
	for word := range strings.FieldsSeq(kind) {
		title += " " + strings.ToUpper(word[:1]) + word[1:]
	}
	return shows(says("SHOW"), newTable("Name", title).columns, func(context.Context) (*table, error) {
		t := newTable("Name", title)
		if kind == "changefeed" {
			c, err := s.changefeed(x.Name)
			if err != nil {
				return nil, err
			}
			t.row(c.Name, maskStatement(c.Text))
			return t, nil
		}
		r, err := s.db.Catalog().Find(x.Name, kindsOf(kind)...)
		if err != nil {
			return nil, err
		}
		t.row(r.Schema+"."+r.Name, Definition(s.db.Catalog(), r))
		return t, nil
	}), nil
}

// kindsOf are the kinds of relation that a statement's word means.
func kindsOf(word string) []catalog.Kind {
	switch word {
	case "table":
		return []catalog.Kind{catalog.KindTable, catalog.KindCapture}
	case "view":
		return []catalog.Kind{catalog.KindView}
	case "materialized view":
		return []catalog.Kind{catalog.KindMatView}
	case "source":
		return []catalog.Kind{catalog.KindSource}
	}
	return nil
}

// Definition writes the statement that would make a relation again, secrets masked.
func Definition(cat *catalog.Catalog, r *catalog.Relation) string {
	name := qualified(r)
	switch r.Kind {
	case catalog.KindView, catalog.KindMatView:
		return "CREATE " + strings.ToUpper(string(r.Kind)) + " " + name + " AS " + r.Query
	case catalog.KindSource:
		return "CREATE SOURCE " + name + columnList(r) + " WITH (" + optionList(r.Options) + ")"
	case catalog.KindCapture:
		def := "CREATE TABLE " + name + columnList(r)
		if src := cat.Get(r.Source); src != nil && r.Upstream != nil {
			def += " FROM " + qualified(src) + " TABLE " + sql.QuoteString(r.Upstream.Namespace+"."+r.Upstream.Name)
		}
		return def
	}
	def := "CREATE TABLE " + name + columnList(r)
	if r.AppendOnly {
		def += " APPEND ONLY"
	}
	return def
}

// qualified is a relation's name, with its schema where that is not public.
func qualified(r *catalog.Relation) string {
	if r.Schema == catalog.Public {
		return sql.QuoteIdent(r.Name)
	}
	return sql.QuoteIdent(r.Schema) + "." + sql.QuoteIdent(r.Name)
}

func columnList(r *catalog.Relation) string {
	var parts, key []string
	for i, c := range r.Columns {
		if c.Hidden {
			continue
		}
		p := sql.QuoteIdent(c.Name) + " " + expr.FormatType(c.Type)
		if c.Default != "" {
			p += " DEFAULT " + c.Default
		}
		if c.NotNull && !slices.Contains(r.Key, i) {
			p += " NOT NULL"
		}
		parts = append(parts, p)
	}
	for _, k := range r.Key {
		if !r.Columns[k].Hidden {
			key = append(key, sql.QuoteIdent(r.Columns[k].Name))
		}
	}
	if len(key) > 0 {
		parts = append(parts, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// optionList writes options by name, without what they hide.
func optionList(options map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		value := options[name]
		if isSecret(name) {
			value = "***"
		}
		parts = append(parts, optionName(name)+" = "+sql.QuoteString(secret.Mask(value)))
	}
	return strings.Join(parts, ", ")
}

// optionName quotes the parts of a name that need it.
func optionName(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" { // a word of the grammar may stand here
			parts[i] = sql.QuoteIdent(p)
		}
	}
	return strings.Join(parts, ".")
}

func isSecret(option string) bool {
	for _, word := range []string{"password", "secret", "token", "access_key", "accesskey"} {
		if strings.Contains(option, word) {
			return true
		}
	}
	return false
}

// secretValue is a string behind the name of a secret: PASSWORD 'x', secret_key = 'x'.
var secretValue = regexp.MustCompile(`(?i)((?:password|secret|token|access_?key)[\w."]*\s*=?\s*)'(?:[^']|'')*'`)

// maskStatement hides what a statement's strings give away: values of secrets, passwords in URLs.
func maskStatement(text string) string {
	parts := strings.Split(secretValue.ReplaceAllString(text, "$1'***'"), "'")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = secret.Mask(parts[i])
	}
	return strings.Join(parts, "'")
}

// shown is a statement's text as other sessions may see it.
func (st *statement) shown() string {
	switch st.stmt.(type) {
	case *sql.CreateUser, *sql.CreateSource, *sql.CreateChangefeed:
		return maskStatement(st.own)
	}
	return st.own
}

func (s *Session) explainTask(st *statement, x *sql.Explain) (*task, error) {
	for _, o := range x.Options {
		if o.Name == "analyze" && isTrue(o.Value) {
			return nil, failAt(sql.FeatureNotSupported, int(o.At), "EXPLAIN ANALYZE is not supported")
		}
	}
	lines, err := s.explain(st, x.Body)
	if err != nil {
		return nil, err
	}
	return shows(says("EXPLAIN"), newTable("QUERY PLAN").columns, func(context.Context) (*table, error) {
		t := newTable("QUERY PLAN")
		for _, l := range lines {
			t.row(l)
		}
		return t, nil
	}), nil
}

// explain writes the plan of a statement.
func (s *Session) explain(st *statement, body sql.Statement) ([]string, error) {
	cat, reg, o := s.db.Catalog(), s.o.o.Functions, planOptions(st)
	bind := func(q *sql.Select, view bool) ([]string, error) {
		o.View = view
		p, err := plan.Bind(cat, reg, q, o)
		if err != nil {
			return nil, err
		}
		return plan.Explain(p), nil
	}
	switch x := body.(type) {
	case *sql.Query:
		return bind(x.Select, false)
	case *sql.CreateView:
		return bind(x.Query, x.Materialized)
	case *sql.Subscribe:
		return bind(x.Query, false)
	case *sql.CreateTable:
		if x.Query != nil {
			return bind(x.Query, false)
		}
	case *sql.Declare:
		return s.explain(st, x.Body)
	case *sql.Execute:
		inner, err := s.statement(x.Name)
		if err != nil {
			return nil, err
		}
		return s.explain(inner, inner.stmt)
	case *sql.Insert, *sql.Update, *sql.Delete:
		ch, err := s.bindChange(st, body)
		if err != nil {
			return nil, err
		}
		head := fmt.Sprintf("%s %s", strings.Fields(changeTags[ch.Kind])[0], ch.Relation.Name)
		return append([]string{head}, indent(plan.Explain(ch.Rows))...), nil
	}
	return nil, unsupported("EXPLAIN of this statement", -1)
}

func indent(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = "  " + l
		if i == 0 {
			out[i] = "└ " + l
		}
	}
	return out
}
