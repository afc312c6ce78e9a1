package numeric

import "testing"

func n(t testing.TB, s string) Val {
	num, arena, err := FromText(nil, []byte(s))
	if err != nil {
		t.Fatal(s, err)
	}
	return Val{num, arena}
}

func str(v Val) string { return string(AppendText(nil, v)) }

func TestArithmeticVectors(t *testing.T) {
	for _, c := range []struct {
		op   kernel
		a, b string
		want string
	}{
		{Add, "1.10", "1.1", "2.20"}, {Sub, "1", "1.00", "0.00"}, {Mul, "1.5", "-2.25", "-3.375"},
		{Div, "1", "3", "0.33333333333333333333"}, {Div, "100.00", "3", "33.3333333333333333"}, {Div, "10", "4", "2.5000000000000000"},
		{Add, "99999999999999999999999999999999999999", "1", "100000000000000000000000000000000000000"},
		{Sub, "100000000000000000000000000000000000000", "1", "99999999999999999999999999999999999999"},
		{Div, "9.0000000000000001", "2", "4.5000000000000001"}, {Div, "1", "1", "1.00000000000000000000"}, {Mod, "-7.5", "2", "-1.5"}, {Quo, "-7.5", "2", "-3"}, {Add, "NaN", "1", "NaN"}, {Add, "inf", "-Infinity", "NaN"},
		{Mul, "12345678901234567890", "12345678901234567890123456789.5", "152415787532388367503429357756363359438119189155.0"},
		{one(Exp), "5", "", "148.41315910257660"}, {one(Sqrt), "2", "", "1.414213562373095"}, {Power, "-1", "2147483650", "1.0000000000000000"},
		{Power, "-1", "2147483649", "-1.0000000000000000"}, {one(Ceil), "-1.5", "", "-1"}, {one(Ceil), "1.2", "", "2"}, {one(Floor), "-1.2", "", "-2"}, {one(Floor), "-1.0", "", "-1"},
	} {
		if c.b == "" {
			c.b = "0"
		}
		x, y := n(t, c.a), n(t, c.b)
		r, arena, err := c.op(nil, x, y)
		if got := str(Val{r, arena}); err != nil || got != c.want {
			t.Errorf("%s, %s = %s, %v; want %s", c.a, c.b, got, err, c.want)
		}
	}
}
