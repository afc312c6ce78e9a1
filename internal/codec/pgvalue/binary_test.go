package pgvalue

import (
	"encoding/binary"
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// What is received has the type's modifier applied, and is refused where text would be.
func TestReceivedValuesHaveTheModifier(t *testing.T) {
	octets := func(v int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v)) }
	for _, c := range []struct {
		name string
		ref  datum.TypeRef
		b    []byte
		want string // text, or an SQLSTATE
	}{
		{"time(2)", datum.TypeRef{OID: datum.OIDTime, Mod: 2}, octets(123_456), "00:00:00.12"},
		{"timestamp(0)", datum.TypeRef{OID: datum.OIDTimestamp, Mod: 0}, octets(1_500_000), "2000-01-01 00:00:02"},
		{"numeric(5,1)", datum.TypeRef{OID: datum.OIDNumeric, Mod: 5<<16 | 1 + 4}, []byte{0, 2, 0, 0, 0, 0, 0, 2, 0, 1, 0x13, 0x88}, "1.5"},
		{"varchar(3)", datum.TypeRef{OID: datum.OIDVarchar, Mod: 7}, []byte("abcd"), "22001"},
		{"char(3)", datum.TypeRef{OID: datum.OIDBpchar, Mod: 7}, []byte("a"), "a  "},
		{"text", datum.Ref(datum.OIDText), []byte("a\xff"), "22021"},
		{"text", datum.Ref(datum.OIDText), []byte("a\x00"), "22021"},
		{"int4", datum.Ref(datum.OIDInt4), []byte{1}, "22P03"},
		{"date", datum.Ref(datum.OIDDate), []byte{0x80, 0, 0, 1}, "22008"},
		{"time", datum.Ref(datum.OIDTime), octets(-1), "22008"},
		{"timestamp", datum.Ref(datum.OIDTimestamp), octets(-1 << 62), "22008"},
		{"uuid", datum.Ref(datum.OIDUUID), []byte("short"), "22P03"},
		{"jsonb", datum.Ref(datum.OIDJSONB), []byte("\x02{}"), "22P03"},
		{"jsonb", datum.Ref(datum.OIDJSONB), []byte(`{"b":1,"a":2}`), "22P03"},
		{"jsonb", datum.Ref(datum.OIDJSONB), []byte("\x01" + `{"b":1,"a":2}`), `{"a": 2, "b": 1}`},
		{"inet", datum.Ref(datum.OIDInet), []byte{2, 32, 0, 4, 1, 2, 3, 4}, "42883"},
	} {
		v := zset.NewVec(zset.KindOf(c.ref.OID), 1)
		got := ""
		if err := ParseBinary(v, c.ref, c.b); err != nil {
			got = err.(*Error).Code
		} else {
			got = string(AppendText(nil, v, 0, c.ref, Options{}))
		}
		if got != c.want {
			t.Errorf("%s from %x = %s, want %s", c.name, c.b, got, c.want)
		}
	}
}
