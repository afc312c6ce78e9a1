package op_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new, run string }{
		"a pair is computed again":     {"join.go", "m.cursor, m.inside = other.walk(slot), true", "m.cursor = other.walk(slot)", "Join"},
		"weights do not multiply":      {"join.go", "j.pairs.add(p, i, row, w*v, other, out)", "j.pairs.add(p, i, row, w+0*v, other, out)", "Join"},
		"pads follow the epoch":        {"join_pads.go", "if note, marked := s.table.Note(slot); marked {\n\t\treturn note\n\t}", "", "TestJoinIs"},
		"pads are never taken back":    {"join_pads.go", "if before == now {", "if before == now || !now {", "TestJoinIs"},
		"NULL keys are dropped":        {"join_pads.go", "if !own.pads || !own.padWhen {", "if true {", "TestJoinIs"},
		"NULL keys match":              {"keys.go", "if !k.safe[j] && in.Cols[c].Null(i) {", "if !k.safe[j] && in.Cols[c].N < 0 {", "TestJoinIs"},
		"equal rows are not one":       {"rowset.go", "if len(head)-n != len(row) ||", "if len(row) > 0 ||", "TestJoinIs"},
		"degrees do not count weights": {"join_degree.go", "j.degrees[j.place[m]] += j.v[m]", "j.degrees[j.place[m]]++", "TestJoinWith"},
		"degrees of the others":        {"join_degree.go", "degree+p.in.Weight(int(j.sel[m]))", "degree+1", "TestJoinWith"},
		"rows without weight match":    {"join_degree.go", "if v == 0 {\n\t\t\t\tcontinue", "if v == 0 && j.at < 0 {\n\t\t\t\tcontinue", "TestJoinWith"},
		"NULL on the right":            {"join_notin.go", "key != nullKey && !null && !has", "key != nullKey && !has", "NotIn"},
		"an empty right":               {"join_notin.go", "if null != j.null || empty != j.empty {", "if null != j.null || empty != j.empty && null {", "NotIn"},
		"group is not found again":     {"join_notin.go", "\tif !j.find() {\n\t\treturn Miss\n\t}\n\treturn j.runFlush", "\treturn j.runFlush", "NotIn"},
		"unchanged results come out":   {"aggregate_flush.go", "if same(i) {\n\t\t\tcontinue", "if same(i) && i < 0 {\n\t\t\tcontinue", "TestAggregateSays"},
		"the old row stays":            {"aggregate_flush.go", "was := len(old) > 0 && (a.c.Global || getInt(old) > 0)", "was := len(old) > 0 && getInt(old) > 1", "TestAggregateIs"},
		"empty groups stay":            {"aggregate_flush.go", "if !a.c.Global && getInt(a.table.Head(slot)) == 0 {", "if false {", "TestAggregateIs"},
		"no row of nothing":            {"aggregate_flush.go", "if a.c.Global && !a.global && !a.makeGlobal() {", "if a.c.Global && false && !a.makeGlobal() {", "TestAggregateIs"},
		"DISTINCT counts all":          {"aggregate_distinct.go", "if (old > 0) == (old+w > 0) {\n\t\t\tcontinue", "if w == 0 {\n\t\t\tcontinue", "TestAggregateIs"},
		"FILTER of DISTINCT":           {"aggregate_distinct.go", "return d.filters[f] < 0 || isTrue(in.Cols[d.filters[f]], i)", "return true", "TestAggregateIs"},
		"values stay":                  {"aggregate_distinct.go", "if allZero(head[:fixed]) {", "if false {", "TestAggregateIs"},
		"wide sums lose the high word": {"acc_sum.go", "hi -= uint64(x>>63)&uint64(w) + uint64(w>>63)&uint64(x)", "_ = hi", "TestAggregateIs|TestSums"},
		"float sums lose a carry":      {"acc_float.go", "for at += 3; carry != 0 && at < limbs; at++ {", "for at += 3; carry != 0 && at < 0; at++ {", "TestSums"},
		"the largest first":            {"acc_extreme.go", "return zset.Order{Desc: max}", "return zset.Order{Desc: false && max}", "TestAggregateIs"},
		"DISTINCT never goes":          {"distinct.go", "if was != (n > 0) {", "if !was && n > 0 {", "TestDistinct"},
		"peers are not peers":          {"topn_window.go", "peers, rank = order, before+1", "peers, rank = order, before", "TestTopN"},
		"offset":                       {"topn_window.go", "from, to := max(before, t.c.Offset), before+w", "from, to := before, before+w", "TestTopN"},
		"cut too much":                 {"topn.go", "if total-drop < t.end() {\n\t\t\tbreak", "if total-drop < t.end() && t.c.Rank != 1 {\n\t\t\tbreak", "TestTopN"},
		"beyond its equals":            {"topn.go", "bytes.Compare(suffix[:min(len(suffix), len(order))], order) < 0", "bytes.Compare(suffix[:min(len(suffix), len(order))], order) <= 0", "TestTopN"},
		"rank alone moves no row":      {"topn.go", "if c := bytes.Compare(a.suffix, b.suffix); c != 0 || !t.c.EmitRank {", "if c := bytes.Compare(a.suffix, b.suffix); true {", "TestTopN"},
		"two are one":                  {"maxone.go", "case total > 1:", "case total > 2:", "TestMaxOne"},
		"an insert is no update":       {"upsert.go", "u.before.data = append(u.before.data, u.table.Head(slot)...)", "", "TestUpsert"},
		"unchanged values are NULL":    {"upsert.go", "marks[c>>3]>>(c&7)&1 != 0 {", "marks[c>>3]>>(c&7)&1 > 1 {", "TestUpsert"},
		"the old key stays":            {"upsert.go", "if from != slot {\n\t\tu.touch(from, -1)\n\t\tu.table.DropHead(from)\n\t}", "", "TestUpsert"},
		"truncate of what is cold":     {"upsert_rows.go", "if c.bucket >= 256 || !u.table.Cold() {", "if true {", "TestUpsert|TestTruncate"},
		"truncate of other shards":     {"upsert_rows.go", "c.bucket%c.shards != c.shard", "c.bucket%c.shards < 0", "TestTruncate"},
		"materialize tells twice":      {"materialize.go", "if had := weightIn(old, row); had < w {", "if had := weightIn(old, row); had < w || true {", "TestMaterialize"},
		"negative weights pass":        {"materialize.go", "if w < 0 {\n\t\t\treturn n, m.negative(slot, row, w)\n\t\t}", "", "TestANegative"},
		"windows of NULL":              {"hop.go", "case v.Null(i):\n", "case false:\n", "TestHop"},
		"a window too many":            {"hop.go", "h.micros(v, i) < from+h.c.Size", "h.micros(v, i) <= from+h.c.Size", "TestHop"},
		"failed rows pass":             {"stateless.go", "c = c.Gather(without(nil, in.N, errs))", "", "TestFilter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, m.run)
		})
	}
}
