package wal

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// TestCheckpointMutants breaks one rule of the keeper and the guard after the other.
func TestCheckpointMutants(t *testing.T) {
	const keeper, saver, guard, shell = "checkpoint_keeper.go", "checkpoint_saver.go", "guard.go", "checkpoint_shell.go"
	const named = "^Test(Trunc|Saves|AF|The|Without|Never|Lagg|Advance|Budgets|Eviction|AC|AR|Cand|Fenced|AS|Close|Dead)"
	for name, m := range map[string]struct{ file, old, new, run string }{
		"checkpoint goes back":           {keeper, "return max(t, k.saver.stored)", "return t", named},
		"checkpoint passes the log":      {keeper, "t = min(t, h.Ts)", "t = h.Ts", named},
		"claims below are accepted":      {keeper, "if low < k.saver.floor {", "if low < k.saver.stored {", named},
		"floor is not what was tried":    {saver, "s.floor = max(s.floor, target)", "", named},
		"two saves at a time":            {saver, "if k.ended != nil || k.saver.flight != nil {", "if k.ended != nil {", named},
		"cut before the save":            {saver, "k.cutter.next(now, k.saver.stored)", "k.cutter.next(now, k.saver.floor)", named},
		"two cuts at a time":             {saver, "if c.busy || stored", "if stored", named},
		"cut not retried":                {saver, "	c.busy = false\n	if e.Err", "	c.busy = e.Err != nil\n	if e.Err", named},
		"failed save forgets the pins":   {saver, "case e.Err != nil:\n\t\ts.recall(f)", "case e.Err != nil:", named + "|^TestKeeperSim"},
		"late landing forgets the pins":  {saver, "on top of it, at once.\n\t\ts.recall(f)", "on top of it, at once.", named},
		"revision not adopted":           {saver, "	s.revision = revision\n", "", named},
		"retries without a wait":         {saver, "case s.fault.waits(now):", "case false:", named},
		"backoff ends after a while":     {keeper, "if shift := failures - 1; shift < 32 {", "if shift := failures - 1; shift > 200 {\n\t\td = 0\n\t} else if shift < 32 {", "^TestDead"},
		"backoff without a cap":          {keeper, "d = min(d, k.backoff[0]<<shift)", "d = k.backoff[0] << shift", "^TestDead"},
		"fenced goes on":                 {saver, "case weirerr.CodeOf(e.Err) == weirerr.LogFenced:\n\t\tk.fence(f, e.Err)", "case false:", named},
		"foreign write adopted":          {saver, "&& e.Stored.Checkpoint <= s.floor:", "|| e.Stored.Checkpoint > s.floor:", named},
		"close without a last save":      {saver, "case k.closing:\n\t\ts.last = true\n\t\tk.save(now, target)", "case k.closing:\n\t\tk.end(errEnded(k.channel), nil)", named},
		"close says it landed":           {saver, "k.ended = refusal", "k.ended, result = refusal, nil", named},
		"claims answered before durable": {keeper, "k.saver.await(waiter{req: e.Req, owner: p.Owner, ts: p.Ts, claim: true})", "k.reply(e.Req, p.Ts, nil)", named},
		"a lower lag answered at once":   {keeper, "if low, _ := p.low(); low < before {", "if low, _ := p.low(); low < before && false {", named},
		"pins go back":                   {keeper, "if err == nil && e.Ts < p.ts {", "if false {", named},
		"lag does not hold":              {keeper, "ok && m.Ts < p.ts {", "ok && m.Ts > p.ts {", named},
		"ttl not renewed":                {keeper, "	p.renewed = now\n	if e.Ts > p.ts {", "	if e.Ts > p.ts {", named},
		"block is evicted":               {keeper, "|| k.pins[h.Key].budget.OnFull == Block", "", named},
		"eviction not stored":            {keeper, "	k.saver.touch(owner)\n	k.saver.hurry = true", "	k.saver.hurry = true", named},
		"eviction waits":                 {keeper, "	k.saver.hurry = true\n	k.do", "	k.do", named},
		"eviction not told":              {keeper, "	k.do(evictEffect{owner, errEvicted(k.channel, r)})", "", named},
		"bad record believed":            {keeper, "case r.Ts < saved.Checkpoint:", "case false:", named},
		"a lost claim answered well":     {saver, "if !w.claim || k.refused() != nil {", "if true {", named},
		"guard evicts the smallest":      {guard, "-cmp.Compare(a.bytes, b.bytes)", "cmp.Compare(a.bytes, b.bytes)", "^TestWatch"},
		"guard evicts all at once":       {guard, "if w.busy(now, holders) {", "if false {", "^TestWatch"},
		"a wall clock that is set back":  {shell, "return c.began.UnixMilli() + time.Since(c.began).Milliseconds()", "return 0", "^TestShell"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, m.run)
		})
	}
}
