package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// fdatasync makes data and size durable, without the times.
func fdatasync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
