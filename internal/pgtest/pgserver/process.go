package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Restart stops the server if it runs and starts it again on the same data and
// port. After Kill this is PostgreSQL's crash recovery.
func (s *Server) Restart() error {
	if err := s.Stop(); err != nil {
		return err
	}
	return s.launch()
}

// Stop is a fast shutdown: sessions are ended, a checkpoint is written. It does
// nothing when the server is down.
func (s *Server) Stop() error { return s.end(syscall.SIGINT, 60*time.Second) }

// Kill ends the postmaster and all its children with SIGKILL, as the kernel's
// out-of-memory killer would, and returns when they are gone.
func (s *Server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil
	}
	pid := s.cmd.Process.Pid
	// Stopped first, so that it forks no more while we list its children.
	err := ignoreGone(s.cmd.Process.Signal(syscall.SIGSTOP))
	family := append(children(pid), pid)
	for _, p := range family {
		err = errors.Join(err, ignoreGone(syscall.Kill(p, syscall.SIGKILL)))
	}
	<-s.done
	s.cmd = nil
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		left := 0
		for _, p := range family {
			if alive(p) {
				left = p
			}
		}
		if left == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return errors.Join(err, fmt.Errorf("process %d survives SIGKILL", left))
		}
	}
}

// Close ends the server at once and removes its directory.
func (s *Server) Close() error {
	err := s.end(syscall.SIGQUIT, 20*time.Second)
	if err != nil {
		err = errors.Join(err, s.Kill())
	}
	if s.guard != nil {
		s.guard.release()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// launch starts the postmaster and waits until it answers.
func (s *Server) launch() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		return errors.New("the server runs already")
	}
	logFile, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close()
	args := []string{"-D", s.DataDir(), "-p", fmt.Sprint(s.port), "-k", s.sockDir()}
	for _, kv := range append(defaults[:len(defaults):len(defaults)], s.opts.Config...) {
		args = append(args, "-c", kv)
	}
	cmd := s.acc.command(s.dir, filepath.Join(s.bin, "postgres"), args...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in the log
		close(done)
	}()
	s.cmd, s.done = cmd, done
	if err := s.awaitReady(done); err != nil {
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		<-done
		s.cmd = nil
		return fmt.Errorf("%w; its log:\n%s", err, s.Log())
	}
	return nil
}

func (s *Server) awaitReady(done <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-done:
			return errors.New("postgres ended while starting")
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer within %v: %w", startLimit, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// end signals the postmaster and waits for its end.
func (s *Server) end(sig syscall.Signal, limit time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil
	}
	if err := ignoreGone(s.cmd.Process.Signal(sig)); err != nil {
		return err
	}
	select {
	case <-s.done:
		s.cmd = nil
		return nil
	case <-time.After(limit):
		return fmt.Errorf("postgres %d ignores %v for %v", s.cmd.Process.Pid, sig, limit)
	}
}

func ignoreGone(err error) error {
	if errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
