package node

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/pinstore"
)

// pins holds the checkpoint of every source's channel.
type pins struct {
	store     *pinstore.Store
	log       *slog.Logger
	registry  prometheus.Registerer
	saveEvery time.Duration
	evictable int64

	guard *wal.Guard // of the log's disk

	mu  sync.Mutex
	all map[string]*wal.Checkpoint // by channel
}

// watch opens a channel's checkpoint.
func (p *pins) watch(ctx context.Context, channel wal.Channel) error {
	c, err := wal.OpenCheckpoint(ctx, wal.CheckpointOptions{
		Tail: channel, Store: p.store, Log: p.log, Metrics: p.registry,
		SaveEvery: p.saveEvery, Evictable: p.evictable,
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[channel.Name()] = c
	p.guard.Add(c)
	return nil
}

// unwatch closes a channel's checkpoint with a last save.
func (p *pins) unwatch(ctx context.Context, channel string) error {
	p.mu.Lock()
	c := p.all[channel]
	delete(p.all, channel)
	p.mu.Unlock()
	if c == nil {
		return nil
	}
	p.guard.Remove(channel)
	return c.Close(ctx)
}

// forget drops what is stored of a channel that goes.
func (p *pins) forget(channel string) error { return p.store.Forget(channel) }

// of is a channel's checkpoint; nil when it is not open.
func (p *pins) of(channel string) *wal.Checkpoint {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[channel]
}

// newGuard watches the disk that dir is on, and what the log uses of it.
func newGuard(dir string, log wal.Log, cfg config.Log, logger *slog.Logger) *wal.Guard {
	return wal.NewGuard(wal.GuardOptions{
		Log: logger, Reserve: int64(cfg.ReserveFreeBytes), Limit: int64(cfg.MaxBytes),
		Usage: func() (u wal.Usage, err error) {
			var fs unix.Statfs_t
			if err := unix.Statfs(dir, &fs); err != nil {
				return u, fmt.Errorf("look at the log's disk: %w", err)
			}
			u.Free = int64(fs.Bavail) * fs.Bsize
			names, err := log.Channels()
			if err != nil {
				return u, err
			}
			for _, name := range names {
				channel, err := log.Channel(name)
				if err != nil {
					return u, err
				}
				u.Used += channel.Status().Bytes
			}
			return u, nil
		},
	})
}
