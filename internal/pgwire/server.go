package pgwire

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"time"
)

// Server accepts clients and serves each on a goroutine of its own.
type Server struct {
	cfg     Config
	metrics *metrics
	mock    [32]byte // what users who are not there have for keys comes from it

	mu        sync.Mutex
	conns     map[uint32]*conn // by process id
	listeners map[net.Listener]bool
	closing   bool
	done      sync.WaitGroup
}

// New makes a server; it listens nowhere yet.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults(), metrics: newMetrics(cfg.Metrics), conns: map[uint32]*conn{}, listeners: map[net.Listener]bool{}}
	_, _ = rand.Read(s.mock[:])
	return s
}

// Serve accepts clients from l until Shutdown, or until l fails. It closes l.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return net.ErrClosed
	}
	s.listeners[l] = true
	s.mu.Unlock()
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
			s.accept(c)
		case s.isClosing():
			return nil
		case isTemporary(err):
			s.cfg.Log.Warn("cannot accept an SQL client", "error", err)
			time.Sleep(100 * time.Millisecond) // out of file descriptors: let some go
		default:
			return err
		}
	}
}

// isTemporary says whether accepting may work again.
func isTemporary(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && !errors.Is(err, net.ErrClosed) && op.Op == "accept"
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// accept starts serving a client. That it is one too many it is told once it can
// understand it, so twice the limit may be in their startup at a time.
func (s *Server) accept(nc net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing || len(s.conns) >= 2*s.cfg.MaxConnections {
		nc.Close()
		return
	}
	c := newConn(s, nc, s.newKey())
	s.conns[c.process] = c
	s.done.Add(1)
	s.metrics.accepted.Inc()
	s.metrics.open.Inc()
	go func() {
		defer s.done.Done()
		defer s.forget(c)
		c.serve()
	}()
}

// newKey draws a process id that is not in use. Ids fit into an int4, as pg_backend_pid gives them.
func (s *Server) newKey() uint32 {
	for {
		var b [4]byte
		_, _ = rand.Read(b[:])
		id := binary.BigEndian.Uint32(b[:]) & 0x7fffffff
		if _, used := s.conns[id]; !used && id != 0 {
			return id
		}
	}
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c.process)
	s.metrics.open.Dec()
}

// admit counts a client as a session, if one more fits.
func (s *Server) admit(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sessions := 0
	for _, other := range s.conns {
		if other.admitted {
			sessions++
		}
	}
	c.admitted = sessions < s.cfg.MaxConnections
	return c.admitted
}

// release makes room for another session.
func (s *Server) release(c *conn) {
	s.mu.Lock()
	c.admitted = false
	s.mu.Unlock()
}

// cancel ends the statement that the client with this key runs. A wrong key does
// nothing, and says so to nobody.
func (s *Server) cancel(process uint32, secret []byte) {
	s.mu.Lock()
	c := s.conns[process]
	s.mu.Unlock()
	if c == nil || !c.knows(secret) {
		return
	}
	s.metrics.canceled.Inc()
	c.cancelStatement(errCanceled)
}

// Cancel ends the statement that a session runs, for pg_cancel_backend; false: there is
// no such session.
func (s *Server) Cancel(process uint32) bool {
	s.mu.Lock()
	c := s.conns[process]
	s.mu.Unlock()
	if c != nil {
		c.cancelStatement(errCanceled)
	}
	return c != nil
}

// Shutdown stops accepting, ends idle sessions at once and busy ones when their statement
// is complete, or when ctx ends. It returns when all are gone.
func (s *Server) Shutdown(ctx context.Context) {
	s.mu.Lock()
	s.closing = true
	for l := range s.listeners {
		l.Close()
	}
	conns := make([]*conn, 0, len(s.conns))
	for _, c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		c.retire()
	}
	gone := make(chan struct{})
	go func() {
		s.done.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return
	case <-ctx.Done():
	}
	for _, c := range conns {
		c.kill()
	}
	<-gone
}
