package wal

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Usage is what the log's disk looks like, in bytes.
type Usage struct {
	Free int64 // to us, on the disk
	Used int64 // by the log
}

// GuardOptions of a Guard. Usage and Log must be set.
type GuardOptions struct {
	Usage func() (Usage, error)
	Log   *slog.Logger
	// Reserve is the free space to defend: 1 GiB.
	Reserve int64
	// Limit is what the log may use; 0: no limit.
	Limit int64
	Every time.Duration // between looks: 1 s
	// Settle bounds the wait for what one eviction frees before the next: 10 s.
	Settle time.Duration
}

// Guard keeps the log's disk from filling up: at the high watermark it evicts
// the pin that holds the most bytes, of all channels, one at a time, and looks
// again when the log behind it is gone. Pins with OnFull = Block stay, and so do
// those whose eviction would free nothing.
type Guard struct {
	opts GuardOptions

	mu      sync.Mutex
	members map[string]*Checkpoint
	watch   watch
}

// NewGuard makes a guard of no channels.
func NewGuard(o GuardOptions) *Guard {
	o.Reserve = cmp.Or(o.Reserve, 1<<30)
	o.Every = cmp.Or(o.Every, time.Second)
	o.Settle = cmp.Or(o.Settle, 10*time.Second)
	return &Guard{opts: o, members: map[string]*Checkpoint{},
		watch: watch{reserve: o.Reserve, limit: o.Limit, settle: o.Settle.Milliseconds()}}
}

// Add puts a channel under guard.
func (g *Guard) Add(c *Checkpoint) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members[c.name] = c
}

// Remove ends that.
func (g *Guard) Remove(channel string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.members, channel)
}

// GuardStatus tells what the disk waits for.
type GuardStatus struct {
	Usage    Usage
	Pressure string    // why the disk counts as full; "" when it does not
	Since    time.Time // of the pressure
	// Blocked tells why nothing is evicted under pressure; "" when something is, or there is none.
	Blocked string
}

// Status tells how the last look went.
func (g *Guard) Status() GuardStatus {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.watch.status
}

// Run looks again and again until ctx ends.
func (g *Guard) Run(ctx context.Context) {
	ticker := time.NewTicker(g.opts.Every)
	defer ticker.Stop()
	for {
		g.Look()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Look measures the disk and acts once.
func (g *Guard) Look() {
	usage, err := g.opts.Usage()
	if err != nil {
		g.opts.Log.Warn("the log's disk cannot be measured", "error", err)
		return
	}
	g.mu.Lock()
	var holders []holder
	for _, c := range g.members {
		holders = append(holders, c.holder())
	}
	before := g.watch.status
	victim, evict := g.watch.look(time.Now().UnixMilli(), usage, holders)
	after := g.watch.status
	member := g.members[victim.channel]
	g.mu.Unlock()
	if after.Pressure != before.Pressure || after.Blocked != before.Blocked {
		g.opts.Log.Warn("log disk", "pressure", after.Pressure, "blocked", after.Blocked, "free", usage.Free, "used", usage.Used)
	}
	if evict {
		member.Evict(victim.owner, "the log's disk is full: "+after.Pressure)
	}
}

// holder is the lowest pin of a channel, and whether its eviction frees anything.
type holder struct {
	channel   string
	owner     string // "" when nobody pins the channel
	bytes     int64
	evictable bool
	blocks    bool // its owner chose OnFull = Block
	settled   bool // the log is truncated up to what the pins allow
}

func (c *Checkpoint) holder() holder {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.keeper
	h := holder{channel: c.name, settled: k.ended != nil || k.cutter.cut >= k.target()}
	if low, ok := k.order.Min(); ok {
		h.owner, h.bytes, h.blocks = low.Key, low.Bytes, k.pins[low.Key].budget.OnFull == Block
	}
	_, _, h.evictable = k.candidate()
	return h
}

// watch is the guard's pure machine.
type watch struct {
	reserve, limit, settle int64
	status                 GuardStatus
	freeing                string // the channel an eviction is freeing; "" for none
	freeingBy              int64  // when to stop waiting for it
}

// look takes one measurement at unix ms now and says whom to evict.
func (w *watch) look(now int64, usage Usage, holders []holder) (victim holder, evict bool) {
	pressure := ""
	switch {
	case usage.Free < w.reserve:
		pressure = fmt.Sprintf("less than %d bytes are free", w.reserve)
	case w.limit > 0 && usage.Used > w.limit:
		pressure = fmt.Sprintf("the log uses more than %d bytes", w.limit)
	}
	if pressure == "" || w.status.Pressure == "" {
		w.status.Since = millis(now)
	}
	w.status.Usage, w.status.Pressure, w.status.Blocked = usage, pressure, ""
	if pressure == "" {
		w.freeing = ""
		return holder{}, false
	}
	slices.SortFunc(holders, func(a, b holder) int {
		return cmp.Or(-cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.channel, b.channel))
	})
	if w.busy(now, holders) {
		return holder{}, false
	}
	for _, h := range holders {
		if h.evictable {
			w.freeing, w.freeingBy = h.channel, now+w.settle
			return h, true
		}
	}
	w.status.Blocked = blocked(holders)
	return holder{}, false
}

// busy says whether the last eviction has still to free its log.
func (w *watch) busy(now int64, holders []holder) bool {
	if w.freeing == "" || now >= w.freeingBy {
		w.freeing = ""
		return false
	}
	i := slices.IndexFunc(holders, func(h holder) bool { return h.channel == w.freeing })
	if i < 0 || holders[i].settled {
		w.freeing = ""
		return false
	}
	return true
}

func blocked(holders []holder) string {
	for _, h := range holders {
		if h.blocks {
			return fmt.Sprintf("%s holds %d bytes of channel %s and is not to be evicted", h.owner, h.bytes, h.channel)
		}
	}
	return "no pin holds what could be freed"
}
