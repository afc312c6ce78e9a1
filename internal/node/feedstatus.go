package node

import (
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/feed"
)

// Status implements control.Changefeeds.
func (c *changefeeds) Status(id string) (control.FeedStatus, bool) {
	f, err := c.get(id)
	if err != nil {
		return control.FeedStatus{}, false
	}
	st := f.Status()
	out := control.FeedStatus{
		State: control.State(st.State), CheckpointTs: st.CheckpointTs, ResolvedTs: st.ResolvedTs,
		ConsistentFrom: st.ConsistentFrom, StartTs: st.StartTs, LastSyncedTs: st.LastSyncedTs,
		PinTs: st.PinTs, PinBytes: st.PinBytes, RetryAt: st.RetryAt,
		Holder:   control.Holder(st.Holder),
		Tables:   []control.TableStatus{},
		TableIDs: []uint64{},
		Error:    feedFailure(st.Error),
		Counters: counters(st.Statistics),
	}
	if s := st.Snapshot; s != nil {
		out.Snapshot = control.Snapshot{RowsDone: s.RowsDone, RowsTotal: s.RowsTotal, Tables: s.Tables, ETA: s.ETASeconds}
	}
	for _, t := range st.Tables {
		out.Tables = append(out.Tables, control.TableStatus{
			Table: t.Name, Stage: t.Stage, Since: t.Since, RowsDone: t.RowsDone, RowsTotal: t.RowsTotal, Waits: t.Waits,
		})
	}
	if src, err := c.sources.get(f.def.Source); err == nil {
		for _, t := range src.Tables() {
			out.TableIDs = append(out.TableIDs, uint64(t.Table))
		}
	}
	return out, true
}

func feedFailure(e *feed.Error) *control.Failure {
	if e == nil {
		return nil
	}
	f := &control.Failure{Time: e.At, Code: e.Code, Message: e.Message, Hint: e.Hint}
	for _, field := range e.Fields {
		f.Fields = append(f.Fields, control.FailureField(field))
	}
	return f
}

func counters(s feed.Statistics) map[string]int64 {
	return map[string]int64{
		"inserts": s.Inserts, "updates": s.Updates, "deletes": s.Deletes, "reads": s.Reads, "truncates": s.Truncates,
		"schema_changes": s.SchemaChanges, "bytes": s.Bytes, "transactions": s.Transactions, "commits": s.Commits,
	}
}
