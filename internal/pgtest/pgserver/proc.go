package pgserver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// children lists the processes whose parent is pid, from /proc.
func children(pid int) []int {
	var kids []int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	for _, path := range stats {
		fields := statFields(path)
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			if kid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				kids = append(kids, kid)
			}
		}
	}
	return kids
}

// alive is false for a process that is gone or waits to be reaped.
func alive(pid int) bool {
	fields := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
}

// statFields are the fields of /proc/PID/stat from the third, the state, on.
func statFields(path string) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
}

// CPUSeconds is the processor time that the process pid has used, user and
// system; 0 when it is gone.
func CPUSeconds(pid int) float64 {
	const ticksPerSecond = 100 // USER_HZ, the same on every Linux
	fields := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	if len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return (user + system) / ticksPerSecond
}
