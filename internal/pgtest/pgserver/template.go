package pgserver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

var initdbArgs = []string{"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"}

// template returns a directory made by initdb, to be copied and never started.
// The first caller of all processes makes it, the others wait.
func template(bin string, acc account) (string, error) {
	version, err := exec.Command(filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return "", fmt.Errorf("postgres --version: %w", err)
	}
	sum := sha256.Sum256([]byte(bin + string(version) + strings.Join(initdbArgs, " ")))
	fields := strings.Fields(string(version))
	dir := filepath.Join(acc.tempRoot(), fmt.Sprintf("weir-pgtest-%d-%s-%s", os.Getuid(), fields[min(2, len(fields)-1)], hex.EncodeToString(sum[:4])))

	unlock, err := lock(dir + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION")); err == nil {
		return filepath.Join(dir, "data"), nil
	}
	aside, err := os.MkdirTemp(acc.tempRoot(), "weir-pgtest-new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(aside)
	if err := acc.own(aside); err != nil {
		return "", err
	}
	args := append([]string{"--pgdata=" + filepath.Join(aside, "data")}, initdbArgs...)
	if out, err := acc.command(aside, filepath.Join(bin, "initdb"), args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := os.RemoveAll(dir); err != nil { // what a half cleaned temp directory may have left
		return "", err
	}
	return filepath.Join(dir, "data"), os.Rename(aside, dir)
}

// lock takes an exclusive lock that ends with unlock or with the process.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
