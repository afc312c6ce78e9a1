package wal

import (
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/progress"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// keeperConfig are the keeper's constants.
type keeperConfig struct {
	channel   string
	saveEvery int64          // ms between saves that nobody waits for
	backoff   [2]int64       // ms: first wait after a failure, and the cap
	evictable int64          // bytes a pin must hold so that its eviction frees anything
	jitter    func() float64 // in [0, 1)
}

// keeper is the pure machine of one channel's checkpoint. Step is its only way in.
type keeper struct {
	keeperConfig
	term  uint64
	pins  map[string]*pin
	order *progress.Heap[string] // pins by their lowest Ts
	lost  map[string]PinRecord   // evicted, and the owner has not come back since

	confirmed ts.Ts
	saver     saver
	cutter    cutter

	closing bool
	ended   error // errEnded after Close, LogFenced when fenced
	effects []any
}

// pin is a claim in memory.
type pin struct {
	ts      ts.Ts
	lag     *progress.Heap[string] // vchannels below ts; nil when none
	renewed int64
	budget  Budget
}

// low is what the pin holds the log from.
func (p *pin) low() (low ts.Ts, vchannel string) {
	if p.lag != nil {
		if m, ok := p.lag.Min(); ok && m.Ts < p.ts {
			return m.Ts, m.Key
		}
	}
	return p.ts, ""
}

// newKeeper begins with what the store had when the term was taken.
func newKeeper(cfg keeperConfig, term uint64, saved Saved, truncated, confirmed ts.Ts, now int64) *keeper {
	k := &keeper{
		keeperConfig: cfg,
		term:         term,
		pins:         map[string]*pin{},
		order:        progress.New[string](len(saved.Pins)),
		lost:         map[string]PinRecord{},
		confirmed:    confirmed,
		saver:        newSaver(saved, now),
		cutter:       cutter{cut: truncated},
	}
	for _, r := range saved.Pins {
		switch {
		case r.Evicted != "":
			k.lost[r.Owner] = r
		case r.Ts < saved.Checkpoint: // not written by us; better loud than lost
			r.Evicted = "its stored claim lies below the checkpoint"
			k.lost[r.Owner] = r
			k.saver.touch(r.Owner)
		default:
			k.pins[r.Owner] = &pin{ts: r.Ts, renewed: now, budget: r.Budget}
			_, _, _ = k.order.Add(r.Owner, r.Ts, r.Since) // owners are unique in the store
		}
	}
	return k
}

// Step applies one event at unix ms now and returns what is to be done. The
// result is valid until the next Step.
func (k *keeper) Step(now int64, event any) []any {
	k.effects = k.effects[:0]
	switch e := event.(type) {
	case pinEvent:
		k.onPin(now, e)
	case advanceEvent:
		k.onAdvance(now, e)
	case lagEvent:
		k.onLag(now, e)
	case releaseEvent:
		k.onRelease(e)
	case evictEvent:
		if _, ok := k.pins[e.Owner]; ok && k.ended == nil {
			k.evict(e.Owner, e.Why)
		}
	case tickEvent:
		k.onTick(now, e)
	case savedEvent:
		k.onSaved(now, e)
	case truncatedEvent:
		k.cutter.done(now, e, k.wait)
	case closeEvent:
		k.onClose()
	}
	k.settle(now)
	return k.effects
}

func (k *keeper) onClose() {
	k.closing = true
	if k.ended != nil {
		k.do(closedEffect{k.ended})
	}
}

func (k *keeper) do(effect any) { k.effects = append(k.effects, effect) }

func (k *keeper) reply(req uint64, t ts.Ts, err error) { k.do(replyEffect{req, t, err}) }

// refused says why no event may change the pins any more.
func (k *keeper) refused() error {
	if k.ended != nil {
		return k.ended
	}
	if k.closing {
		return errEnded(k.channel)
	}
	return nil
}

func errEnded(channel string) error {
	return weirerr.New(weirerr.OwnerClosed, "the checkpoint of the channel is closed").With("channel", channel)
}

func (k *keeper) onPin(now int64, e pinEvent) {
	p := e.Pin
	if err := k.refused(); err != nil {
		k.reply(e.Req, 0, err)
		return
	}
	if p.Now {
		p.Ts = max(k.confirmed, k.saver.floor)
	}
	fresh := &pin{ts: p.Ts, renewed: now, budget: p.Budget}
	for _, vchannel := range slices.Sorted(maps.Keys(p.Lag)) {
		_ = fresh.setLag(vchannel, p.Lag[vchannel], now) // a new entry cannot go back
	}
	low, _ := fresh.low()
	if low < k.saver.floor {
		k.reply(e.Req, 0, k.tooLow(p.Owner, low))
		return
	}
	k.pins[p.Owner] = fresh
	delete(k.lost, p.Owner)
	k.place(p.Owner, low, now)
	k.saver.touch(p.Owner)
	k.saver.await(waiter{req: e.Req, owner: p.Owner, ts: p.Ts, claim: true})
}

// tooLow is the error of a claim below what may be truncated.
func (k *keeper) tooLow(owner string, asked ts.Ts) error {
	if r, ok := k.lost[owner]; ok {
		return errEvicted(k.channel, r)
	}
	return errStale(k.channel, owner, asked, k.saver.floor)
}

// place enters or moves a pin in the heap, in either direction.
func (k *keeper) place(owner string, low ts.Ts, now int64) {
	if at, ok := k.order.Get(owner); ok {
		if low >= at.Ts {
			_, _ = k.order.UpdateAt(at.Handle, low, now)
			return
		}
		_, _ = k.order.DropAt(at.Handle)
	}
	_, _, _ = k.order.Add(owner, low, now)
}

func (k *keeper) onAdvance(now int64, e advanceEvent) {
	p, err := k.pinOf(e.Owner)
	if err == nil && e.Ts < p.ts {
		err = weirerr.New(weirerr.WrongState, "a pin does not go back").With("channel", k.channel).With("owner", e.Owner).
			Wrap(&progress.Backward{Has: p.ts, Asked: e.Ts})
	}
	if err != nil {
		k.reply(e.Req, 0, err)
		return
	}
	p.renewed = now
	if e.Ts > p.ts {
		p.ts = e.Ts
		k.replace(e.Owner, p, now)
	}
	k.reply(e.Req, p.ts, nil)
}

// pinOf finds a pin for an event that changes it.
func (k *keeper) pinOf(owner string) (*pin, error) {
	if err := k.refused(); err != nil {
		return nil, err
	}
	if p, ok := k.pins[owner]; ok {
		return p, nil
	}
	if r, ok := k.lost[owner]; ok {
		return nil, errEvicted(k.channel, r)
	}
	return nil, errNoPin(k.channel, owner)
}

// replace follows a change of what a pin holds from.
func (k *keeper) replace(owner string, p *pin, now int64) {
	low, _ := p.low()
	if at, _ := k.order.Get(owner); at.Ts != low {
		k.place(owner, low, now)
		k.saver.touch(owner)
	}
}

func (k *keeper) onLag(now int64, e lagEvent) {
	p, err := k.pinOf(e.Owner)
	if err != nil {
		k.reply(e.Req, 0, err)
		return
	}
	before, _ := p.low()
	switch {
	case e.Ts < min(k.saver.floor, p.ts):
		err = k.tooLow(e.Owner, e.Ts)
	default:
		err = p.setLag(e.VChannel, e.Ts, now)
	}
	if err != nil {
		k.reply(e.Req, 0, err)
		return
	}
	p.renewed = now
	k.replace(e.Owner, p, now)
	if low, _ := p.low(); low < before {
		k.saver.await(waiter{req: e.Req, owner: e.Owner, ts: e.Ts, claim: true}) // a claim that is lower is a new one
		return
	}
	k.reply(e.Req, e.Ts, nil)
}

// setLag enters, raises or drops the entry of a vchannel.
func (p *pin) setLag(vchannel string, t ts.Ts, now int64) error {
	if p.lag == nil {
		p.lag = progress.New[string](0)
	}
	at, ok := p.lag.Get(vchannel)
	switch {
	case ok && t >= p.ts:
		_, err := p.lag.DropAt(at.Handle)
		return err
	case ok:
		_, err := p.lag.UpdateAt(at.Handle, t, now)
		return err
	case t < p.ts:
		_, _, err := p.lag.Add(vchannel, t, now)
		return err
	}
	return nil
}

func (k *keeper) onRelease(e releaseEvent) {
	if err := k.refused(); err != nil {
		k.reply(e.Req, 0, err)
		return
	}
	_, lost := k.lost[e.Owner]
	_, held := k.pins[e.Owner]
	if !lost && !held && !k.saver.knows(e.Owner) {
		k.reply(e.Req, 0, nil)
		return
	}
	k.forget(e.Owner)
	delete(k.lost, e.Owner)
	k.saver.touch(e.Owner)
	k.saver.await(waiter{req: e.Req, owner: e.Owner})
}

func (k *keeper) forget(owner string) {
	delete(k.pins, owner)
	_, _ = k.order.Drop(owner) // it may be lost already
}

// evict takes a pin away, tells its owner, and hurries the save that frees the log.
func (k *keeper) evict(owner, why string) {
	r := k.record(owner)
	r.Evicted = why
	k.forget(owner)
	k.lost[owner] = r
	k.saver.touch(owner)
	k.saver.hurry = true
	k.do(evictEffect{owner, errEvicted(k.channel, r)})
}

// onTick takes the measurements and evicts what is over its budget.
func (k *keeper) onTick(now int64, e tickEvent) {
	k.confirmed = max(k.confirmed, e.Confirmed)
	type victim struct{ owner, why string }
	var victims []victim
	for h := range k.order.Lowest(k.order.Len()) {
		held, measured := e.Held[h.Key]
		if measured {
			_ = k.order.SetBytes(h.Key, held)
		} else {
			held = h.Bytes
		}
		if why := overBudget(k.pins[h.Key], h.Ts, held, now); why != "" {
			victims = append(victims, victim{h.Key, why})
		}
	}
	if k.ended != nil {
		return
	}
	for _, v := range victims {
		k.evict(v.owner, v.why)
	}
}

func overBudget(p *pin, low ts.Ts, held, now int64) string {
	b := p.budget
	switch {
	case b.TTL > 0 && now-p.renewed > b.TTL.Milliseconds():
		return "it was not renewed within " + b.TTL.String()
	case b.Bytes > 0 && held > b.Bytes:
		return "it held more bytes than its budget"
	case b.Age > 0 && held > 0 && now-low.Ms() > b.Age.Milliseconds():
		return "it held log older than " + b.Age.String()
	}
	return ""
}

// record is a pin as it is to be stored.
func (k *keeper) record(owner string) PinRecord {
	at, _ := k.order.Get(owner)
	return PinRecord{Owner: owner, Ts: at.Ts, Since: at.Since, Budget: k.pins[owner].budget}
}

// candidate is the pin whose eviction frees the most: the lowest, unless it
// refuses to be evicted, for then none above it frees anything.
func (k *keeper) candidate() (owner string, held int64, ok bool) {
	h, any := k.order.Min()
	if !any || k.ended != nil || h.Bytes < k.evictable || k.pins[h.Key].budget.OnFull == Block {
		return "", 0, false
	}
	return h.Key, h.Bytes, true
}

// target is the checkpoint that the pins and the log allow now.
func (k *keeper) target() ts.Ts {
	t := k.confirmed
	if h, ok := k.order.Min(); ok {
		t = min(t, h.Ts)
	}
	return max(t, k.saver.stored)
}

// wait is the backoff after the given number of failures in a row, in ms: it
// doubles up to the cap, and its upper half is random.
func (k *keeper) wait(failures int) int64 {
	d := k.backoff[1]
	if shift := failures - 1; shift < 32 {
		d = min(d, k.backoff[0]<<shift)
	}
	return d/2 + int64(k.jitter()*float64(d-d/2))
}
