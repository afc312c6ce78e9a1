package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Runner is a test package: *testing.M.
type Runner interface{ Run() int }

// Built is m with a weir that is built before its tests run and removed behind
// them; the path is in *bin meanwhile. Run returns 1 when that fails.
//
//	var weirBin string
//	func TestMain(m *testing.M) { os.Exit(rig.Built(m, &weirBin).Run()) }
func Built(m Runner, bin *string) Runner { return built{m, bin} }

type built struct {
	tests Runner
	bin   *string
}

func (b built) Run() int {
	dir, err := os.MkdirTemp("", "weir-test-")
	if err == nil {
		*b.bin, err = Build(context.Background(), dir)
	}
	if err != nil {
		fmt.Println(errors.Join(err, os.RemoveAll(dir)))
		return 1
	}
	code := b.tests.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Println(err)
		return 1
	}
	return code
}
