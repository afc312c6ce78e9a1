package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// show prints an answer: value as JSON, or text for people.
func (a *app) show(value any, text func(w io.Writer)) error {
	if a.output == "text" {
		text(a.Stdout)
		return nil
	}
	return a.printJSON(a.Stdout, value)
}

// printJSON indents. A json.RawMessage is the server's answer as it came.
func (a *app) printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// printError tells what went wrong on standard error, without secrets: arguments
// may hold some.
func (a *app) printError(err error) {
	var hide secret.Redactor
	message := hide.Redact(err.Error())
	if a.output == "json" {
		_ = a.printJSON(a.Stderr, map[string]string{"error_msg": message, "error_code": "WEIR:" + string(weirerr.CodeOf(err))})
		return
	}
	var e *weirerr.Error
	if errors.As(err, &e) && e.Remedy != "" {
		if remedy := "; " + hide.Redact(e.Remedy); strings.HasSuffix(message, remedy) {
			line(a.Stderr, "error: %s\nhint:  %s", strings.TrimSuffix(message, remedy), remedy[2:])
			return
		}
	}
	line(a.Stderr, "error: %s", message)
}

// line prints one line without trailing blanks. What cannot be printed has
// nowhere to be told.
func line(w io.Writer, format string, args ...any) {
	_, _ = io.WriteString(w, strings.TrimRight(fmt.Sprintf(format, args...), " ")+"\n")
}

// table prints rows under a header, aligned.
func table(w io.Writer, rows ...[]string) {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		line(t, "%s", strings.Join(r, "\t"))
	}
	_ = t.Flush() // into memory
	for l := range strings.Lines(b.String()) {
		line(w, "%s", strings.TrimRight(l, "\n"))
	}
}

// pairs prints names and values; pairs without a value are left out.
func pairs(w io.Writer, namesAndValues ...string) {
	var rows [][]string
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] != "" {
			rows = append(rows, namesAndValues[i:i+2])
		}
	}
	table(w, rows...)
}

// when prints a Ts with its time, for people.
func when(t ts.Ts) string {
	if t == 0 {
		return ""
	}
	return fmt.Sprintf("%s  (%s)", t, t.Time().Format("2006-01-02 15:04:05.000"))
}

// ago prints how long something lasts: 2m13s.
func (a *app) ago(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return short(a.Now().Sub(since))
}

func short(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// size prints bytes: 3.4 MiB.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

func or(s, missing string) string {
	if s == "" {
		return missing
	}
	return s
}

// printLine prints one JSON object on one line.
func printLine(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
