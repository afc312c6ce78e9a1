package capture

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
)

// jobs are the snapshots under way, one job a consumer.
type jobs struct {
	s   *Source
	ctx context.Context // of Run; nil until it begins

	mu      sync.Mutex
	running sync.WaitGroup
	all     map[string]*job
}

// job reads the tables one consumer asked for, chunk by chunk.
type job struct {
	s        *Source
	consumer string
	side     wal.Channel
	cancel   context.CancelFunc // nil while it is not running
	done     chan struct{}      // closed when it has ended

	mu      sync.Mutex
	writer  wal.Writer
	tables  map[row.TableID]*tableJob
	order   []row.TableID // as asked for
	changed chan struct{} // closed when tables were added or begin anew

	outcomes *outcomes
}

func newJobs(s *Source) *jobs { return &jobs{s: s, all: map[string]*job{}} }

// run starts what was asked for before and waits for all jobs to end with ctx.
func (j *jobs) run(ctx context.Context) {
	j.mu.Lock()
	j.ctx = ctx
	for _, job := range j.all {
		j.startLocked(job)
	}
	j.mu.Unlock()
	<-ctx.Done()
	j.mu.Lock()
	j.ctx = nil
	j.mu.Unlock()
	j.running.Wait()
}

func (j *jobs) startLocked(job *job) {
	if j.ctx == nil || job.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(j.ctx)
	job.cancel, job.done = cancel, make(chan struct{})
	j.running.Go(func() {
		defer close(job.done)
		defer cancel()
		job.run(ctx)
	})
}

// sideName is the name of a consumer's side channel.
func sideName(consumer string) string { return "snapshot-" + url.PathEscape(consumer) }

// Side is a consumer's snapshot channel, created on first use.
func (s *Source) Side(consumer string) (wal.Channel, error) {
	job, err := s.jobs.open(consumer)
	if err != nil {
		return nil, err
	}
	return job.side, nil
}

func (j *jobs) open(consumer string) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if job := j.all[consumer]; job != nil {
		return job, nil
	}
	side, err := j.s.opts.WAL.Channel(sideName(consumer))
	if err != nil {
		return nil, err
	}
	job := &job{
		s: j.s, consumer: consumer, side: side, tables: map[row.TableID]*tableJob{}, changed: make(chan struct{}),
		outcomes: newOutcomes(),
	}
	if err := job.outcomes.load(side); err != nil {
		return nil, err
	}
	j.all[consumer] = job
	return job, nil
}

// Backfill asks for snapshots of tables, or resumes them. Idempotent; of two
// requests for a table the higher attempt wins.
func (s *Source) Backfill(ctx context.Context, consumer string, requests []backfill.Request) error {
	if len(requests) == 0 {
		return nil
	}
	job, err := s.jobs.open(consumer)
	if err != nil {
		return err
	}
	if err := job.ask(ctx, requests); err != nil {
		return fmt.Errorf("ask for a snapshot for %s: %w", consumer, err)
	}
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	s.jobs.startLocked(job)
	return nil
}

// CancelBackfill ends a consumer's snapshots and removes its side channel.
func (s *Source) CancelBackfill(consumer string) error {
	s.jobs.mu.Lock()
	job := s.jobs.all[consumer]
	delete(s.jobs.all, consumer)
	s.jobs.mu.Unlock()
	if job != nil {
		if err := job.end(); err != nil {
			return err
		}
	}
	if err := s.forgetPlans(consumer); err != nil {
		return err
	}
	names, err := s.opts.WAL.Channels()
	if err != nil || !slices.Contains(names, sideName(consumer)) {
		return err
	}
	return s.opts.WAL.Remove(sideName(consumer))
}

// end stops the job and waits for its readers.
func (j *job) end() error {
	j.s.jobs.mu.Lock()
	cancel, done := j.cancel, j.done
	j.s.jobs.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writer != nil {
		if err := j.writer.Close(); err != nil {
			return err
		}
	}
	return j.side.Close()
}

func (j *jobs) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var first error
	for _, job := range j.all {
		job.mu.Lock()
		if job.writer != nil {
			if err := job.writer.Close(); err != nil && first == nil {
				first = err
			}
		}
		job.mu.Unlock()
		if err := job.side.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Progress is how far a consumer's snapshots are, by table.
func (s *Source) Progress(consumer string) []backfill.Progress {
	s.jobs.mu.Lock()
	job := s.jobs.all[consumer]
	s.jobs.mu.Unlock()
	if job == nil {
		return nil
	}
	job.mu.Lock()
	defer job.mu.Unlock()
	var all []backfill.Progress
	for _, id := range job.order {
		all = append(all, job.tables[id].progress())
	}
	return all
}
