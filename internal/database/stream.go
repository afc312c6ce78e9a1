package database

import (
	"strconv"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/worker"
	"github.com/weirstream/weir/internal/zset"
)

// Generator makes the rows of a stream: rows of events [from, to), a pure function.
type Generator interface {
	Fill(from, to int64) *zset.Chunk
}

// stream passes the rows of a generator; nobody keeps them.
func (db *Database) stream(rec *relationRecord, id dataflow.JobID) (*job, error) {
	gen, group, err := db.o.Streams(&rec.Relation)
	if err != nil {
		return nil, err
	}
	flow, input, err := dataflow.Stream(id, rec.Name, rec.FirstTable)
	if err != nil {
		return nil, err
	}
	s := &worker.Stream{Name: group, Fill: gen.Fill}
	if s.End, err = option(&rec.Relation, "nexmark.event.num", 0); err != nil {
		return nil, err
	}
	gap, err := option(&rec.Relation, "nexmark.min.event.gap.in.ns", 0)
	if err != nil {
		return nil, err
	}
	if gap > 0 {
		began := time.Now()
		s.Ready = func(now time.Time) int64 { return int64(now.Sub(began)) / gap }
	}
	return &job{rec: rec, job: worker.Job{Job: flow, Inputs: []worker.Input{{Node: input, Stream: s}}}}, nil
}

// option reads a number of WITH.
func option(rel *catalog.Relation, name string, otherwise int64) (int64, error) {
	text, ok := rel.Options[name]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, &sql.Error{Code: sql.InvalidParameter, Message: "option " + name + " is not a number: " + text, Pos: -1}
	}
	return n, nil
}
