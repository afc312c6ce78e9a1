package local

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// TestMutants breaks one invariant at a time, and demands that the tests notice.
func TestMutants(t *testing.T) {
	if raceEnabled {
		t.Skip("they run without the race detector")
	}
	for _, m := range []struct{ what, file, old, new, run string }{
		{"durable mark before the sync", "syncer.go",
			"if err := w.tail.Sync(); err != nil {\n\t\treturn diskErrorUnknown(err, c.name)\n\t}\n\tc.opts.Metrics", "w.publish(g, seg, &sum, high)\n\tif err := w.tail.Sync(); err != nil {\n\t\treturn diskErrorUnknown(err, c.name)\n\t}\n\tc.opts.Metrics", "TestMarkBeforeSync"},
		{"no sync at all", "syncer.go", "if err := w.tail.Sync(); err != nil {", "if err := error(nil); err != nil {", "TestCrashAtEachSync"},
		{"body checksum not checked", "frame.go", "if crc32.Checksum(b[frameHeader:frameHeader+padded(n)], castagnoli) != storedBodyCRC(b) {", "if false {", "TestFlippedByteInLastGroup"},
		{"header checksum not checked", "frame.go", "return binary.LittleEndian.Uint32(b[28:]) == headerCRC(b, salt, off)", "return true", "TestFlippedBitOfEveryByte"},
		{"old writer not fenced", "writer.go", "case w.dead != nil:", "case false:", "TestConformance/Fencing"},
		{"term not raised", "lead.go", "term := c.ctl.term + 1", "term := max(c.ctl.term, 1)", "TestConformance/(Fencing|Terms)"},
		{"old terms are read", "reader.go", "f.kind != kindEntry || f.term < r.term", "f.kind != kindEntry", "TestStaleTerm"},
		{"clock starts below the ceiling", "lead.go", "start := max(c.ctl.ceiling, c.durable)", "start := c.durable", "TestClockSetBack"},
		{"ceiling not durable", "writer.go", "err := c.writeControl(func(k *control) { k.ceiling = max(k.ceiling, ceiling) })", "var err error", "TestCeiling"},
		{"promise before what is buffered", "writer.go", "if w.active.summary.count == 0 && w.flushing == nil && w.promised > c.resolved {", "if w.promised > c.resolved {", "TestMarkBeforeSync"},
		{"segments go before the start is raised", "channel.go", "k.truncated, k.firstSeg = max(k.truncated, upTo), max(k.firstSeg, first)", "k.truncated = max(k.truncated, upTo); c.ctl.firstSeg = first", "TestConformance/Truncation|TestCrashAtEachSync|TestModel"},
		{"parts stay with their segment", "channel.go", "if a.ts <= c.ctl.truncated && ", "if seg.no < c.ctl.firstSeg && ", "TestConformance/Large"},
		{"parts go too early", "channel.go", "if a.ts <= c.ctl.truncated && ", "if true && ", "TestConformance/Large"},
		{"parts go before the start is raised", "channel.go", "k.truncated, k.firstSeg = max(k.truncated, upTo), max(k.firstSeg, first)", "k.firstSeg = max(k.firstSeg, first); c.ctl.truncated = max(c.ctl.truncated, upTo); c.unlink()", "TestCrashAtEachSync|TestModel"},
		{"truncated parts taken for missing", "verify.go", "if at <= v.truncated() {", "if false && at <= 0 {", "TestTruncatedParts"},
		{"torn tail taken for damage", "judge.go", "if zeros <= written || flipped", "if true || flipped", "TestTornLastGroup"},
		{"damage taken for a torn tail", "judge.go", "if zeros <= written || flipped", "if false && flipped", "TestFlippedByteInLastGroup"},
		{"damaged mark taken for a torn one", "judge.go", "if s.open > 0 && !s.hurt {", "if false {", "TestFlippedByteInLastGroup"},
		{"missing segment skipped", "reader.go", "if r.seg.missing != 0 {", "if false {", "TestMissingSegments"},
		{"failed sync repeated", "syncer.go", "if err := w.tail.Sync(); err != nil {", "if err := w.tail.Sync(); err != nil && w.tail.Sync() != nil {", "TestFailedSyncIsUnknown/commit"},
		{"full disk is fatal", "syncer.go", "if !full || giveUp {", "if true {", "TestFullDiskPauses/write"},
		{"orphaned parts stay", "parts.go", "if !named[no] && !c.damaged {", "if !named[no] && false {", "TestConformance/Large"},
	} {
		t.Run(m.what, func(t *testing.T) { mutant.Kill(t, ".", m.file, m.old, m.new, m.run) })
	}
}
