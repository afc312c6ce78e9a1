package crash

import (
	"os"
	"testing"
	"time"

	"github.com/weirstream/weir/test/rig"
)

// weirBin is the weir under test, built once.
var weirBin string

func TestMain(m *testing.M) { os.Exit(rig.Built(m, &weirBin).Run()) }

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
