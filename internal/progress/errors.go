package progress

import (
	"fmt"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Backward is the cause of the error of an update below the present Ts.
type Backward struct {
	Has, Asked ts.Ts
}

func (b *Backward) Error() string {
	return fmt.Sprintf("has %s, asked to go back to %s", b.Has, b.Asked)
}

func errBackward(key any, has, asked ts.Ts) error {
	return weirerr.New(weirerr.WrongState, "progress never goes back").
		With("holder", key).Wrap(&Backward{Has: has, Asked: asked})
}

func errExists(key any) error {
	return weirerr.New(weirerr.AlreadyExists, "the holder is already there").With("holder", key)
}

func errAbsent(key any) error {
	return weirerr.New(weirerr.NotFound, "there is no such holder").With("holder", key)
}
