package arrange

// A pool's page has this many records.
const (
	poolShift = 10
	poolPage  = 1 << poolShift
)

// pool is an array of records in pages, so that growing moves nothing. Slots that
// were put back are used again, last first.
type pool[T any] struct {
	pages []*[poolPage]T
	n     uint32   // slots ever used
	free  []uint32 // put back
}

func (p *pool[T]) at(i uint32) *T { return &p.pages[i>>poolShift][i&(poolPage-1)] }

// take gives a slot; its record is as it was put back, or zero.
func (p *pool[T]) take() uint32 {
	if last := len(p.free) - 1; last >= 0 {
		i := p.free[last]
		p.free = p.free[:last]
		return i
	}
	if p.n>>poolShift == uint32(len(p.pages)) {
		p.pages = append(p.pages, new([poolPage]T))
	}
	p.n++
	return p.n - 1
}

func (p *pool[T]) put(i uint32) { p.free = append(p.free, i) }

// live is how many slots are in use.
func (p *pool[T]) live() int { return int(p.n) - len(p.free) }

// bytes is the memory held, for records of size bytes.
func (p *pool[T]) bytes(size int64) int64 {
	return int64(len(p.pages))*poolPage*size + int64(cap(p.free))*4 + int64(cap(p.pages))*8
}
