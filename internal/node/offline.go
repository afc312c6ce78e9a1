package node

import (
	"context"

	"github.com/weirstream/weir/internal/cli"
)

// VerifyLog checks every record of the log in a data directory, reading only.
func VerifyLog(ctx context.Context, dataDir string) ([]cli.LogReport, error) {
	return cli.VerifyLocal(ctx, LogDir(dataDir))
}

// InspectLog calls each with the entries of the log in a data directory.
func InspectLog(ctx context.Context, dataDir string, which cli.LogSelection, each func(cli.LogEntry) error) error {
	return cli.InspectLocal(ctx, LogDir(dataDir), which, each)
}
