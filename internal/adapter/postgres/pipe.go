package postgres

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// pipe sends statements ahead of their answers, so that the server's backend
// finds the next transaction behind the commit of the one before.
//
//	     flight                       flight
//	BEGIN  COPY  data…  Sync │ position  COMMIT  Sync │ BEGIN …   ──► server
//	                                                   answers    ──► reader
//
// A flight is what ends with one Sync. When a statement fails, the server skips
// what is left of its flight, and since the transaction is aborted, or the
// position is not where the next one expects it, every later flight fails too:
// the first failure is the one that counts, and nothing behind it has happened.
//
// One goroutine writes; the reader is another. While nothing is under way the
// connection can be used as usual.
type pipe struct {
	conn *pgconn.PgConn
	buf  []byte
	fate error // of writing: the first error

	queue   chan *flight  // written, to be answered in this order
	landed  func(*flight) // called by the reader for each that succeeded
	trouble chan struct{} // a flight has failed
	ended   chan struct{} // the reader has

	mu      sync.Mutex
	quiet   sync.Cond
	out     int       // flights without an answer
	commits int       // of them
	failed  []*flight // the first that failed, and all behind it
}

// flight is one piece, or one commit, on its way.
type flight struct {
	before state // of the applier, to go back to

	piece *piece

	commit bool
	then   commit
	cas    int // which statement moves the position

	answered int   // statements that succeeded
	err      error // why statement number answered did not
	lost     bool  // the connection is, so nobody knows what happened
}

// Data goes to the socket in pieces of about pipeWrite; flights bounds how many
// may wait for an answer.
const (
	pipeWrite = 128 << 10
	copyFrame = 64 << 10
	flights   = 64
)

func newPipe(conn *pgconn.PgConn, landed func(*flight)) *pipe {
	p := &pipe{
		conn: conn, landed: landed, queue: make(chan *flight, flights),
		trouble: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	p.quiet.L = &p.mu
	go p.read()
	return p
}

// parse names a statement in the session.
func (p *pipe) parse(name, sql string) { p.encode(&pgproto3.Parse{Name: name, Query: sql}) }

// plain adds a statement without parameters.
func (p *pipe) plain(sql string) {
	p.parse("", sql)
	p.exec("", nil, nil)
}

// exec adds a statement that has been parsed; formats as in pgproto3.Bind.
func (p *pipe) exec(name string, params [][]byte, formats []int16) {
	p.encode(&pgproto3.Bind{PreparedStatement: name, Parameters: params, ParameterFormatCodes: formats})
	p.encode(&pgproto3.Execute{})
	p.spill()
}

// copyIn adds a COPY and its data. Should the COPY fail, the server skips the data.
func (p *pipe) copyIn(sql string, r io.Reader) {
	p.plain(sql)
	for {
		at := len(p.buf)
		p.buf = append(p.buf, 'd', 0, 0, 0, 0)
		p.buf = append(p.buf, make([]byte, copyFrame)...)
		n, err := r.Read(p.buf[at+5:])
		p.buf = p.buf[:at+5+n]
		if n == 0 || err != nil {
			p.buf = p.buf[:at]
			break
		}
		putLength(p.buf[at+1:], n+4)
		p.spill()
	}
	p.encode(&pgproto3.CopyDone{})
}

// send ends a flight.
func (p *pipe) send(f *flight) error {
	p.encode(&pgproto3.Sync{})
	p.mu.Lock()
	p.out++
	if f.commit {
		p.commits++
	}
	p.mu.Unlock()
	select {
	case p.queue <- f:
	default: // the reader waits for answers to what is not sent yet
		p.flush()
		p.queue <- f
	}
	return p.fate
}

func (p *pipe) encode(m pgproto3.FrontendMessage) {
	buf, err := m.Encode(p.buf)
	if err != nil {
		p.breakOff(err)
		return
	}
	p.buf = buf
}

func (p *pipe) spill() {
	if len(p.buf) >= pipeWrite {
		p.flush()
	}
}

// flush passes to the socket what is buffered.
func (p *pipe) flush() error {
	if p.fate == nil && len(p.buf) > 0 {
		if _, err := p.conn.Conn().Write(p.buf); err != nil {
			p.breakOff(err)
		}
	}
	p.buf = p.buf[:0]
	return p.fate
}

// breakOff gives the connection up; the reader notices.
func (p *pipe) breakOff(err error) {
	if p.fate == nil {
		p.fate = err
	}
	p.cut()
}

// cut makes reading and writing fail from now on. It may be called by anyone.
func (p *pipe) cut() { _ = p.conn.Conn().SetDeadline(time.Unix(1, 0)) }

// wait returns when every flight has its answer: those that failed, the first
// first, and all behind it. The pipe can be used again.
func (p *pipe) wait() []*flight {
	p.flush()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.out > 0 {
		p.quiet.Wait()
	}
	failed := p.failed
	p.failed = nil
	return failed
}

// committed returns when no commit is under way any more, or ctx ends.
func (p *pipe) committed(ctx context.Context) {
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.quiet.Broadcast()
	})()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.commits > 0 && ctx.Err() == nil {
		p.quiet.Wait()
	}
}

// refused tells whether a flight has failed, and idle whether none is under way.
func (p *pipe) refused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.failed) > 0
}

func (p *pipe) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out == 0
}

// close ends the reader; the connection must have been cut unless it is idle.
func (p *pipe) close() {
	close(p.queue)
	<-p.ended
}
