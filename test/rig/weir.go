package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// Build compiles the weir binary into dir and returns its path. WEIR_BIN names
// one that is there already.
func Build(ctx context.Context, dir string) (string, error) {
	if bin := os.Getenv("WEIR_BIN"); bin != "" {
		return filepath.Abs(bin)
	}
	bin := filepath.Join(dir, "weir")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", bin, "github.com/weirstream/weir/cmd/weir")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build weir: %w\n%s", err, out)
	}
	return bin, nil
}

// Options of a weir process.
type Options struct {
	Bin     string
	DataDir string
	// Config is the text of a weir.toml; empty for none.
	Config string
	// Args are added to "weir serve".
	Args []string
}

// Weir is one installation: a data directory, two ports, and at most one process.
type Weir struct {
	opts     Options
	httpAddr string
	sqlAddr  string

	mu   sync.Mutex
	proc *process
}

// New chooses the ports of an installation; Start starts it.
func New(opts Options) (*Weir, error) {
	httpPort, err1 := pgserver.FreePort()
	sqlPort, err2 := pgserver.FreePort()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	w := &Weir{
		opts:     opts,
		httpAddr: fmt.Sprintf("127.0.0.1:%d", httpPort),
		sqlAddr:  fmt.Sprintf("127.0.0.1:%d", sqlPort),
	}
	if opts.Config != "" {
		return w, os.WriteFile(w.configPath(), []byte(opts.Config), 0o600)
	}
	return w, nil
}

func (w *Weir) configPath() string { return w.opts.DataDir + ".toml" }

// LogPath is the file that all processes of this installation log to.
func (w *Weir) LogPath() string { return w.opts.DataDir + ".log" }

// DataDir is the installation's data directory.
func (w *Weir) DataDir() string { return w.opts.DataDir }

// Server is the URL of the HTTP port.
func (w *Weir) Server() string { return "http://" + w.httpAddr }

// SQLAddr is the host:port of the SQL port.
func (w *Weir) SQLAddr() string { return w.sqlAddr }

// readyLimit bounds a start, recovery of the log included.
const readyLimit = 60 * time.Second

// Start runs "weir serve" and returns when it answers.
func (w *Weir) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc != nil {
		return errors.New("weir runs already")
	}
	args := []string{"serve", "--data-dir", w.opts.DataDir, "--http-addr", w.httpAddr, "--sql-addr", w.sqlAddr}
	if w.opts.Config != "" {
		args = append(args, "--config", w.configPath())
	}
	p, err := startProcess(w.LogPath(), w.opts.Bin, append(args, w.opts.Args...)...)
	if err != nil {
		return err
	}
	if err := w.awaitReady(ctx, p); err != nil {
		p.end(syscall.SIGKILL, time.Minute)
		return fmt.Errorf("%w; the end of its log:\n%s", err, w.Log())
	}
	w.proc = p
	return nil
}

func (w *Weir) awaitReady(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	for {
		if err := w.Get(ctx, "/readyz", nil); err == nil {
			return nil
		} else if ctx.Err() != nil {
			return fmt.Errorf("weir is not ready within %v: %w", readyLimit, err)
		}
		select {
		case <-p.done:
			return fmt.Errorf("weir ended while starting: %w", p.err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Get asks the HTTP port and decodes the answer into into, unless it is nil.
func (w *Weir) Get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Server()+path, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %.300s", path, resp.Status, body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}

// Kill ends the process with SIGKILL, if it runs.
func (w *Weir) Kill() error { return w.end(syscall.SIGKILL, time.Minute) }

// Stop ends the process with SIGTERM, which saves the last checkpoints within
// 10 seconds.
func (w *Weir) Stop() error { return w.end(syscall.SIGTERM, 15*time.Second) }

func (w *Weir) end(sig syscall.Signal, limit time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc == nil {
		return nil
	}
	if !w.proc.end(sig, limit) {
		return fmt.Errorf("weir %d ignores %v for %v; the end of its log:\n%s", w.proc.pid, sig, limit, w.Log())
	}
	err := w.proc.err
	w.proc = nil
	if sig == syscall.SIGTERM && err != nil {
		return fmt.Errorf("weir, on SIGTERM: %w; the end of its log:\n%s", err, w.Log())
	}
	return nil
}

// Pid is the process id, 0 when it does not run.
func (w *Weir) Pid() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc == nil {
		return 0
	}
	return w.proc.pid
}

// Ended is closed when the running process has ended, by itself or not; nil
// when there is none.
func (w *Weir) Ended() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc == nil {
		return nil
	}
	return w.proc.done
}

// Log is the end of the log, at most 16 KiB.
func (w *Weir) Log() string {
	b, err := os.ReadFile(w.LogPath())
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-16<<10):])
}

// process is a child that dies with us.
type process struct {
	pid  int
	done chan struct{}
	err  error // valid once done is closed
}

// startProcess starts a child with both outputs appended to logPath. The child is
// in a process group of its own, so a Ctrl-C at the terminal is for us alone.
func startProcess(logPath, name string, args ...string) (*process, error) {
	logFile, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer logFile.Close()
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The death signal is tied to the thread that starts the child: keep it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	return p, <-started
}

// end signals the child and reports whether it ended within the limit.
func (p *process) end(sig syscall.Signal, limit time.Duration) bool {
	select {
	case <-p.done:
		return true
	default:
	}
	_ = syscall.Kill(p.pid, sig) // gone already is as good
	select {
	case <-p.done:
		return true
	case <-time.After(limit):
		return false
	}
}
