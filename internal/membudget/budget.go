package membudget

import (
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	mib = 1 << 20

	least  = 64 * mib  // of state
	blocks = 256 * mib // at least: with less, indexes and filters of files go out for rows
	most   = 1 << 30   // of blocks
	// unknown is the memory of a machine that does not tell.
	unknown = 2 << 30
)

// State is how much state may be held in memory, in bytes: what is configured, or, for 0, a quarter of
// what the process may use.
func State(configured int64) int64 {
	if configured > 0 {
		return configured
	}
	return max(available()/4, least)
}

// Blocks is how much of the state store is cached beside so much state, in bytes.
func Blocks(state int64) int64 { return min(max(state/2, blocks), most) }

// available is the limit of the process's cgroup, or the machine's memory.
func available() int64 {
	n, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil || n == 0 || n > math.MaxInt64 {
		return unknown
	}
	if system, err := memlimit.FromSystem(); err == nil && system > 0 {
		n = min(n, system)
	}
	return int64(n)
}
