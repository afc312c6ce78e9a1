package postgres

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"
)

// tend sends status updates: at least every AckEvery when something new is durable,
// at once when the server asks. It asks the server when there is silence, ends
// the stream when that does not help, and ends the read when ctx ends.
func (st *stream) tend(ctx context.Context) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	acked, _ := LSNOf(st.h.Durable()) // what is malformed is reported by Stream's caller
	var lastSent, lastAsked time.Time
	var awaited LSN // the server waits for this position to be flushed, as a shutdown does
	for {
		reply := false
		select {
		case <-ctx.Done():
			st.interrupt()
			return
		case <-st.asked:
			reply = true
			awaited = LSN(st.received.Load())
		case <-tick.C:
		}
		now := time.Now()
		durable, err := LSNOf(st.h.Durable())
		if err != nil || durable < acked {
			durable = acked // never back
		}
		silence := st.wire.waiting(now)
		behind := LSN(st.received.Load()) > durable
		ask := (silence > st.timeout/2 || silence > st.src.cfg.AckEvery && behind) && now.Sub(lastAsked) >= st.src.cfg.AckEvery
		switch {
		case silence > st.timeout+st.timeout/4:
			st.silent.Store(true)
			st.interrupt()
			return
		case reply, ask:
		case durable > acked && (durable >= awaited && acked < awaited || now.Sub(lastSent) >= st.src.cfg.AckEvery):
		case now.Sub(lastSent) >= min(10*time.Second, st.timeout/3):
		default:
			continue
		}
		if ask {
			lastAsked = now
		}
		if err := st.status(durable, ask); err != nil {
			st.interrupt()
			return
		}
		acked, lastSent = durable, now
	}
}

// status sends a standby status update.
func (st *stream) status(durable LSN, ask bool) error {
	write := max(LSN(st.received.Load()), durable)
	msg := make([]byte, 0, 5+34)
	msg = append(msg, 'd', 0, 0, 0, 4+34, 'r')
	msg = binary.BigEndian.AppendUint64(msg, uint64(write))
	msg = binary.BigEndian.AppendUint64(msg, uint64(durable)) // flushed
	msg = binary.BigEndian.AppendUint64(msg, uint64(durable)) // applied
	msg = binary.BigEndian.AppendUint64(msg, uint64(time.Now().UnixMicro()-pgEpochUs))
	if ask {
		msg = append(msg, 1)
	} else {
		msg = append(msg, 0)
	}
	_ = st.conn.SetWriteDeadline(time.Now().Add(st.timeout))
	_, err := st.conn.Write(msg)
	return err
}

// farewell acknowledges what is durable and leaves, so that the slot is free at once.
func (st *stream) farewell() {
	_ = st.conn.SetDeadline(time.Now().Add(2 * time.Second))
	if durable, err := LSNOf(st.h.Durable()); err == nil && durable > 0 {
		_ = st.status(durable, false)
	}
	_, _ = st.conn.Write([]byte{'c', 0, 0, 0, 4, 'X', 0, 0, 0, 4})
}

// beat emits a heartbeat each interval in which nothing was committed, so that the
// slot of an idle database moves although its neighbours write.
func (st *stream) beat(ctx context.Context) {
	tick := time.NewTicker(st.src.cfg.Heartbeat)
	defer tick.Stop()
	last := st.commits.Load()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n := st.commits.Load(); n != last {
			last = n
			continue
		}
		if _, err := st.src.heartbeat(ctx); err != nil && ctx.Err() == nil {
			st.src.log.Debug("no heartbeat", "error", err)
		}
		last = st.commits.Load()
	}
}

// heartbeat returns the end of the WAL and then emits a message, so that the stream
// passes that position even if nothing else is committed. Only a transactional
// message does that.
func (s *Source) heartbeat(ctx context.Context) (end LSN, err error) {
	err = s.control.do(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		var text string
		if err := conn.QueryRow(ctx, `SELECT pg_current_wal_insert_lsn()::text`).Scan(&text); err != nil {
			return err
		}
		if end, err = ParseLSN(text); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'local', true), pg_logical_emit_message(true, $1, '')`, heartbeatPrefix)
		return err
	})
	if err != nil {
		return 0, upstream.wrap(err, "cannot emit a heartbeat")
	}
	return end, nil
}

// Now implements capture.Upstream.
func (s *Source) Now(ctx context.Context) ([]byte, error) {
	end, err := s.heartbeat(ctx)
	if err != nil {
		return nil, err
	}
	return end.Position(), nil
}
