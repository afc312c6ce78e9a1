package worker

import "github.com/weirstream/weir/internal/dataflow"

// evict gives back memory of state that the store has. It is called at the end of
// an epoch, before its changes are taken: what did not change in it, and was sealed
// before, can go when every seal before is applied, for then the store shows it.
func (g *graph) evict() {
	used := g.measure()
	g.w.o.Held(g.w.account(g, used))
	share := g.w.share(g)
	if used <= share || !g.sealer.applied() {
		return
	}
	shards := g.flow.Shards()
	g.w.crew.each(all, func(i int) {
		shards[i].Tables(func(t dataflow.Table) {
			t.Evict(int64(float64(t.Bytes()) * float64(share) / float64(used)))
		})
	})
}

// measure is the memory of the graph's state.
func (g *graph) measure() (used int64) {
	for _, s := range g.flow.Shards() {
		s.Tables(func(t dataflow.Table) { used += t.Bytes() })
	}
	return used
}

// account notes what a graph uses; it gives what all use.
func (w *Worker) account(g *graph, used int64) (total int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g.used = used
	for _, other := range w.graphs {
		total += other.used
	}
	return total
}

// share is what a graph may use: its part of the budget when all together are over
// it, in proportion to what they use.
func (w *Worker) share(g *graph) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	total := int64(0)
	for _, other := range w.graphs {
		total += other.used
	}
	if total <= w.o.Memory {
		return g.used
	}
	return int64(float64(g.used) * float64(w.o.Memory) / float64(total))
}
