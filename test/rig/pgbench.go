package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// PgbenchTables are what pgbench -i makes; the history has no key.
var PgbenchTables = []string{"public.pgbench_accounts", "public.pgbench_branches", "public.pgbench_tellers", "public.pgbench_history"}

// PgbenchInit makes and fills pgbench's tables: scale x 100,000 accounts.
func PgbenchInit(ctx context.Context, url string, scale int) error {
	tool, err := pgserver.Tool("pgbench")
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, tool, "-i", "-q", "-s", fmt.Sprint(scale), url).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pgbench -i: %w\n%s", err, out)
	}
	return nil
}

// Pgbench is a running pgbench.
type Pgbench struct{ proc *process }

// StartPgbench runs pgbench's TPC-B transactions at a rate (0: as fast as it
// can) until it is stopped, or until its server goes away. Extra arguments, such
// as -f FILE, replace the transactions.
func StartPgbench(url, logPath string, clients, rate int, extra ...string) (*Pgbench, error) {
	tool, err := pgserver.Tool("pgbench")
	if err != nil {
		return nil, err
	}
	args := []string{"-n", "-c", fmt.Sprint(clients), "-j", "1", "-T", "100000"}
	if rate > 0 {
		args = append(args, "-R", fmt.Sprint(rate))
	}
	p, err := startProcess(logPath, tool, append(append(args, extra...), url)...)
	if err != nil {
		return nil, err
	}
	select {
	case <-p.done: // wrong arguments, say
		text, _ := os.ReadFile(logPath)
		return nil, errors.New("pgbench: " + strings.TrimSpace(string(text)))
	case <-time.After(50 * time.Millisecond):
		return &Pgbench{p}, nil
	}
}

// Done is closed when pgbench has ended by itself: its server went away.
func (b *Pgbench) Done() <-chan struct{} { return b.proc.done }

// Stop ends pgbench at once; its open transactions are rolled back.
func (b *Pgbench) Stop() { b.proc.end(syscall.SIGKILL, time.Minute) }
