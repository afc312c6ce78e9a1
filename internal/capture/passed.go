package capture

import (
	"slices"

	"github.com/weirstream/weir/internal/backfill"
)

// passedMax bounds the memory of transactions that a snapshot might not see yet.
const passedMax = 1 << 20

// passed holds the transactions in the channel that the snapshot of a reading
// under way might not see. What one snapshot sees, every snapshot sees that is
// taken later; but readings overlap, and one that began earlier may be placed
// later. So a transaction is forgotten only when every reading under way began
// after a snapshot that saw it had been checked. It is pure; the stream's mutex
// guards it.
type passed struct {
	txns   []passedTxn
	checks uint64            // made so far
	began  map[uint64]uint64 // by reading: checks made when it began
	last   uint64            // reading
}

type passedTxn struct {
	xid  uint64
	seen uint64 // the number of the first check that saw it; 0: none yet
}

// add notes a transaction that is now in the channel.
func (p *passed) add(xid uint64) {
	if len(p.txns) == passedMax {
		p.txns = append(p.txns[:0], p.txns[passedMax/2:]...)
	}
	p.txns = append(p.txns, passedTxn{xid: xid})
}

// begin notes a reading whose snapshot has not been taken yet.
func (p *passed) begin() (reading uint64) {
	if p.began == nil {
		p.began = map[uint64]uint64{}
	}
	p.last++
	p.began[p.last] = p.checks
	return p.last
}

// end notes that a reading will not be checked any more.
func (p *passed) end(reading uint64) {
	delete(p.began, reading)
	p.forget()
}

// check tells whether a reading's snapshot sees every transaction in the channel.
func (p *passed) check(v backfill.Visibility) bool {
	p.checks++
	all := true
	for i := range p.txns {
		t := &p.txns[i]
		switch {
		case !v.Sees(t.xid):
			all = false
		case t.seen == 0:
			t.seen = p.checks
		}
	}
	p.forget()
	return all
}

func (p *passed) forget() {
	oldest := p.checks
	for _, began := range p.began {
		oldest = min(oldest, began)
	}
	p.txns = slices.DeleteFunc(p.txns, func(t passedTxn) bool { return t.seen != 0 && t.seen <= oldest })
}
