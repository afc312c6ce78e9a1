// Package bench measures the local log beside Pebble: durable appends of many
// concurrent writers, interleaved in one run, and the time to open a large log.
//
//	round 1: log 1 s, pebble 1 s   round 2: log 1 s, pebble 1 s   …   medians
//
// It is apart from package local, which does not import Pebble. Disks vary by a
// factor of four between minutes: compare figures of one run only.
package bench
