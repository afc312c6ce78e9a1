package control

import (
	"regexp"
	"strings"

	"github.com/weirstream/weir/internal/weirerr"
)

const (
	maxChangefeedName = 128
	// maxSourceName leaves room in a replication slot's 63 bytes for a prefix and a suffix.
	maxSourceName = 40
)

var (
	changefeedName = regexp.MustCompile(`^[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*$`)
	sourceName     = regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*$`)
)

// checkChangefeedName holds TiCDC's rule.
func checkChangefeedName(id string) error {
	if len(id) <= maxChangefeedName && changefeedName.MatchString(id) {
		return nil
	}
	return weirerr.New(weirerr.InvalidArgument, "%q is not a changefeed name", id).
		Hint("use letters and digits in groups joined by single '-', at most %d characters", maxChangefeedName)
}

// checkSourceName is stricter: the name becomes part of a replication slot's name.
func checkSourceName(name string) error {
	if len(name) <= maxSourceName && sourceName.MatchString(name) {
		return nil
	}
	return weirerr.New(weirerr.InvalidArgument, "%q is not a source name", name).
		Hint("use lower case letters and digits in groups joined by single '-' or '_', at most %d characters", maxSourceName)
}

// slotWord is the name as it stands in a slot's name, where '-' is not allowed.
// Two sources may not share it.
func slotWord(name string) string { return strings.ReplaceAll(name, "-", "_") }
