package pgserver

import (
	"io"
	"os/exec"
	"syscall"
)

// guard is a small process that outlives ours: when ours ends without Close, it
// ends the server and removes the directory, so a test that was killed leaves
// nothing behind.
type guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// guardScript waits for the end of its input, which is the end of our process.
// The last line of a clean release is "released".
const guardScript = `
word=$(cat)
[ "$word" = released ] && exit 0
pid=$(head -n 1 "$0/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "$0"; then
	kill -QUIT "$pid"
	n=0
	while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done
fi
rm -rf -- "$1"
`

func newGuard(dataDir, dir string) (*guard, error) {
	cmd := exec.Command("sh", "-c", guardScript, dataDir, dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &guard{cmd, pipe}, cmd.Start()
}

func (g *guard) release() {
	_, _ = io.WriteString(g.pipe, "released")
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}
