package postgres

import (
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// read takes the answers, flight by flight.
func (p *pipe) read() {
	defer close(p.ended)
	for f := range p.queue {
		p.receive(f)
		p.settle(f)
	}
}

// receive reads the answer to one flight, up to its Sync's.
func (p *pipe) receive(f *flight) {
	for {
		msg, err := p.conn.ReceiveMessage(context.Background())
		if err != nil {
			if f.lost = true; f.err == nil {
				f.err = err
			}
			return
		}
		switch msg := msg.(type) {
		case *pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse:
			f.answered++
		case *pgproto3.ErrorResponse:
			f.err = pgconn.ErrorResponseToPgError(msg)
		case *pgproto3.ReadyForQuery:
			return
		}
	}
}

// settle takes a flight with its answer off the list of those under way. The
// first that fails takes all behind it along, whatever the server says of them.
func (p *pipe) settle(f *flight) {
	p.mu.Lock()
	ok := f.err == nil && len(p.failed) == 0
	if !ok {
		p.failed = append(p.failed, f)
	}
	p.mu.Unlock()
	if ok {
		p.landed(f)
	}
	p.mu.Lock()
	p.out--
	if f.commit {
		p.commits--
	}
	p.quiet.Broadcast()
	p.mu.Unlock()
	if !ok {
		select {
		case p.trouble <- struct{}{}:
		default:
		}
	}
}

func putLength(dst []byte, n int) { binary.BigEndian.PutUint32(dst, uint32(n)) }
