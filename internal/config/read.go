package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/weirstream/weir/internal/weirerr"
)

// ReadServer reads a file's text over s. Name is the file's, for errors.
func (s *Server) ReadServer(name string, text []byte) error { return readTOML(name, text, s) }

// ReadTOML reads a file's text over c. Name is the file's, for errors.
func (c *Changefeed) ReadTOML(name string, text []byte) error { return readTOML(name, text, c) }

// ReadJSON reads a JSON object over c: only the keys it has change.
func (c *Changefeed) ReadJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		msg := strings.TrimPrefix(err.Error(), "json: ")
		e := weirerr.New(weirerr.InvalidArgument, "config: %s", msg)
		if key, ok := strings.CutPrefix(msg, "unknown field "); ok {
			e.Hint("%s", suggest(strings.Trim(key, `"`), Fields(c)))
		}
		return e
	}
	return nil
}

func readTOML(name string, text []byte, into any) error {
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(into)
	if err == nil {
		return nil
	}
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) && len(missing.Errors) > 0 {
		first := &missing.Errors[0]
		line, _ := first.Position()
		key := strings.Join(first.Key(), ".")
		return weirerr.New(weirerr.InvalidArgument, "%s:%d: unknown option %s", name, line, key).
			Hint("%s", suggest(key, Fields(into)))
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, column := bad.Position()
		at := fmt.Sprintf("%s:%d:%d", name, line, column)
		return weirerr.New(weirerr.InvalidArgument, "%s: %s", at, strings.TrimPrefix(bad.Error(), "toml: ")).
			With("option", strings.Join(bad.Key(), "."))
	}
	return weirerr.New(weirerr.InvalidArgument, "%s: %v", name, err)
}

// suggest names the option that was perhaps meant.
func suggest(key string, known []Field) string {
	best, distance := "", 1+len(key)/3
	for _, f := range known {
		last := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
		given := key[strings.LastIndexByte(key, '.')+1:]
		if last == given {
			return "the option is called " + f.Path
		}
		if d := min(editDistance(key, f.Path), editDistance(given, last)); d <= distance {
			best, distance = f.Path, d-1
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return "docs/configuration.md lists the options"
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
