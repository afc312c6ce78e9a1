package file

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/codec/debezium"
	"github.com/weirstream/weir/internal/weirerr"
)

// FormatDebezium is the one format there is.
const FormatDebezium = "debezium-json"

// Config says where and how to write. Parse makes one from a URI.
type Config struct {
	Dir         string           // absolute
	Format      string           // debezium-json
	FileBytes   int64            // a data file that reaches it is closed; 64 MiB, 0: never
	FileAge     time.Duration    // a data file that reaches it is closed; 0: never
	FileCommits int              // a data file of so many commits is closed; 10000, 0: never
	Resolved    time.Duration    // least distance of resolved lines; 10 s, 0: none
	Mode        fs.FileMode      // of data files and the manifest; 0640
	Encoding    debezium.Options // Source is filled in by the caller
}

// Parse reads file:///dir?option=value&…; TargetConfig when it makes no sense.
//
//	format=debezium-json  file_size=64MiB  file_age=1h  file_commits=10000
//	resolved=10s  mode=0640  schemas=true
//	decimal=precise|string|double  interval=numeric|string
func Parse(uri string) (Config, error) {
	c := Config{Format: FormatDebezium, FileBytes: 64 << 20, FileCommits: 10_000, Resolved: 10 * time.Second, Mode: 0o640}
	u, err := url.Parse(uri)
	if err != nil {
		return c, refuse("the sink URI cannot be read").Wrap(err)
	}
	if u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path) || u.User != nil {
		return c, refuse("%q is not a file sink", u.Redacted())
	}
	c.Dir = filepath.Clean(u.Path)
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return c, refuse("the options of the sink URI cannot be read").Wrap(err)
	}
	for name, values := range query {
		if err := c.set(name, values[len(values)-1]); err != nil {
			return c, err
		}
	}
	_, err = debezium.New(c.Encoding)
	return c, err
}

// Check makes the directory of a configuration, and proves that files can be made there.
func (c *Config) Check() error {
	if err := os.MkdirAll(c.Dir, 0o750); err != nil {
		return failed("make the directory", c.Dir, err)
	}
	f, err := os.CreateTemp(c.Dir, ".weir-check-*")
	if err != nil {
		return failed("make a file", c.Dir, err)
	}
	return failed("make a file", f.Name(), errors.Join(f.Close(), os.Remove(f.Name())))
}

func refuse(format string, args ...any) *weirerr.Error {
	return weirerr.New(weirerr.TargetConfig, format, args...).
		Hint("write it as file:///absolute/dir?file_size=64MiB&resolved=10s")
}

func (c *Config) set(name, value string) (err error) {
	ok := true
	switch name {
	case "format":
		c.Format, ok = value, value == FormatDebezium
	case "file_size":
		c.FileBytes, ok = parseSize(value)
	case "file_age":
		c.FileAge, err = time.ParseDuration(value)
		ok = c.FileAge >= 0
	case "file_commits":
		c.FileCommits, err = strconv.Atoi(value)
		ok = c.FileCommits > 0
	case "resolved":
		c.Resolved, err = time.ParseDuration(value)
		ok = c.Resolved >= 0
	case "mode":
		var bits uint64
		bits, err = strconv.ParseUint(value, 8, 32)
		// Whoever writes must be able to read its own files again.
		c.Mode, ok = fs.FileMode(bits), bits <= 0o777 && bits&0o600 == 0o600
	case "schemas":
		c.Encoding.Schemas, err = strconv.ParseBool(value)
	case "decimal":
		c.Encoding.Decimal = value
	case "interval":
		c.Encoding.Interval = value
	default:
		return refuse("the file sink has no option %q", name)
	}
	if err != nil || !ok {
		return refuse("%q is no value for the option %s of the file sink", value, name)
	}
	return nil
}

// parseSize reads a number of bytes, of at least 1 KiB: 1048576, 64MiB, 1GiB.
func parseSize(s string) (int64, bool) {
	shift := 0
	for unit, n := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, ok := strings.CutSuffix(s, unit); ok {
			s, shift = rest, n
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > 1<<62>>shift {
		return 0, false
	}
	return n << shift, n<<shift >= 1<<10
}
