package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// senderCPU adds up the processor time of the walsenders that serve a slot,
// until stop is called.
type senderCPU struct {
	cancel context.CancelFunc
	done   chan struct{}
	used   map[int]float64 // by pid, last seen
}

// watchSender follows a slot by name (a LIKE pattern).
func watchSender(ctx context.Context, url, slot string) *senderCPU {
	ctx, cancel := context.WithCancel(ctx)
	s := &senderCPU{cancel, make(chan struct{}), map[int]float64{}}
	go func() {
		defer close(s.done)
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return // stop reports 0
		}
		defer conn.Close(context.WithoutCancel(ctx))
		base := map[int]float64{}
		for ctx.Err() == nil {
			var pid *int
			if conn.QueryRow(ctx, "SELECT max(active_pid) FROM pg_replication_slots WHERE slot_name LIKE $1", slot).Scan(&pid) == nil && pid != nil {
				s.sample(*pid, base)
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
		for pid := range s.used {
			s.sample(pid, base)
		}
	}()
	return s
}

func (s *senderCPU) sample(pid int, base map[int]float64) {
	cpu := pgserver.CPUSeconds(pid)
	if _, seen := base[pid]; !seen {
		base[pid] = cpu
	}
	if used := cpu - base[pid]; used > s.used[pid] || s.used[pid] == 0 {
		s.used[pid] = max(used, 0)
	}
}

func (s *senderCPU) stop() (seconds float64) {
	s.cancel()
	<-s.done
	for _, used := range s.used {
		seconds += used
	}
	return seconds
}
