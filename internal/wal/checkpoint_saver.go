package wal

import (
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// saver is the part of the keeper that knows what is stored, what is not yet,
// and who waits for it.
type saver struct {
	stored   ts.Ts
	revision uint64
	floor    ts.Ts // the highest checkpoint a save has tried to store
	moved    int64 // when stored last rose, or the keeper began

	dirty   map[string]struct{} // owners whose record differs from the store's, or may
	waiting []waiter
	hurry   bool // the next save is not put off

	seq    uint64
	flight *flight
	begun  int64 // of the latest save
	last   bool  // the save that Close asked for has been tried

	fault fault
}

// waiter is an event whose answer waits for a save.
type waiter struct {
	req   uint64
	owner string
	ts    ts.Ts
	claim bool // it claims; false: it gives up
}

// flight is the save under way.
type flight struct {
	seq     uint64
	next    ts.Ts
	owners  map[string]struct{}
	waiting []waiter
}

// fault tells of failures in a row.
type fault struct {
	failures int
	retryAt  int64
	since    int64
	err      error
}

func (f *fault) failed(now int64, err error, wait func(failures int) int64) {
	if f.failures == 0 {
		f.since = now
	}
	f.failures++
	f.err = err
	f.retryAt = now + wait(f.failures)
}

func (f *fault) waits(now int64) bool { return f.failures > 0 && now < f.retryAt }

func newSaver(saved Saved, now int64) saver {
	return saver{
		stored: saved.Checkpoint, revision: saved.Revision, floor: saved.Checkpoint, moved: now,
		dirty: map[string]struct{}{},
	}
}

func (s *saver) touch(owner string) { s.dirty[owner] = struct{}{} }

func (s *saver) await(w waiter) { s.waiting = append(s.waiting, w) }

// knows says whether a change of the owner's record is on its way.
func (s *saver) knows(owner string) bool {
	_, is := s.dirty[owner]
	if !is && s.flight != nil {
		_, is = s.flight.owners[owner]
	}
	return is
}

// recall takes back what a save did not store.
func (s *saver) recall(f *flight) {
	maps.Copy(s.dirty, f.owners)
	s.waiting = append(f.waiting, s.waiting...)
}

// settle begins what is due: a save, a truncation, the end.
func (k *keeper) settle(now int64) {
	if k.ended != nil || k.saver.flight != nil {
		k.settleCut(now)
		return
	}
	s := &k.saver
	target := k.target()
	if target == s.stored && len(s.dirty) == 0 {
		if k.closing {
			k.end(errEnded(k.channel), nil)
		}
		k.settleCut(now)
		return
	}
	switch {
	case k.closing && s.last:
		k.end(errEnded(k.channel), weirerr.New(weirerr.CodeOf(s.fault.err), "the last checkpoint did not land").
			With("channel", k.channel).With("stored", s.stored).With("reached", target).Wrap(s.fault.err))
	case k.closing:
		s.last = true
		k.save(now, target)
	case s.fault.waits(now):
	case s.hurry || len(s.waiting) > 0 || s.fault.failures > 0 || now >= s.begun+k.saveEvery:
		k.save(now, target)
	}
	k.settleCut(now)
}

func (k *keeper) settleCut(now int64) {
	if k.ended != nil || k.closing {
		return
	}
	if upTo, due := k.cutter.next(now, k.saver.stored); due {
		k.do(truncateEffect{upTo})
	}
}

// save begins to store the target and all records that differ.
func (k *keeper) save(now int64, target ts.Ts) {
	s := &k.saver
	s.seq++
	s.begun, s.hurry = now, false
	s.floor = max(s.floor, target)
	save := CheckpointSave{Term: k.term, Revision: s.revision, Previous: s.stored, Next: target}
	for _, owner := range slices.Sorted(maps.Keys(s.dirty)) {
		lost, isLost := k.lost[owner]
		switch {
		case k.pins[owner] != nil:
			save.Put = append(save.Put, k.record(owner))
		case isLost:
			save.Put = append(save.Put, lost)
		default:
			save.Delete = append(save.Delete, owner)
		}
	}
	s.flight = &flight{seq: s.seq, next: target, owners: s.dirty, waiting: s.waiting}
	s.dirty, s.waiting = map[string]struct{}{}, nil
	k.do(saveEffect{s.seq, save})
}

func (k *keeper) onSaved(now int64, e savedEvent) {
	s := &k.saver
	f := s.flight
	if f == nil || f.seq != e.Seq {
		return
	}
	s.flight = nil
	switch {
	case weirerr.CodeOf(e.Err) == weirerr.LogFenced:
		k.fence(f, e.Err)
	case e.Err != nil:
		s.recall(f)
		s.fault.failed(now, e.Err, k.wait)
	case e.Stored.Landed:
		s.fault = fault{}
		k.adopt(now, f.next, e.Stored.Revision)
		for _, w := range f.waiting {
			k.landed(w)
		}
	case e.Stored.Revision > s.revision && e.Stored.Checkpoint >= s.stored && e.Stored.Checkpoint <= s.floor:
		// A save that was reported failed has landed; which one, nobody can say, so
		// that everything is stored again on top of it, at once.
		s.recall(f)
		s.fault = fault{}
		s.hurry, s.last = true, false
		k.adopt(now, e.Stored.Checkpoint, e.Stored.Revision)
	default:
		k.fence(f, weirerr.New(weirerr.LogFenced, "the stored checkpoint %s was not written by this term", e.Stored.Checkpoint).
			With("channel", k.channel).With("term", k.term))
	}
}

// landed answers a waiter; its claim may have been taken away meanwhile.
func (k *keeper) landed(w waiter) {
	_, err := k.pinOf(w.owner)
	if !w.claim || k.refused() != nil {
		err = nil
	}
	k.reply(w.req, w.ts, err)
}

func (k *keeper) adopt(now int64, stored ts.Ts, revision uint64) {
	s := &k.saver
	if stored > s.stored {
		s.stored, s.moved = stored, now
	}
	s.revision = revision
}

// fence ends the keeper: somebody else keeps this channel's checkpoint now.
func (k *keeper) fence(f *flight, err error) {
	k.saver.recall(f)
	k.saver.fault.err = err
	k.end(err, err)
}

// end is the last step. Refusal answers all that wait and all that come; result
// is what Close returns.
func (k *keeper) end(refusal, result error) {
	k.ended = refusal
	for _, w := range k.saver.waiting {
		k.reply(w.req, 0, refusal)
	}
	k.saver.waiting = nil
	if k.closing {
		k.do(closedEffect{result})
	}
}

// wake is the time at which a step is due though nothing happens; 0 for never.
func (k *keeper) wake() int64 {
	if k.ended != nil {
		return 0
	}
	s, at := &k.saver, int64(0)
	if s.flight == nil && (len(s.dirty) > 0 || k.target() != s.stored) {
		at = max(s.begun+k.saveEvery, 1)
		if s.fault.failures > 0 {
			at = s.fault.retryAt
		}
	}
	if c := &k.cutter; !c.busy && c.fault.failures > 0 && (at == 0 || c.fault.retryAt < at) {
		at = c.fault.retryAt
	}
	return at
}

// cutter is the part of the keeper that truncates.
type cutter struct {
	cut   ts.Ts // truncated up to here
	busy  bool
	fault fault
}

// next says how far to truncate now, if it is due.
func (c *cutter) next(now int64, stored ts.Ts) (upTo ts.Ts, due bool) {
	if c.busy || stored <= c.cut || c.fault.waits(now) {
		return 0, false
	}
	c.busy = true
	return stored, true
}

func (c *cutter) done(now int64, e truncatedEvent, wait func(failures int) int64) {
	c.busy = false
	if e.Err != nil {
		c.fault.failed(now, e.Err, wait)
		return
	}
	c.fault = fault{}
	c.cut = max(c.cut, e.UpTo)
}
