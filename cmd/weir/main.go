// Command weir is the server and its client.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // a machine without a zone database has one all the same

	"github.com/weirstream/weir/internal/bench"
	"github.com/weirstream/weir/internal/cli"
	"github.com/weirstream/weir/internal/node"
)

// version is set by the build: -ldflags "-X main.version=v1.2.3".
var version = "dev"

func main() {
	os.Exit(cli.Run(context.Background(), cli.OS(cli.Programs{
		Version: version, Serve: node.Run, Check: node.Check, CheckSQL: node.CheckSQL,
		VerifyLog: node.VerifyLog, InspectLog: node.InspectLog,
		BenchNexmark: bench.ForCommand,
	}), os.Args[1:]))
}
