package barrier

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// A million random steps, every misfortune among them. Then nothing fails any more, and
// every command has to be answered.
func TestSimulation(t *testing.T) {
	seeds, steps := 200, 5000
	if s, err := strconv.Atoi(os.Getenv("WEIR_SEEDS")); err == nil {
		seeds = s
	}
	total := map[string]int{}
	for seed := range seeds {
		w := newWorld(uint64(seed))
		if err := w.run(steps); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for k, n := range w.stats {
			total[k] += n
		}
	}
	for _, kind := range []string{"Inject", "Commit", "Reply", "Reset", "DropGraph", "Odd"} {
		if total["barrier."+kind] < seeds {
			t.Errorf("only %d times %s: the simulation does not reach it", total["barrier."+kind], kind)
		}
	}
}

func (w *world) run(steps int) (err error) {
	at := 0
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("step %d: %v", at, p)
		}
	}()
	w.addDatabase()
	for at = range steps {
		w.act()
	}
	w.calm = true
	for at = steps; at < steps+20_000 && w.waiting() != nil; at++ {
		w.act()
	}
	if c := w.waiting(); c != nil {
		return fmt.Errorf("command %d, %s of %v, is never answered", c.ID, c.Do, c.Jobs)
	}
	return nil
}

// waiting is a command that nobody has answered.
func (w *world) waiting() *asked {
	for id := CommandID(1); id <= w.nextCmd; id++ {
		if c := w.cmds[id]; c != nil && !c.over {
			return c
		}
	}
	return nil
}
