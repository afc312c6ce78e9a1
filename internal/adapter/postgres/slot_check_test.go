package postgres

import (
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/weirerr"
)

func TestSlotCheck(t *testing.T) {
	good := slotState{Exists: true, Plugin: "pgoutput", Database: "d", Confirmed: 100}
	with := func(change func(*slotState)) slotState {
		s := good
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		st     slotState
		resume LSN
		want   weirerr.Code
	}{
		"as it was left":             {good, 100, ""},
		"we are ahead":               {good, 101, ""},
		"no position":                {good, 0, ""},
		"neither slot nor position":  {slotState{}, 0, ""},
		"ahead of us":                {good, 99, weirerr.SlotAhead},
		"gone":                       {slotState{}, 1, weirerr.SlotMissing},
		"lost":                       {with(func(s *slotState) { s.Lost = true }), 100, weirerr.SlotInvalidated},
		"lost, no position":          {with(func(s *slotState) { s.Lost = true }), 0, weirerr.SlotInvalidated},
		"of another database":        {with(func(s *slotState) { s.Database = "x" }), 100, weirerr.UpstreamIdentity},
		"of another plugin":          {with(func(s *slotState) { s.Plugin = "wal2json" }), 100, weirerr.UpstreamIdentity},
		"physical, and lost as well": {slotState{Exists: true, Lost: true}, 100, weirerr.UpstreamIdentity},
	} {
		err := c.st.check("slot", "d", c.resume)
		if c.want == "" && err != nil || c.want != "" && weirerr.CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLSN(t *testing.T) {
	l, err := ParseLSN("16/B374D848")
	if err != nil || l.String() != "16/B374D848" {
		t.Errorf("%s %v", l, err)
	}
	back, err := LSNOf(l.Position())
	if err != nil || back != l {
		t.Errorf("%s %v", back, err)
	}
	if _, err := LSNOf([]byte("gtid")); weirerr.CodeOf(err) != weirerr.StoreBehind {
		t.Error(err)
	}
	for _, bad := range []string{"", "1", "1/", "/1", "1/2/3", "1/100000000", "x/y"} {
		if _, err := ParseLSN(bad); weirerr.CodeOf(err) != weirerr.InvalidArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSlotName(t *testing.T) {
	for name, want := range map[string]string{"shop": "weir_shop", "My Shop": "weir_my_shop"} {
		if got := SlotName("db", name); !strings.HasPrefix(got, want+"_") || got == SlotName("other", name) {
			t.Errorf("%q: %s", name, got)
		}
	}
	long := SlotName("cluster", "a name that is far longer than PostgreSQL allows for anything at all, really")
	if len(long)+len("_keyless") > 63 || long == SlotName("other", "a name that is far longer than PostgreSQL allows for anything at all, really") {
		t.Error(long)
	}
}
