package op

import (
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// chunkRows is how many rows an output chunk has at most, about.
const chunkRows = 4096

// pushed is a delta that waits to be worked on.
type pushed struct {
	port int
	in   *zset.Chunk
}

// queue holds what was pushed, and whether the epoch's input is complete.
type queue struct {
	waiting  []pushed
	flushing bool
}

// Push implements Operator.
func (q *queue) Push(port int, in *zset.Chunk) {
	if in.N > 0 {
		q.waiting = append(q.waiting, pushed{port, in})
	}
}

// Flush implements Operator.
func (q *queue) Flush() { q.flushing = true }

// first is the delta to work on, nil when there is none.
func (q *queue) first() *pushed {
	if len(q.waiting) == 0 {
		return nil
	}
	return &q.waiting[0]
}

// pop is called when the first delta is done with.
func (q *queue) pop() {
	n := copy(q.waiting, q.waiting[1:])
	q.waiting[n] = pushed{}
	q.waiting = q.waiting[:n]
}

// shrinks is the fault of an input that was said to grow only, and took a row back.
func shrinks(operator string, in *zset.Chunk) error {
	for _, w := range in.W {
		if w < 0 {
			return weirerr.New(weirerr.NegativeWeight, "an input that only ever grows took a row back").
				With("operator", operator).With("weight", w).
				Hint("the plan is wrong about this input: report it; drop the view and create it again")
		}
	}
	return nil
}

// corrupt is the fault of state that cannot be read.
func corrupt(operator string, err error) error {
	return weirerr.New(weirerr.StoreCorrupt, "a row in the state of an operator cannot be read").
		With("operator", operator).Hint("drop the view and create it again").Wrap(err)
}
