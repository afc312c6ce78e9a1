package postgres

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// Each invariant of netting, of the position and of a piece's fallback has a
// mutant that the tests kill.
func TestApplyMutants(t *testing.T) {
	const pure = "TestNetting|TestCopyText"
	for _, m := range []struct{ name, file, old, new, run string }{
		{"an unchanged column is lost", "apply_net.go", "e.base = e.image\n", "e.base = span{}\n", pure},
		{"masks are not combined", "apply_net.go", "e.base = t.whole(e)\n", "\n", pure},
		{"a moved row keeps its old key", "apply_net.go", "t.entries[i].cur = key\n", "\n", pure},
		{"moves in no order", "apply_netted.go", "held[string(t.p.bytes(e.cur))] {", "false {", pure},
		{"a stale term commits", "sink_position.go", " AND term = ` + strconv.FormatInt(int64(a.lane.Term), 10) + `", " AND term > ` + strconv.FormatInt(0, 10) + `", "TestSinkFencing"},
		{"a lower term claims", "sink_position.go", "WHERE p.term <= EXCLUDED.term", "WHERE p.term > 0 AND EXCLUDED.term > 0", "TestSinkFencing"},
		{"the position moves from anywhere", "sink_position.go", "AND ts IS NOT DISTINCT FROM $4::text::int8 AND", "AND ($4::text::int8 IS NULL OR true) AND", "TestSinkCASOnPosition"},
		{"a delete after the inserts", "apply.go", "if !w.parent {", "if false {", "TestSinkAudit"},
		{"no replay", "apply.go", "if !errors.Is(err, errInTurn) && !refused(err) {", "if true {", "TestSinkReplay"},
		{"a flight behind a failed commit commits", "sink_position.go", "AND ts IS NOT DISTINCT FROM $4::text::int8 AND", "AND ($4::text::int8 IS NULL OR true) AND", "TestAheadRefusedAtCommit"},
		{"what was assumed ahead stays after a failure", "apply_ahead.go", "a.state, a.pre = f.before, a.pre[:0]", "a.pre = a.pre[:0]", "TestAheadIsReplayed"},
		{"nobody counts what an update finds", "apply_stmt.go", "(count(*) >= cardinality($1::text[]))", "(count(*) >= 0)", "TestAheadMissesARow"},
		{"statements that were skipped keep their names", "apply_ahead.go", "a.forgetStatements()\n\t_, err", "_, err", "TestAheadIsReplayed"},
		{"what is behind a failed flight is lost", "sink_worker.go", "for _, f := range failed {", "for _, f := range failed[:1] {", "TestAheadIsReplayed"},
		{"a closed sink goes on at the target", "sink_worker.go", "_ = w.a.conn.PgConn().CancelRequest(ctx)", "_ = ctx", "TestAheadClosed"},
		{"a table is empty for ever", "apply_ahead.go", "clear(a.vacant)\n\tback", "back", "TestChunkAhead"},
		{"a chunk deletes nothing", "apply_chunk.go", "if !k.Reconcile {\n\t\treturn nil", "if true {\n\t\treturn nil", "TestChunkReconciles"},
	} {
		t.Run(m.name, func(t *testing.T) { mutant.Kill(t, ".", m.file, m.old, m.new, m.run) })
	}
}
