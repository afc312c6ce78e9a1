package state

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/ts"
)

// Sealed files lie in a directory of their own inside Pebble's, so that Ingest
// can link them. Each is a sorted table: Ingest shows all of an epoch's at once,
// together with a small one that moves the applied epoch.
const stageDir = "sealed"

func (s *Store) path(file string) string { return s.fs.PathJoin(s.dir, stageDir, file) }

// writeFiles writes the deltas, merged, into files, several at a time, and the mark, and makes
// them durable. The names written so far are returned with an error too.
func (s *Store) writeFiles(ctx context.Context, sealed *Sealed, deltas []*Delta) ([]string, error) {
	if err := s.fs.MkdirAll(s.fs.PathJoin(s.dir, stageDir), 0o700); err != nil {
		return nil, name.Error(err)
	}
	parts := cutUp(deltas, min(runtime.GOMAXPROCS(0), int(2*sealed.Bytes/int64(s.opts.StageBytes))))
	files := make([][]string, len(parts))
	errs := make([]error, len(parts))
	var writing sync.WaitGroup
	for i, p := range parts {
		writing.Go(func() {
			w := part{s: s, prefix: fmt.Sprintf("%d-%d-%s-%d", sealed.Graph.Database, sealed.Graph.Part, sealed.Epoch, i)}
			errs[i] = w.write(ctx, sealed.Graph.Database, p)
			files[i] = w.names
		})
	}
	mark, err := s.mark(sealed.Graph, sealed.Epoch)
	writing.Wait()
	if err = errors.Join(err, errors.Join(errs...)); err == nil {
		err = s.syncStage()
	}
	return append(slices.Concat(files...), mark), name.Error(err)
}

// cutUp cuts deltas into n parts of about equal size, each of the entries between two
// buckets of tables. No two parts overlap.
func cutUp(deltas []*Delta, n int) [][]deltaIter {
	type bucket struct{ at, bytes int } // at: the bucket, behind the table
	var all []bucket
	total := 0
	for _, d := range deltas {
		for i, m := range d.marks {
			end := d.bytes
			if i+1 < len(d.marks) {
				end = d.marks[i+1].bytes
			}
			all = append(all, bucket{int(d.Table)<<8 | int(m.bucket), end - m.bytes})
		}
		total += d.bytes
	}
	slices.SortFunc(all, func(a, b bucket) int { return a.at - b.at })
	cuts, sum := []int{0}, 0
	for _, b := range all {
		if len(cuts) < n && sum >= total*len(cuts)/n && b.at > cuts[len(cuts)-1] {
			cuts = append(cuts, b.at)
		}
		sum += b.bytes
	}
	cuts = append(cuts, math.MaxInt)
	parts := make([][]deltaIter, len(cuts)-1)
	for i := range parts {
		for _, d := range deltas {
			base := int(d.Table) << 8
			low, high := min(max(cuts[i]-base, 0), 256), min(max(cuts[i+1]-base, 0), 256)
			if low < high {
				parts[i] = append(parts[i], d.part(low, high))
			}
		}
	}
	return parts
}

// part writes one part.
type part struct {
	s      *Store
	prefix string
	names  []string
	w      *sstable.Writer
}

// looked is how often the size of the file at hand is looked at, in entries.
const looked = 64

func (f *part) write(ctx context.Context, database uint32, entries []deltaIter) error {
	var key []byte
	n := 0
	err := merge(entries, func(table uint32, k, value []byte) error {
		if n++; f.w != nil && n%looked == 0 && f.w.Raw().EstimatedSize() > uint64(f.s.opts.fileBytes) {
			err := f.w.Close()
			if f.w = nil; err != nil {
				return err
			}
		}
		if f.w == nil {
			if err := f.next(ctx); err != nil {
				return err
			}
		}
		key = append(appendTable(key[:0], database, table), k...)
		if value == nil {
			return f.w.Delete(key)
		}
		return f.w.Set(key, value)
	})
	if f.w != nil {
		err = errors.Join(err, f.w.Close())
	}
	return err
}

// next begins another file.
func (f *part) next(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	file := fmt.Sprintf("%s-%d.sst", f.prefix, len(f.names))
	f.names = append(f.names, file)
	f.w, err = f.s.writer(file)
	return err
}

// writer begins a sorted file. Rows are written in the older format of blocks: it takes two thirds
// of the time, and they are merged into others soon.
func (s *Store) writer(file string) (*sstable.Writer, error) {
	f, err := s.fs.Create(s.path(file), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	o := sstable.WriterOptions{
		TableFormat: sstable.TableFormatPebblev4, BlockSize: 16 << 10, Compression: sstable.NoCompression,
		Comparer: comparer, FilterPolicy: filter,
	}
	return sstable.NewWriter(objstorageprovider.NewFileWritable(f), o), nil
}

// mark writes the file that moves the applied epoch, and removes the staged record.
func (s *Store) mark(g Graph, epoch ts.Ts) (string, error) {
	file := fmt.Sprintf("%d-%d-%s-applied.sst", g.Database, g.Part, epoch)
	w, err := s.writer(file)
	if err != nil {
		return file, err
	}
	return file, errors.Join(
		w.Set(appliedKey(g), binary.BigEndian.AppendUint64(nil, uint64(epoch))),
		w.Delete(stagedKey(g, epoch)),
		w.Close())
}

// syncStage makes the names of files durable.
func (s *Store) syncStage() error {
	for _, dir := range []string{s.fs.PathJoin(s.dir, stageDir), s.dir} {
		d, err := s.fs.OpenDir(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(d.Sync(), d.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) removeFiles(files []string) (err error) {
	for _, f := range files {
		if e := s.fs.Remove(s.path(f)); e != nil && !isNotExist(e) {
			err = errors.Join(err, e)
		}
	}
	return name.Error(err)
}

// tidy removes files that no staged record names: a seal that a crash interrupted,
// or one that was applied.
func (s *Store) tidy() error {
	there, err := s.fs.List(s.fs.PathJoin(s.dir, stageDir))
	if isNotExist(err) {
		return nil
	}
	if err != nil {
		return name.Error(err)
	}
	named := map[string]bool{}
	err = each(s.db, stagedPrefix, func(key, value []byte) error {
		st, err := decodeStaged(0, value)
		for _, f := range st.files {
			named[f] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	var gone []string
	for _, f := range there {
		if strings.HasSuffix(f, ".sst") && !named[f] {
			gone = append(gone, f)
		}
	}
	return s.removeFiles(gone)
}
