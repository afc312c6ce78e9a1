package state

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2/bloom"
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

// writeFiles writes the deltas, merged, into files, and makes them durable. The
// names written so far are returned with an error too.
func (s *Store) writeFiles(ctx context.Context, sealed *Sealed, deltas []*Delta) (files []string, err error) {
	var (
		w   *sstable.Writer
		key []byte
	)
	next := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		files = append(files, fmt.Sprintf("%d-%d-%s-%d.sst", sealed.Graph.Database, sealed.Graph.Part, sealed.Epoch, len(files)))
		w, err = s.writer(files[len(files)-1])
		return err
	}
	err = merge(deltas, func(table uint32, k, value []byte) error {
		if w != nil && w.Raw().EstimatedSize() > uint64(s.opts.fileBytes) {
			if err := w.Close(); err != nil {
				return err
			}
			w = nil
		}
		if w == nil {
			if err := next(); err != nil {
				return err
			}
		}
		key = append(appendTable(key[:0], sealed.Graph.Database, table), k...)
		if value == nil {
			return w.Delete(key)
		}
		return w.Set(key, value)
	})
	if w != nil {
		err = errors.Join(err, w.Close())
	}
	if err == nil {
		err = s.syncStage()
	}
	return files, name.Error(err)
}

// writer begins a sorted file.
func (s *Store) writer(file string) (*sstable.Writer, error) {
	if err := s.fs.MkdirAll(s.fs.PathJoin(s.dir, stageDir), 0o700); err != nil {
		return nil, err
	}
	f, err := s.fs.Create(s.path(file), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	o := sstable.WriterOptions{
		TableFormat: s.db.TableFormat(), BlockSize: 16 << 10, FilterPolicy: bloom.FilterPolicy(10), Compression: sstable.NoCompression,
	}
	return sstable.NewWriter(objstorageprovider.NewFileWritable(f), o), nil
}

// mark writes the file that moves the applied epoch, and removes the staged record.
func (s *Store) mark(g Graph, epoch ts.Ts) (string, error) {
	file := fmt.Sprintf("%d-%d-%s-applied.sst", g.Database, g.Part, epoch)
	w, err := s.writer(file)
	if err != nil {
		return "", err
	}
	err = errors.Join(
		w.Set(appliedKey(g), binary.BigEndian.AppendUint64(nil, uint64(epoch))),
		w.Delete(stagedKey(g, epoch)),
		w.Close())
	if err == nil {
		err = s.syncStage()
	}
	return file, err
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
