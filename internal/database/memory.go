package database

import (
	"fmt"
	"sync/atomic"

	"github.com/weirstream/weir/internal/sql"
)

// Memory is what the queries and transactions of all databases may hold together, in
// bytes. What asks for more than is left fails; what is under way keeps what it has.
type Memory struct {
	limit int64
	used  atomic.Int64
}

// NewMemory has so many bytes.
func NewMemory(limit int64) *Memory { return &Memory{limit: limit} }

// hold is the part of it that one query or transaction has.
type hold struct {
	of *Memory
	n  int64
}

// set makes it n bytes.
func (h *hold) set(n int64) error {
	more := n - h.n
	if now := h.of.used.Add(more); more > 0 && now > h.of.limit {
		h.of.used.Add(-more)
		return &sql.Error{
			Code: "53200", Message: "out of memory", Pos: -1,
			Detail: fmt.Sprintf("The statement holds %d MiB and needs more; all together have %d of the %d MiB that sql.query_memory_bytes allows.",
				h.n>>20, (now-more)>>20, h.of.limit>>20),
			Hint: "Read or write in smaller parts, or raise sql.query_memory_bytes.",
		}
	}
	h.n = n
	return nil
}

// free gives all of it back. It may be called again.
func (h *hold) free() {
	h.of.used.Add(-h.n)
	h.n = 0
}
