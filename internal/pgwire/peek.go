package pgwire

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// peekAfter is how long a statement runs before the client's end of the connection
// is watched.
const peekAfter = 200 * time.Millisecond

// peeker reads from a connection, and can watch, while nobody reads, whether the
// client goes away.
type peeker struct {
	conn  net.Conn
	ahead [1]byte // read while watching; for Read alone once the watch has stopped
	has   bool
}

// Read implements io.Reader. It must not be called during a watch.
func (p *peeker) Read(b []byte) (int, error) {
	if p.has && len(b) > 0 {
		b[0], p.has = p.ahead[0], false
		return 1, nil
	}
	return p.conn.Read(b)
}

// watch calls gone if the client goes away before stop is called.
func (p *peeker) watch(gone func()) (stop func()) {
	if p.has {
		return func() {} // it has sent more already: no telling
	}
	w := &watching{}
	timer := time.AfterFunc(peekAfter, func() { w.run(p, gone) })
	return func() {
		if !timer.Stop() {
			w.stop(p)
		}
	}
}

// watching is one watch whose time has come.
type watching struct {
	mu      sync.Mutex
	over    bool
	reading chan struct{} // closed when the read ahead has ended; nil: it has not begun
}

func (w *watching) run(p *peeker, gone func()) {
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		return
	}
	w.reading = make(chan struct{})
	w.mu.Unlock()
	defer close(w.reading)
	n, err := p.conn.Read(p.ahead[:])
	p.has = n == 1
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		gone()
	}
}

// stop interrupts the read and waits for its end.
func (w *watching) stop(p *peeker) {
	w.mu.Lock()
	w.over = true
	reading := w.reading
	w.mu.Unlock()
	if reading == nil {
		return
	}
	_ = p.conn.SetReadDeadline(time.Unix(1, 0))
	<-reading
	_ = p.conn.SetReadDeadline(time.Time{})
}
