//go:build !race

package local

const raceEnabled = false

// slower is by how much a test with the race detector does less: n there, 1 without.
func slower(n int) int { return 1 }
