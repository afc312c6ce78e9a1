package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/weirerr"
)

// aliveEvery bounds how often a busy neighbour database's WAL moves our position.
const aliveEvery = 50 * time.Millisecond

// stream is one replication connection.
//
//	run (the caller's goroutine)  reads, decodes, calls the handler
//	tend                          acknowledges, watches for silence, ends the read with ctx
//	beat                          heartbeats while nothing is committed
type stream struct {
	src   *Source
	h     capture.Handler
	wire  *wire
	conn  net.Conn
	batch *batching // under conn; nil when it is no TCP connection
	dec   *decoder

	whole    bool          // transactions come when they committed, large ones too
	timeout  time.Duration // the server's wal_sender_timeout
	received atomic.Uint64 // the highest LSN the server told
	commits  atomic.Uint64 // counts positions that moved, for the heartbeat
	asked    chan struct{} // the server wants a status update
	silent   atomic.Bool   // the server said nothing for too long
	alive    time.Time     // of the last Alive that a keepalive caused
}

// Stream implements capture.Upstream.
func (s *Source) Stream(ctx context.Context, from []byte, h capture.Handler) error {
	at, err := LSNOf(from)
	if err != nil {
		return err
	}
	st := &stream{src: s, h: h, asked: make(chan struct{}, 1), whole: s.whole.Swap(false)}
	if st.timeout, err = s.senderTimeout(ctx); err != nil {
		return err
	}
	pg, err := st.start(ctx, at)
	if err != nil {
		return err
	}
	hijacked, err := pg.Hijack()
	if err != nil {
		return upstream.wrap(err, "cannot take over the replication connection")
	}
	defer hijacked.Conn.Close()
	st.conn = hijacked.Conn

	s.mu.Lock()
	triggered := s.triggered
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	sh := newShapes(ctx, s.lookups, triggered, s.log)
	st.dec = newDecoder(h, sh, s.cfg.Tables.Match, s.cfg.Slot)
	sh.decoder = st.dec
	st.dec.position = at
	st.received.Store(uint64(at))

	var helpers sync.WaitGroup
	helpers.Go(func() { st.tend(ctx) })
	helpers.Go(func() { st.beat(ctx) })
	err = st.run(hijacked.Frontend)
	ended := ctx.Err() != nil
	cancel()
	helpers.Wait()
	if ended {
		st.farewell()
		return context.Canceled
	}
	if sqlState(err) == "XX000" && !st.whole {
		s.log.Warn("the server cannot stream a transaction in progress; taking transactions whole until the next connection", "error", err)
		s.whole.Store(true)
	}
	return err
}

// senderTimeout reads wal_sender_timeout; a minute when it is switched off.
func (s *Source) senderTimeout(ctx context.Context) (d time.Duration, err error) {
	var ms int64
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT setting::int8 FROM pg_settings WHERE name = 'wal_sender_timeout'`).Scan(&ms)
	})
	if err != nil {
		return 0, upstream.wrap(err, "cannot look at the server")
	}
	if ms <= 0 {
		return time.Minute, nil
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// start begins replication. A slot that another walsender holds is waited for: it
// may be our own, of a connection that broke, until the server notices.
func (st *stream) start(ctx context.Context, at LSN) (*pgconn.PgConn, error) {
	s := st.src
	deadline := time.Now().Add(st.timeout + 5*time.Second)
	for told := false; ; {
		slot, err := s.slotState(ctx)
		if err != nil {
			return nil, err
		}
		if !slot.Exists && at == 0 {
			at = 1 // a stream needs its slot, wherever it starts
		}
		if err := slot.check(s.cfg.Slot, slot.Database, at); err != nil {
			return nil, err
		}
		pg, err := st.startOnce(ctx, at)
		if err == nil || sqlState(err) != "55006" {
			return pg, err
		}
		if time.Now().After(deadline) {
			return nil, weirerr.New(weirerr.SlotInUse, "another connection reads the replication slot").With("slot", s.cfg.Slot).
				With("pid", slot.ActivePID).Wrap(redacted(err)).
				Hint("another weir captures with the same source name and cluster id; stop one of them")
		}
		if !told {
			s.log.Info("waiting for the replication slot: another walsender holds it, perhaps that of our last connection",
				"slot", s.cfg.Slot, "pid", slot.ActivePID, "at most", st.timeout)
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (st *stream) startOnce(ctx context.Context, at LSN) (*pgconn.PgConn, error) {
	s := st.src
	cfg, err := s.replicationConfig()
	if err != nil {
		return nil, err
	}
	cfg.DialFunc = dialBatching(cfg.DialFunc, func(b *batching) { st.batch = b })
	cfg.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		st.wire = newWire(r)
		return pgproto3.NewFrontend(st.wire, w)
	}
	pg, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, s.cannotReplicate(err)
	}
	keyed, keyless := s.cfg.publications()
	mode := "on"
	if st.whole {
		mode = "off"
	}
	sql := fmt.Sprintf(`START_REPLICATION SLOT %s LOGICAL %s (proto_version '2', publication_names %s, streaming '%s', messages 'true')`,
		quoteIdent(s.cfg.Slot), at, quoteLiteral(quoteIdent(keyed)+","+quoteIdent(keyless)), mode)
	pg.Frontend().SendQuery(&pgproto3.Query{String: sql})
	err = pg.Frontend().Flush()
	for err == nil {
		var msg pgproto3.BackendMessage
		if msg, err = pg.ReceiveMessage(ctx); err != nil {
			break
		}
		switch msg := msg.(type) {
		case *pgproto3.CopyBothResponse:
			if st.batch != nil {
				st.batch.enabled.Store(true)
			}
			return pg, nil
		case *pgproto3.ErrorResponse:
			err = pgconn.ErrorResponseToPgError(msg)
		}
	}
	_ = pg.Close(context.WithoutCancel(ctx))
	return nil, s.streamFailed(err)
}

// streamFailed classifies the end of a stream.
func (s *Source) streamFailed(err error) error {
	var typed *weirerr.Error
	if errors.As(err, &typed) {
		return err
	}
	e := upstream.wrap(err, "the replication stream ended").With("slot", s.cfg.Slot)
	switch sqlState(err) {
	case "55006":
		return weirerr.New(weirerr.SlotInUse, "the replication slot is in use").With("slot", s.cfg.Slot).Wrap(err)
	case "58P01": // a WAL segment is gone
		e.Code = weirerr.SlotInvalidated
		e.Hint("run weir source resync")
	case "42704":
		e.Code = weirerr.UpstreamConfig
		e.Hint("a publication was dropped while the slot still needs it; run weir source resync")
	case "55000":
		// The slot was invalidated, or the server is not in the right state: the next
		// look at the slot tells.
		e.Code = weirerr.UpstreamUnreachable
	}
	return e
}

// interrupt ends the read under way.
func (st *stream) interrupt() {
	if st.batch != nil {
		st.batch.interrupt()
		return
	}
	_ = st.conn.SetReadDeadline(time.Unix(1, 0))
}

// run reads until the connection fails.
func (st *stream) run(in *pgproto3.Frontend) error {
	for {
		msg, err := in.Receive()
		if err != nil {
			if st.silent.Load() {
				return weirerr.New(weirerr.UpstreamUnreachable, "the server said nothing for %s although it was asked", st.timeout).
					With("slot", st.src.cfg.Slot).Hint("weir connects again")
			}
			return st.src.streamFailed(err)
		}
		switch msg := msg.(type) {
		case *pgproto3.CopyData:
			err = st.data(msg.Data)
		case *pgproto3.ErrorResponse:
			return st.src.streamFailed(pgconn.ErrorResponseToPgError(msg))
		case *pgproto3.CopyDone:
			return weirerr.New(weirerr.UpstreamUnreachable, "the server ended the replication stream")
		}
		if err != nil {
			return err
		}
	}
}

// data takes one CopyData message: a piece of the stream or a keepalive.
func (st *stream) data(b []byte) error {
	switch {
	case len(b) >= 25 && b[0] == 'w':
		if end := binary.BigEndian.Uint64(b[1:]); end > st.received.Load() {
			st.received.Store(end)
		}
		before := st.dec.position
		err := st.dec.message(b[25:])
		if st.dec.position != before {
			st.commits.Add(1)
		}
		return err
	case len(b) == 18 && b[0] == 'k':
		return st.keepalive(LSN(binary.BigEndian.Uint64(b[1:])), b[17] != 0)
	}
	return malformed(b, "neither stream nor keepalive")
}

// keepalive tells the handler how far the server has read its WAL. Between
// transactions, all that committed below is delivered; those in progress commit above.
// A server that asks gets its position told again: one that shuts down waits for it.
func (st *stream) keepalive(end LSN, replyNow bool) error {
	if uint64(end) > st.received.Load() {
		st.received.Store(uint64(end))
	}
	now := time.Now()
	moves := end > st.dec.position && now.Sub(st.alive) >= aliveEvery
	if !st.dec.in && (moves || replyNow && end >= st.dec.position) {
		st.alive = now
		st.dec.position = end
		if err := st.h.Alive(end.Position()); err != nil {
			return err
		}
	}
	if replyNow {
		select {
		case st.asked <- struct{}{}:
		default:
		}
	}
	return nil
}
