package weirerr

import (
	"os"
	"regexp"
	"testing"
)

// Every code says how to react to it. What is gone cannot come back by trying again.
func TestFlagsAgree(t *testing.T) {
	src, err := os.ReadFile("code.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`Code = "(\w+)"`).FindAllSubmatch(src, -1)
	if len(named) != len(flags) {
		t.Errorf("%d codes, %d with flags", len(named), len(flags))
	}
	for _, m := range named {
		f, ok := flags[Code(m[1])]
		if !ok {
			t.Errorf("%s has no flags", m[1])
		}
		if f.LogGone && !f.FailFast {
			t.Errorf("%s: the log is gone and it is tried again", m[1])
		}
		if f.Status < 400 || f.Status > 599 {
			t.Errorf("%s: status %d", m[1], f.Status)
		}
	}
}

// A code of a newer weir is tried again.
func TestUnknownCodesAreRetryable(t *testing.T) {
	if f := Code("of tomorrow").Flags(); f.FailFast || f.Status != 500 {
		t.Errorf("an unknown code has %+v", f)
	}
}
