package datum

import (
	"encoding/base64"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestUnscaledVectors(t *testing.T) {
	for _, c := range []struct {
		in    string
		scale int
		want  string
	}{
		{"1.50", 2, "AJY="}, {"-1.50", 2, "/2o="}, {"0", 2, "AA=="}, {"1.27", 2, "fw=="}, {"1.28", 2, "AIA="},
		{"-1.28", 2, "gA=="}, {"-1.29", 2, "/38="}, {"12345678901234567890123", 0, "Ap1Ctk52cUJEyw=="}, {"12300", -2, "ew=="},
		{"-340282366920938463463374607431768211456", 0, "/wAAAAAAAAAAAAAAAAAAAAA="}, {"340282366920938463463374607431768211455", 0, "AP////////////////////8="},
	} {
		d, err := ScanNumeric([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := d.AppendUnscaled(nil, c.scale)
		if b64 := base64.StdEncoding.EncodeToString(got); !ok || b64 != c.want {
			t.Errorf("%s at scale %d = %s, %v; want %s", c.in, c.scale, b64, ok, c.want)
		}
	}
	for in, scale := range map[string]int{"1.234": 2, "123": -1, "NaN": 0, "Infinity": 0} {
		d, _ := ScanNumeric([]byte(in))
		if got, ok := d.AppendUnscaled(nil, scale); ok {
			t.Errorf("%s does not fit scale %d, got %x", in, scale, got)
		}
	}
}

// fromTwos reads big-endian two's complement the slow way.
func fromTwos(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

// Short, 128-bit and big paths all give the integer, in the fewest octets.
func TestUnscaledIsExactAndShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,60}(\.[0-9]{1,20})?`).Draw(t, "text")
		extra := rapid.IntRange(0, 12).Draw(t, "extra")
		d, err := ScanNumeric([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		scale := len(d.Frac) + extra
		got, ok := d.AppendUnscaled(nil, scale)
		want, _ := new(big.Int).SetString(string(d.Int)+string(d.Frac), 10)
		want.Mul(want, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(extra)), nil))
		if d.Negative {
			want.Neg(want)
		}
		if !ok || fromTwos(got).Cmp(want) != 0 {
			t.Fatalf("%s at scale %d = %x, want %s", text, scale, got, want)
		}
		if len(got) > 1 && (got[0] == 0 && got[1] < 0x80 || got[0] == 0xff && got[1] >= 0x80) {
			t.Fatalf("%s: %x is not the shortest form", text, got)
		}
	})
}
