package capture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/wal"
)

// recorder is a LargeWriter that keeps its parts in memory.
type recorder struct {
	attempt uint64
	parts   []recordedPart
	aborted bool
}

type recordedPart struct {
	sub     uint64
	changes []byte
}

func (r *recorder) Part(sub uint64, changes []byte) error {
	r.parts = append(r.parts, recordedPart{sub, bytes.Clone(changes)})
	return nil
}

func (r *recorder) Seal(subs []uint64) (*wal.LargeRef, error) {
	return &wal.LargeRef{Attempt: r.attempt, Subs: subs, Changes: -1}, nil
}

func (r *recorder) Abort() error {
	r.aborted = true
	return nil
}

// surviving is what a reader of the parts sees.
func (r *recorder) surviving(ref *wal.LargeRef) []byte {
	var out []byte
	for _, p := range r.parts {
		if ref.Subs == nil || slices.Contains(ref.Subs, p.sub) {
			out = append(out, p.changes...)
		}
	}
	return out
}

// TestAssemblerKeepsWhatSurvives interleaves transactions of every size, with
// rollbacks of sub-transactions and of whole ones, and compares with a list.
func TestAssemblerKeepsWhatSurvives(t *testing.T) {
	large := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var made []*recorder
		a := newAssembler(func() (wal.LargeWriter, error) {
			made = append(made, &recorder{attempt: uint64(len(made))})
			return made[len(made)-1], nil
		})
		model := map[uint64][]recordedPart{}
		subs := map[uint64]uint64{} // current sub-transaction of each
		next := uint64(10)          // ids are never reused
		for step := range 150 {
			txn := uint64(1 + rng.IntN(3))
			switch n := rng.IntN(20); {
			case n < 14:
				if subs[txn] == 0 || rng.IntN(4) == 0 {
					next++
					subs[txn] = next
				}
				data := bytes.Repeat([]byte{byte(step)}, 1+rng.IntN(60<<10))
				if err := a.add(txn, subs[txn], data); err != nil {
					t.Fatal(err)
				}
				model[txn] = append(model[txn], recordedPart{subs[txn], data})
			case n < 17 && subs[txn] != 0:
				if err := a.abort(txn, subs[txn]); err != nil {
					t.Fatal(err)
				}
				model[txn] = slices.DeleteFunc(model[txn], func(p recordedPart) bool { return p.sub == subs[txn] })
				delete(subs, txn)
			case n < 18:
				if err := a.abort(txn, txn); err != nil {
					t.Fatal(err)
				}
				delete(model, txn)
				delete(subs, txn)
			default:
				var want []byte
				for _, p := range model[txn] {
					want = append(want, p.changes...)
				}
				delete(model, txn)
				delete(subs, txn)
				var e wal.Entry
				release, err := a.finish(txn, &e)
				if err != nil {
					t.Fatal(err)
				}
				got := e.Changes
				if e.Large != nil {
					large++
					got = made[e.Large.Attempt].surviving(e.Large)
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("seed %d step %d: the transaction has %d bytes, want %d", seed, step, len(got), len(want))
				}
				release()
			}
		}
		if err := a.reset(); err != nil || len(a.open) != 0 {
			t.Fatalf("after reset %d transactions are open, error %v", len(a.open), err)
		}
	}
	if large < 100 {
		t.Errorf("only %d large transactions were met", large)
	}
}

// TestAssemblerDoesNotAllocate: the path of every small transaction.
func TestAssemblerDoesNotAllocate(t *testing.T) {
	a := newAssembler(nil)
	changes := bytes.Repeat([]byte{1}, 200)
	txn := uint64(0)
	n := testing.AllocsPerRun(1000, func() {
		txn++
		if err := a.add(txn, txn, changes); err != nil {
			t.Fatal(err)
		}
		e := wal.Entry{}
		release, err := a.finish(txn, &e)
		if err != nil || len(e.Changes) != 200 {
			t.Fatal(fmt.Sprint(err, len(e.Changes)))
		}
		release()
	})
	if n > 1 { // the release closure
		t.Errorf("a small transaction allocates %.0f times", n)
	}
}
