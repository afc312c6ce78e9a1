package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/weirstream/weir/test/rig"
)

// weirBin is the weir under test, built once.
var weirBin string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "weir-crash-")
	if err == nil {
		weirBin, err = rig.Build(context.Background(), dir)
	}
	if err != nil {
		fmt.Println(errors.Join(err, os.RemoveAll(dir)))
		return 1
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return code
}

// soak picks the long form of a test.
func soak() bool { return os.Getenv("WEIR_SOAK") == "1" }

func pick[T any](short, long T) T {
	if soak() {
		return long
	}
	return short
}

// pause lets real time pass: writers go on meanwhile. It is no synchronisation.
func pause(d time.Duration) { <-time.After(d) }
