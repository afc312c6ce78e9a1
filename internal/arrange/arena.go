package arrange

import "encoding/binary"

// Blocks are counted in units of 8 bytes. The first unit of a block is its header:
// owner (4 bytes) and length in units (4 bytes).
const (
	unit      = 8
	pageUnits = 1 << 15
	pageLeast = 1 << 9
	pageShift = 15
	exact     = 64 // up to so many units there is a class a length
	classes   = exact + 1 + 8*10
	noOwner   = ^uint32(0) // a free block; links to its neighbours in its class follow the header
)

// arena hands out blocks of bytes in pages. A block is named by its place: page
// << pageShift | unit, so there may be 32 GiB of them. Pages are small at first, since
// most tables of most views are.
type arena struct {
	pages    [][]byte // nil: vacated
	used     []uint32 // units in use, by page
	vacant   []uint32 // pages that are nil
	page     uint32   // where new blocks are cut, from unit next on
	next     uint32
	heads    [classes]uint32 // first free block of a class; 0: none
	live     int64           // bytes in blocks in use
	reserved int64           // bytes in pages
}

func newArena() arena {
	a := arena{}
	a.addPage(pageLeast)
	a.next = 1 // place 0 is no block
	return a
}

// class is the list a block of n units belongs to, and the length blocks of that list have, n or a little more.
func class(n uint32) (list, units uint32) {
	if n <= exact {
		return n, n
	}
	shift, list := uint32(3), uint32(exact+1)
	for n > 16<<shift {
		shift++
		list += 8
	}
	step := (n - 8<<shift + 1<<shift - 1) >> shift // 1..8 eighths above 8<<shift
	return list + step - 1, 8<<shift + step<<shift
}

func (a *arena) addPage(units uint32) {
	page := make([]byte, units*unit)
	a.reserved += int64(len(page))
	if last := len(a.vacant) - 1; last >= 0 {
		a.page = a.vacant[last]
		a.vacant = a.vacant[:last]
		a.pages[a.page], a.used[a.page] = page, 0
	} else {
		a.page = uint32(len(a.pages))
		a.pages, a.used = append(a.pages, page), append(a.used, 0)
	}
	a.next = 0
}

// size is the length of a page in units.
func (a *arena) size(page uint32) uint32 { return uint32(len(a.pages[page]) / unit) }

// at is the block's memory from its header to the end of its page.
func (a *arena) at(place uint32) []byte {
	return a.pages[place>>pageShift][(place&(pageUnits-1))*unit:]
}

// data is the block's memory without its header.
func (a *arena) data(place uint32) []byte {
	b := a.at(place)
	return b[unit : binary.LittleEndian.Uint32(b[4:])*unit]
}

// alloc gives a block of at least n bytes.
func (a *arena) alloc(owner uint32, n int) uint32 {
	list, units := class(max(uint32((n+unit-1)/unit)+1, 2))
	if list >= classes || units > pageUnits {
		return a.allocPage(owner, uint32((n+unit-1)/unit)+1)
	}
	place := a.heads[list]
	if place != 0 {
		a.unlink(place, list)
	} else {
		if a.next+units > a.size(a.page) {
			a.closePage()
			a.addPage(min(max(uint32(min(a.reserved/unit, pageUnits)), units), pageUnits))
		}
		place = a.page<<pageShift | a.next
		a.next += units
	}
	a.own(place, owner, units)
	return place
}

func (a *arena) own(place, owner, units uint32) {
	b := a.at(place)
	binary.LittleEndian.PutUint32(b, owner)
	binary.LittleEndian.PutUint32(b[4:], units)
	a.used[place>>pageShift] += units
	a.live += int64(units) * unit
}

// allocPage gives a block too long for common pages a page of its own.
func (a *arena) allocPage(owner, units uint32) uint32 {
	page, next := a.page, a.next
	a.addPage(units)
	place := a.page << pageShift
	a.page, a.next = page, next
	a.own(place, owner, units)
	return place
}

// closePage makes free blocks of what is left of the page.
func (a *arena) closePage() {
	size := a.size(a.page)
	for a.next+2 <= size {
		units := min(size-a.next, exact)
		place := a.page<<pageShift | a.next
		a.next += units
		binary.LittleEndian.PutUint32(a.at(place)[4:], units)
		a.link(place, units)
	}
	if a.next < size { // one unit: nobody's
		binary.LittleEndian.PutUint64(a.at(a.page<<pageShift|a.next), uint64(noOwner)|1<<32)
	}
}

// release gives a block back.
func (a *arena) release(place uint32) {
	units := binary.LittleEndian.Uint32(a.at(place)[4:])
	a.live -= int64(units) * unit
	page := place >> pageShift
	a.used[page] -= units
	if a.size(page) > pageUnits {
		a.drop(page)
		return
	}
	list, _ := class(units)
	a.link(place, list)
}

func (a *arena) drop(page uint32) {
	a.reserved -= int64(len(a.pages[page]))
	a.pages[page] = nil
	a.vacant = append(a.vacant, page)
}

// link puts a block before its class's others: header, next, previous.
func (a *arena) link(place, list uint32) {
	b, first := a.at(place), a.heads[list]
	binary.LittleEndian.PutUint32(b, noOwner)
	binary.LittleEndian.PutUint32(b[8:], first)
	binary.LittleEndian.PutUint32(b[12:], 0)
	if first != 0 {
		binary.LittleEndian.PutUint32(a.at(first)[12:], place)
	}
	a.heads[list] = place
}

func (a *arena) unlink(place, list uint32) {
	b := a.at(place)
	next, prev := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
	if next != 0 {
		binary.LittleEndian.PutUint32(a.at(next)[12:], prev)
	}
	if prev != 0 {
		binary.LittleEndian.PutUint32(a.at(prev)[8:], next)
	} else {
		a.heads[list] = next
	}
}

// holes is what pages hold beside blocks in use.
func (a *arena) holes() int64 { return a.reserved - a.live }

// vacate moves the blocks of the page with the most room elsewhere and drops it. It
// tells moved of every block's new place. It is false when there is no page to gain.
// The first page stays, for it is too small: another in its stead would have a block
// at place 0, which is none.
func (a *arena) vacate(moved func(owner, place uint32)) bool {
	best, most := uint32(0), uint32(pageUnits/16)
	for page, used := range a.used {
		if a.pages[page] == nil || uint32(page) == a.page {
			continue
		}
		if holes := a.size(uint32(page)) - used; holes > most {
			best, most = uint32(page), holes
		}
	}
	if best == 0 {
		return false
	}
	a.unlinkAll(best)
	for at := uint32(0); at < a.size(best); {
		place := best<<pageShift | at
		b := a.at(place)
		owner, units := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		at += units
		if owner == noOwner {
			continue
		}
		to := a.alloc(owner, int(units-1)*unit)
		copy(a.data(to), b[unit:units*unit])
		a.live -= int64(units) * unit
		moved(owner, to)
	}
	a.used[best] = 0
	a.drop(best)
	return true
}

// unlinkAll takes a page's free blocks out of their lists.
func (a *arena) unlinkAll(page uint32) {
	for at := uint32(0); at < a.size(page); {
		place := page<<pageShift | at
		b := a.at(place)
		units := binary.LittleEndian.Uint32(b[4:])
		if binary.LittleEndian.Uint32(b) == noOwner && units > 1 {
			list, _ := class(units)
			a.unlink(place, list)
		}
		at += units
	}
}

func (a *arena) bytes() int64 {
	return a.reserved + int64(cap(a.pages))*24 + int64(cap(a.used)+cap(a.vacant))*4
}
