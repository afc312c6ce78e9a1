package weirerr_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/weirstream/weir/internal/weirerr"
)

func TestTextNamesTheThingAndTheWayOut(t *testing.T) {
	err := weirerr.New(weirerr.BadRow, "the target refuses %d row", 1).With("table", "public.t").With("column", "").With("key", 7).
		Hint("mend it, then resume").Wrap(io.ErrUnexpectedEOF)
	const want = "[WEIR:BadRow] the target refuses 1 row (table public.t, key 7): unexpected EOF; mend it, then resume"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

// Reactions go by code through any wrapping, and by the outermost of several.
func TestCodesAreFoundInChains(t *testing.T) {
	inner := weirerr.New(weirerr.LogFull, "no room").Wrap(io.EOF)
	for _, c := range []struct {
		err  error
		code weirerr.Code
	}{
		{inner, weirerr.LogFull},
		{fmt.Errorf("append: %w", inner), weirerr.LogFull},
		{errors.Join(io.EOF, inner), weirerr.LogFull},
		{weirerr.New(weirerr.NotReady, "starting").Wrap(inner), weirerr.NotReady},
		{io.EOF, weirerr.Unknown},
		{nil, weirerr.Unknown},
	} {
		if got := weirerr.CodeOf(c.err); got != c.code {
			t.Errorf("%v has %s, want %s", c.err, got, c.code)
		}
		if weirerr.FlagsOf(c.err) != c.code.Flags() {
			t.Errorf("%v has the flags of another code", c.err)
		}
	}
	if !errors.Is(fmt.Errorf("%w", inner), weirerr.New(weirerr.LogFull, "")) || errors.Is(inner, weirerr.New(weirerr.LogFenced, "")) {
		t.Error("errors.Is does not compare by code")
	}
	if !errors.Is(inner, io.EOF) {
		t.Error("the cause is lost")
	}
}
