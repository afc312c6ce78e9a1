package secret

import (
	"os"
	"strings"

	"github.com/weirstream/weir/internal/weirerr"
)

// Lookup is where references point: the environment and the file system.
type Lookup struct {
	Env  func(name string) (value string, ok bool)
	File func(path string) ([]byte, error)
}

// OS looks references up in the process's environment and files.
func OS() Lookup { return Lookup{Env: os.LookupEnv, File: os.ReadFile} }

// IsRef tells whether s is a reference: env:NAME or file:PATH. file:// is not
// one, it is the URI of a file sink.
func IsRef(s string) bool {
	return strings.HasPrefix(s, "env:") || strings.HasPrefix(s, "file:") && !strings.HasPrefix(s, "file://")
}

// Resolve gives the string that s stands for: s itself, or what its reference
// points to, without surrounding white space. A reference that points to
// nothing is an InvalidArgument error that names it.
func (l Lookup) Resolve(s string) (string, error) {
	if !IsRef(s) {
		return s, nil
	}
	kind, name, _ := strings.Cut(s, ":")
	var value string
	if kind == "env" {
		v, ok := l.Env(name)
		if !ok {
			return "", weirerr.New(weirerr.InvalidArgument, "environment variable %s is not set", name).
				Hint("set it in the environment of weir serve and start it again")
		}
		value = v
	} else {
		b, err := l.File(name)
		if err != nil {
			return "", weirerr.New(weirerr.InvalidArgument, "cannot read the file that %s refers to", s).Wrap(err).
				Hint("the file must exist and be readable by weir serve")
		}
		value = string(b)
	}
	value = strings.TrimSpace(value)
	if value == "" {
		return "", weirerr.New(weirerr.InvalidArgument, "%s is empty", s).
			Hint("it must hold a connection string such as postgres://user@host:5432/db")
	}
	if IsRef(value) {
		return "", weirerr.New(weirerr.InvalidArgument, "%s refers to another reference", s).
			Hint("it must hold the connection string itself")
	}
	return value, nil
}
