package capture

import (
	"testing"

	"github.com/weirstream/weir/internal/backfill"
)

// Two readers take snapshots, and the one that took the older places its marker
// last: what the newer has seen does not count for the older.
func TestAnOlderSnapshotIsJudgedByItself(t *testing.T) {
	st := &stream{}
	st.mu.passed = []uint64{700, 701}
	newer, older := backfill.Visibility{Xmin: 702, Xmax: 702}, backfill.Visibility{Xmin: 701, Xmax: 702, Xip: []uint64{701}}
	if !st.seesAllLocked(newer) {
		t.Error("the newer snapshot sees 700 and 701")
	}
	if st.seesAllLocked(older) {
		t.Error("the older snapshot does not see 701, which is in the channel")
	}
	if !st.seesAllLocked(newer) {
		t.Error("the newer snapshot still sees both")
	}
}
