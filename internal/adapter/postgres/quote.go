package postgres

import "strings"

// quoteIdent writes a name as a quoted identifier.
func quoteIdent(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// quoteTable writes a qualified table name.
func quoteTable(namespace, name string) string { return quoteIdent(namespace) + "." + quoteIdent(name) }

// quoteLiteral writes a value as a string literal, right under either setting of
// standard_conforming_strings.
func quoteLiteral(value string) string {
	q := `'` + strings.ReplaceAll(value, `'`, `''`) + `'`
	if strings.Contains(q, `\`) {
		return ` E` + strings.ReplaceAll(q, `\`, `\\`)
	}
	return q
}

// quoteIdents writes a comma separated list of names.
func quoteIdents(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoteIdent(n))
	}
	return b.String()
}
