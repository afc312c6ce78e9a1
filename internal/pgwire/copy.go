package pgwire

import (
	"strings"

	"github.com/weirstream/weir/internal/sql"
)

// CopyFormat is how rows of a COPY are written.
type CopyFormat uint8

// Formats of COPY.
const (
	CopyText CopyFormat = iota
	CopyCSV
	CopyBinary
)

// Copy says how a COPY goes.
type Copy struct {
	From   bool   // FROM STDIN; else TO STDOUT
	Target string // the relation's name, for messages
	Format CopyFormat

	Delimiter     byte
	Null          string
	Header        bool // the first line is names
	Match         bool // and they must be those of the columns
	Quote, Escape byte // of CSV
	// Columns that are always quoted, compared with Null even when quoted, and never NULL, by name.
	ForceQuote, ForceNull, ForceNotNull []string
	ForceQuoteAll                       bool
}

// NewCopy reads the options of COPY, as sql.Copy has them.
func NewCopy(target string, from bool, options []sql.Option) (*Copy, error) {
	c := &Copy{From: from, Target: target, Delimiter: '\t', Null: `\N`}
	given := map[string]sql.Option{}
	for _, o := range options {
		if _, twice := given[o.Name]; twice {
			return nil, optionError(sql.SyntaxError, o, "conflicting or redundant options")
		}
		given[o.Name] = o
	}
	if err := c.format(given); err != nil {
		return nil, err
	}
	for _, o := range options {
		if err := c.option(o); err != nil {
			return nil, err
		}
	}
	if c.Format == CopyCSV && c.Escape == 0 {
		c.Escape = c.Quote
	}
	return c, c.consistent(given)
}

func optionError(code string, o sql.Option, format string, args ...any) error {
	e := fail(code, format, args...)
	e.Pos = int(o.At)
	return e
}

// format comes first: it decides the defaults of the others.
func (c *Copy) format(given map[string]sql.Option) error {
	o, ok := given["format"]
	if !ok {
		return nil
	}
	switch o.Value {
	case "text":
	case "csv":
		c.Format, c.Delimiter, c.Null, c.Quote = CopyCSV, ',', "", '"'
	case "binary":
		c.Format = CopyBinary
	default:
		return optionError(sql.InvalidParameter, o, "COPY format \"%s\" not recognized", o.Value)
	}
	return nil
}

func (c *Copy) option(o sql.Option) (err error) {
	switch o.Name {
	case "format", "freeze":
	case "delimiter":
		c.Delimiter, err = single(o, "delimiter")
	case "null":
		c.Null = o.Value
	case "header":
		c.Header, c.Match, err = header(o, c.From)
	case "quote":
		c.Quote, err = single(o, "quote")
	case "escape":
		c.Escape, err = single(o, "escape")
	case "force_quote":
		c.ForceQuote, c.ForceQuoteAll = strings.Split(o.Value, ","), o.Value == "*"
	case "force_null":
		c.ForceNull = strings.Split(o.Value, ",")
	case "force_not_null":
		c.ForceNotNull = strings.Split(o.Value, ",")
	case "encoding":
		if !IsUTF8(o.Value) {
			err = optionError(sql.FeatureNotSupported, o, "COPY in the encoding %s is not supported", o.Value)
		}
	default:
		err = optionError(sql.SyntaxError, o, "option \"%s\" not recognized", o.Name)
	}
	return err
}

// single reads an option that is one byte.
func single(o sql.Option, what string) (byte, error) {
	if len(o.Value) != 1 {
		return 0, optionError(sql.FeatureNotSupported, o, "COPY %s must be a single one-byte character", what)
	}
	return o.Value[0], nil
}

func header(o sql.Option, from bool) (on, match bool, err error) {
	switch strings.ToLower(o.Value) {
	case "true", "on", "1":
		return true, false, nil
	case "false", "off", "0":
		return false, false, nil
	case "match":
		if from {
			return true, true, nil
		}
		return false, false, optionError(sql.FeatureNotSupported, o, "cannot use \"match\" with HEADER in COPY TO")
	}
	return false, false, optionError(sql.SyntaxError, o, "header requires a Boolean value or \"match\"")
}

// consistent checks the options against each other.
func (c *Copy) consistent(given map[string]sql.Option) error {
	for _, name := range []string{"delimiter", "null", "header"} {
		if o, ok := given[name]; ok && c.Format == CopyBinary {
			return optionError(sql.SyntaxError, o, "cannot specify %s in BINARY mode", strings.ToUpper(name))
		}
	}
	for _, name := range []string{"quote", "escape", "force_quote", "force_not_null", "force_null"} {
		if o, ok := given[name]; ok && c.Format != CopyCSV {
			return optionError(sql.FeatureNotSupported, o, "COPY %s available only in CSV mode", strings.ReplaceAll(name, "_", " "))
		}
	}
	if o, ok := given["force_quote"]; ok && c.From {
		return optionError(sql.FeatureNotSupported, o, "COPY force quote only available using COPY TO")
	}
	for _, name := range []string{"force_not_null", "force_null"} {
		if o, ok := given[name]; ok && !c.From {
			return optionError(sql.FeatureNotSupported, o, "COPY %s only available using COPY FROM", strings.ReplaceAll(name, "_", " "))
		}
	}
	return c.distinct()
}

// distinct checks that no two signs are taken for each other.
func (c *Copy) distinct() error {
	const textual = `\.abcdefghijklmnopqrstuvwxyz0123456789`
	switch {
	case c.Format == CopyBinary:
	case c.Delimiter == '\n' || c.Delimiter == '\r':
		return fail(sql.InvalidParameter, "COPY delimiter cannot be newline or carriage return")
	case strings.ContainsAny(c.Null, "\r\n"):
		return fail(sql.InvalidParameter, "COPY null representation cannot use newline or carriage return")
	case c.Format == CopyText && strings.IndexByte(textual, c.Delimiter) >= 0:
		return fail(sql.InvalidParameter, "COPY delimiter cannot be \"%c\"", c.Delimiter)
	case strings.IndexByte(c.Null, c.Delimiter) >= 0:
		return fail(sql.FeatureNotSupported, "COPY delimiter must not appear in the NULL specification")
	case c.Format == CopyCSV && c.Delimiter == c.Quote:
		return fail(sql.InvalidParameter, "COPY delimiter and quote must be different")
	case c.Format == CopyCSV && strings.IndexByte(c.Null, c.Quote) >= 0:
		return fail(sql.FeatureNotSupported, "CSV quote character must not appear in the NULL specification")
	}
	return nil
}
