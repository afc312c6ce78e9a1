package worker

import (
	"encoding/binary"
	"log/slog"
	"os"
	"sync"

	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// spill keeps changes that wait for a reader: in memory up to a bound, beyond it in a
// file without a name. Writing is done by a goroutine of its own, newest first.
//
//	file   { length(4) { weight (varint) row, exact }… }…    a block: some thousand rows
type spill struct {
	limit int64
	dir   string
	log   *slog.Logger

	mu     sync.Mutex
	bytes  int64 // in memory
	live   int   // held in the file
	queue  []*held
	file   *os.File
	end    int64
	err    error // the file cannot be written: everything stays in memory
	work   bool  // the goroutine runs
	closed bool
	done   sync.WaitGroup
}

// held is a chunk that waits.
type held struct {
	chunk    *zset.Chunk // nil: it is in the file, or gone
	bytes    int64
	from, to int64 // in the file
	gone     bool
}

// spillRows is how many rows make a block.
const spillRows = 4 << 10

func newSpill(o *Options) *spill { return &spill{limit: o.Wait, dir: o.TempDir, log: o.Log} }

// wait takes a chunk.
func (s *spill) wait(c *zset.Chunk) *held {
	w := &held{chunk: c, bytes: chunkBytes(c)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += w.bytes
	s.queue = append(s.queue, w)
	if s.bytes > s.limit && !s.work && s.err == nil && !s.closed {
		s.work = true
		s.done.Go(s.run)
	}
	return w
}

// chunkBytes is about what a chunk takes.
func chunkBytes(c *zset.Chunk) int64 {
	n := int64(c.N) * 8
	for _, v := range c.Cols {
		n += int64(c.N) * 8
		for i := range v.Refs {
			n += int64(v.Refs[i].Len)
		}
	}
	return n
}

// run writes until what is in memory is within the bound.
func (s *spill) run() {
	for {
		w, chunk := s.pick()
		if w == nil {
			return
		}
		from, to, err := s.write(chunk)
		s.mu.Lock()
		switch {
		case err != nil:
			s.err, s.work = err, false
			s.mu.Unlock()
			s.log.Warn("changes that wait for a job being created cannot go to a file, and stay in memory", "error", err)
			return
		case !w.gone:
			w.from, w.to, w.chunk = from, to, nil
			s.bytes -= w.bytes
			s.live++
		}
		s.mu.Unlock()
	}
}

// pick takes the newest chunk that is too much.
func (s *spill) pick() (*held, *zset.Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for last := len(s.queue) - 1; last >= 0 && s.bytes > s.limit && !s.closed; last-- {
		w := s.queue[last]
		s.queue = s.queue[:last]
		if !w.gone {
			return w, w.chunk
		}
	}
	s.work = false
	return nil, nil
}

// write appends a chunk to the file. Only run calls it.
func (s *spill) write(c *zset.Chunk) (from, to int64, err error) {
	s.mu.Lock()
	if s.file == nil {
		if s.file, err = os.CreateTemp(s.dir, "weir-changes-*"); err == nil {
			err = os.Remove(s.file.Name())
		}
	}
	if s.live == 0 {
		s.end = 0
	}
	from = s.end
	s.mu.Unlock()
	to = from
	var buf []byte
	for i := 0; i < c.N && err == nil; {
		buf = append(buf[:0], 0, 0, 0, 0)
		for last := min(i+spillRows, c.N); i < last; i++ {
			buf = binary.AppendVarint(buf, c.Weight(i))
			buf = zset.AppendExactRow(buf, c.Cols, i)
		}
		binary.BigEndian.PutUint32(buf, uint32(len(buf)-4))
		_, err = s.file.WriteAt(buf, to)
		to += int64(len(buf))
	}
	s.mu.Lock()
	s.end = to
	s.mu.Unlock()
	return from, to, err
}

// read gives a chunk back, in pieces.
func (s *spill) read(w *held, kinds []zset.Kind, fn func(c *zset.Chunk) error) error {
	s.mu.Lock()
	chunk, from, to, file := w.chunk, w.from, w.to, s.file
	s.mu.Unlock()
	if chunk != nil {
		for i := 0; i < chunk.N; i += stepRows {
			if err := fn(chunk.Slice(i, min(i+stepRows, chunk.N))); err != nil {
				return err
			}
		}
		return nil
	}
	var buf []byte
	for from < to {
		var head [4]byte
		if _, err := file.ReadAt(head[:], from); err != nil {
			return err
		}
		n := int(binary.BigEndian.Uint32(head[:]))
		buf = append(buf[:0], make([]byte, n)...)
		if _, err := file.ReadAt(buf, from+4); err != nil {
			return err
		}
		from += int64(4 + n)
		c, err := decodeBlock(buf, kinds)
		if err != nil {
			return err
		}
		if err := fn(c); err != nil {
			return err
		}
	}
	return nil
}

func decodeBlock(buf []byte, kinds []zset.Kind) (*zset.Chunk, error) {
	c := zset.NewChunk(kinds, spillRows)
	for len(buf) > 0 {
		weight, n := binary.Varint(buf)
		if n <= 0 {
			return nil, weirerr.New(weirerr.StoreCorrupt, "changes in a temporary file do not decode")
		}
		rest, err := zset.DecodeExactRow(c.Cols, buf[n:])
		if err != nil {
			return nil, err
		}
		c.AppendWeight(weight)
		buf = rest
	}
	return c, nil
}

// forget says that a chunk was read, or is not needed.
func (s *spill) forget(w *held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.gone {
		return
	}
	w.gone = true
	if w.chunk != nil {
		s.bytes -= w.bytes
		w.chunk = nil
	} else {
		s.live--
	}
	for len(s.queue) > 0 && s.queue[0].gone {
		s.queue = s.queue[1:]
	}
}

// close gives the file back.
func (s *spill) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.done.Wait()
	if s.file != nil {
		_ = s.file.Close()
	}
}
