package numeric

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// Keys compare as numbers do, and lead back to an equal number.
func TestKeysCompareLikeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawVal(t, "a"), drawVal(t, "b")
		ka, kb := AppendKey(nil, a), AppendKey(nil, b)
		if got, want := bytes.Compare(ka, kb), Cmp(a, b); got != want {
			t.Fatalf("keys of %s, %s compare %d, the numbers %d", str(a), str(b), got, want)
		}
		n, arena, rest, err := DecodeKey(nil, append(ka, 9))
		if err != nil || len(rest) != 1 || Cmp(Val{n, arena}, a) != 0 {
			t.Fatalf("the key of %s is read as %s, %v", str(a), str(Val{n, arena}), err)
		}
		if KeyLen(ka, false) != len(ka) {
			t.Fatalf("the key %x has length %d", ka, KeyLen(ka, false))
		}
		invert(ka)
		if KeyLen(ka, true) != len(ka) {
			t.Fatalf("the inverted key %x has length %d", ka, KeyLen(ka, true))
		}
	})
}

// What is encoded exactly comes back with its scale; text too.
func TestExactAndTextComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVal(t, "v")
		n, arena, rest, err := DecodeExact([]byte("x"), append(AppendExact(nil, v), 9))
		if err != nil || len(rest) != 1 || str(Val{n, arena}) != str(v) || n.Form != v.Form || n.Scale != v.Scale {
			t.Fatalf("%s comes back as %s, %v", str(v), str(Val{n, arena}), err)
		}
		n, arena, err = FromText(nil, []byte(str(v)))
		if err != nil || str(Val{n, arena}) != str(v) {
			t.Fatalf("%s is read as %s, %v", str(v), str(Val{n, arena}), err)
		}
	})
}

// The laws of a ring, and that a quotient times its divisor is near.
func TestLawsOfArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawVal(t, "a"), drawVal(t, "b"), drawVal(t, "c")
		op := func(f kernel, x, y Val) Val {
			n, arena, err := f(nil, x, y)
			if err != nil {
				t.Fatal(err)
			}
			return Val{n, arena}
		}
		same := func(law string, x, y Val) {
			if str(x) != str(y) {
				t.Fatalf("%s of %s, %s, %s: %s and %s", law, str(a), str(b), str(c), str(x), str(y))
			}
		}
		same("a+b = b+a", op(Add, a, b), op(Add, b, a))
		same("a×b = b×a", op(Mul, a, b), op(Mul, b, a))
		if !a.IsFinite() || !b.IsFinite() || !c.IsFinite() {
			return
		}
		same("(a+b)+c = a+(b+c)", op(Add, op(Add, a, b), c), op(Add, a, op(Add, b, c)))
		if x, y := op(Mul, a, op(Add, b, c)), op(Add, op(Mul, a, b), op(Mul, a, c)); Cmp(x, y) != 0 {
			t.Fatalf("a×(b+c) = a×b+a×c of %s, %s, %s: %s and %s", str(a), str(b), str(c), str(x), str(y))
		}
		if b.Sign() != 0 {
			back := op(Add, op(Mul, op(Quo, a, b), b), op(Mod, a, b))
			if Cmp(back, a) != 0 {
				t.Fatalf("(a/b)×b + a%%b of %s, %s = %s", str(a), str(b), str(back))
			}
		}
	})
}

func TestFastPathDoesNotAllocate(t *testing.T) {
	a, b := n(t, "12345678901234.5678"), n(t, "-98.7")
	buf := make([]byte, 0, 256)
	for name, f := range map[string]func(){
		"add": func() { Add(nil, a, b) }, "sub": func() { Sub(nil, a, b) }, "mul": func() { Mul(nil, a, b) }, "div": func() { Div(nil, a, b) },
		"quo": func() { Quo(nil, a, b) }, "mod": func() { Mod(nil, a, b) }, "round": func() { Round(nil, a, 2) }, "ceil": func() { Ceil(nil, a) },
		"fit": func() { Fit(nil, a, 20, 2) }, "cmp": func() { Cmp(a, b) }, "key": func() { AppendKey(buf, a) }, "exact": func() { AppendExact(buf, a) },
		"text": func() { AppendText(buf, a) }, "float": func() { ToFloat64(b) }, "int": func() { _, _ = ToInt64(a, -1<<63, 1<<63-1, "bigint") },
	} {
		if allocs := testing.AllocsPerRun(100, f); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
	text := []byte("-12345.678")
	if allocs := testing.AllocsPerRun(100, func() { _, _, _ = FromText(nil, text) }); allocs > 0 {
		t.Errorf("from text: %v allocations", allocs)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"0", "-1.10", "123456789012345678901234567890.5", "1e40", "-1e-30", "NaN", "Infinity"} {
		v := n(f, s)
		f.Add(AppendKey(nil, v))
		f.Add(AppendExact(nil, v))
		var sum Sum
		spill := sum.Add(v, 3, nil)
		f.Add(AppendSum(nil, &sum, spill))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if num, arena, rest, err := DecodeKey(nil, b); err == nil {
			if key := AppendKey(nil, Val{num, arena}); !bytes.Equal(key, b[:len(b)-len(rest)]) {
				t.Errorf("%x is read as the number of %x", b, key)
			}
		}
		if num, arena, _, err := DecodeExact(nil, b); err == nil {
			back, arena2, _, err := DecodeExact(nil, AppendExact(nil, Val{num, arena}))
			if err != nil || str(Val{back, arena2}) != str(Val{num, arena}) {
				t.Errorf("%x: %v", b, err)
			}
		}
		if sum, spill, _, err := DecodeSum(b); err == nil {
			spill = sum.Add(V(FromInt64(1)), 1, spill)
			_, _, _ = sum.Value(nil, spill)
		}
		KeyLen(b, true)
		if num, arena, err := FromText(nil, b); err == nil {
			_ = AppendText(nil, Val{num, arena})
		}
	})
}
