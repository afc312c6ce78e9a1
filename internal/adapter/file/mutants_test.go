package file

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	const crash, fence = "^Test(Power|Crashes)", "^Test(AnOlder|AnOwner)"
	for _, m := range []struct{ file, old, new, run string }{
		// A commit is not durable, or not in order.
		{"sink.go", "if err := s.data.sync(); err != nil {", "if err := error(nil); err != nil {", crash},
		{"data.go", "	if f.named {", "	if true {", crash},
		{"ledger.go", writeAndSync, "_, err = l.file.Write(line)", crash},
		{"ledger.go", writeAndSync + newline, "if _, err = l.file.Write(append(line, '\\n')); err == nil {\n\t\terr = l.file.Sync()\n\t}", crash},
		{"ledger.go", "	if err == nil {\n\t\terr = f.Sync()\n\t}", "", crash},
		{"ledger.go", "err = l.disk.SyncDir(l.dir)", "err = nil", "^TestAnIdle"},
		{"ledger.go", "	return l.clear()", "	return nil", crash},
		{"manifest.go", "if !complete && !owner {", "if false {", crash},
		{"manifest.go", "if n := len(m.files); n > 0 && m.files[n-1].File == r.File {", "if n := len(m.files); n > 0 {", crash},
		// An older owner writes.
		{"ledger.go", "if size == l.size && id == l.id {", "if size == l.size && id == l.id || size > 0 {", fence},
		{"ledger.go", "if l.m.term > lane.Term {", "if false {", fence},
		{"record.go", `"%020d-%s-t%d%s", uint64(begin.Ts), offset, term, dataSuffix`, `"%020d-%s-t%d%s", uint64(begin.Ts), offset, term*0, dataSuffix`, fence},
		{"data.go", "err != nil || err2 != nil || ours != there", "err != nil || err2 != nil || ours < 0*there", fence},
		// Positions and resolved lines.
		{"sink.go", "pos.Less(before) || pos == before && changed", "pos.Less(before)", "^TestCommits"},
		{"sink.go", "s.cfg.Resolved > 0 && pos.Offset == 0 && s.now()", "s.cfg.Resolved > 0 && s.now()", "^TestResolved"},
		{"sink.go", "clean && ok && before.Less(s.idle)", "false && clean && ok && before.Less(s.idle)", "^TestResolved"},
		{"sink.go", "s.lastLSN, s.lsn = s.lsn, lsn", "s.lsn = lsn", "^TestTheSequence"},
		{"manifest.go", "if m.last.End != nil && m.last.File == \"\" {", "if false {", "^TestAnIdle"},
		// Damage.
		{"reader.go", "r.sum != r.m.files[r.at].CRC32", "false", "^TestAFlipped"},
		{"manifest.go", "line = line[:bytes.LastIndexByte(line, '}')+1]", "", "^TestADamaged"},
		{"ledger.go", "case size < r.Bytes:", "case false:", "^TestAReal"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, m.run)
	}
}

// What a commit does: the second mutant of it shows readers a record before it is durable.
const (
	writeAndSync = "if _, err = l.file.Write(line); err == nil {\n\t\terr = l.file.Sync()\n\t}"
	newline      = "\n\tif err == nil {\n\t\t_, err = l.file.Write([]byte{'\\n'})\n\t}"
)
