package config

import (
	"fmt"
	"strings"
)

// Reference prints the option tables of docs/configuration.md.
func Reference() string {
	var b strings.Builder
	server := DefaultServer()
	b.WriteString("### Server\n\n| option | environment, flag | default | meaning |\n|---|---|---|---|\n")
	for _, f := range Fields(&server) {
		fmt.Fprintf(&b, "| `%s` | `%s`, `--%s` | %s | %s |\n", f.Path, f.Env(), f.Flag(), code(f.String()), f.Doc)
	}
	changefeed := DefaultChangefeed()
	b.WriteString("\n### Changefeed\n\n| option | kind | default | meaning |\n|---|---|---|---|\n")
	for _, f := range Fields(&changefeed) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Path, f.Kind(), code(f.String()), f.Doc)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return "empty"
	}
	return "`" + s + "`"
}

// Effective prints the server's options, one a line, as weir.toml has them.
func (s *Server) Effective() string {
	var b strings.Builder
	for _, f := range Fields(s) {
		value := f.String()
		if f.Kind() == "text" || f.Kind() == "size" || f.Kind() == "duration" {
			value = fmt.Sprintf("%q", value)
		}
		fmt.Fprintf(&b, "%s = %s\n", f.Path, value)
	}
	return b.String()
}
