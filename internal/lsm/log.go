package lsm

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

// logger passes Pebble's words on.
type logger struct {
	log       *slog.Logger
	component string
}

func (l logger) Infof(format string, args ...any) {
	l.log.Debug(fmt.Sprintf(format, args...), "component", l.component)
}

func (l logger) Errorf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...), "component", l.component)
}

// events replaces what Pebble does about a damaged table, which is to end the
// process: the read that met it has the error.
func (l logger) events() *pebble.EventListener {
	return &pebble.EventListener{DataCorruption: func(info pebble.DataCorruptionInfo) {
		l.Errorf("%s", info)
	}}
}

// Fatalf must not return. Pebble calls it when a write to its log or manifest
// failed and it cannot know what is on the disk; only opening again can tell.
func (l logger) Fatalf(format string, args ...any) {
	text, hint := fmt.Sprintf(format, args...), "start weir again"
	if strings.Contains(text, syscall.ENOSPC.Error()) {
		hint = "free some space on this disk, then start weir again"
	}
	l.log.Error(text, "component", l.component, "consequence", "exit", "hint", hint)
	os.Exit(1)
}
