package consistency

import (
	"os"
	"testing"

	"github.com/weirstream/weir/test/rig"
)

// weirBin is the weir under test, built once.
var weirBin string

func TestMain(m *testing.M) { os.Exit(rig.Built(m, &weirBin).Run()) }

// pick chooses between the short form of a test and the long one.
func pick[T any](short, long T) T {
	if os.Getenv("WEIR_SOAK") == "1" {
		return long
	}
	return short
}
