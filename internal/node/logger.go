package node

import (
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/secret"
)

type httpHandler = http.Handler

// newLogger writes to standard error; secrets that are known, and whatever looks
// like a URL with a password, are hidden.
func newLogger(cfg config.Logging, level *slog.LevelVar, redactor *secret.Redactor) (*slog.Logger, error) {
	if err := level.UnmarshalText([]byte(cfg.Level)); err != nil {
		return nil, err
	}
	opts := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch v := a.Value.Any().(type) {
		case string:
			a.Value = slog.StringValue(redactor.Redact(v))
		case error:
			a.Value = slog.StringValue(redactor.Redact(v.Error()))
		}
		return a
	}}
	if cfg.Format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts)), nil
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts)), nil
}

// revision is the commit this program was built from, when the build knows.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}
