package pgserver

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is who runs the server: ourselves, or an unprivileged user when we
// are root.
type account struct {
	uid, gid int
	cred     *syscall.Credential // nil: ourselves
}

func serverAccount() (account, error) {
	if os.Getuid() != 0 {
		return account{uid: os.Getuid(), gid: os.Getgid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2); err != nil {
			return account{}, err
		}
		return account{uid, gid, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return account{}, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}

// command prepares a child in a process group of its own (a Ctrl-C at the
// terminal is for us, not for it) with the account's rights.
func (a account) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C", "PGOPTIONS=", "PGSERVICEFILE=/nonexistent")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: a.cred}
	return cmd
}

// own hands a directory that we made to the account.
func (a account) own(dir string) error {
	if a.cred == nil {
		return nil
	}
	return os.Chown(dir, a.uid, a.gid)
}

// tempRoot is os.TempDir if the account can reach it and a socket path in it is
// short enough, else /tmp.
func (a account) tempRoot() string {
	root := os.TempDir()
	if len(root) > 60 {
		return "/tmp"
	}
	if a.cred == nil {
		return root
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		if err != nil || st.Mode()&0o001 == 0 {
			return "/tmp"
		}
		if dir == filepath.Dir(dir) {
			return root
		}
	}
}
