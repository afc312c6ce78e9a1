package numeric

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgtest"
)

var srv *pgtest.Server

func TestMain(m *testing.M) { pgtest.Main(m, &srv) }

// tryExpr computes an expression of a and b on the server, or says why not.
const tryExpr = `CREATE OR REPLACE FUNCTION try(e text, a text, b text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; BEGIN EXECUTE 'SELECT (' || replace(replace(e, '$a', quote_literal(a) || '::numeric'), '$b', quote_literal(b) || '::numeric') || ')::text' INTO r; RETURN r;
EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$`

// randomNumber is short, long, tiny, huge or none.
func randomNumber(r *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('0' + r.IntN(10)))
		}
		return b.String()
	}
	sign := []string{"", "-"}[r.IntN(2)]
	switch r.IntN(12) {
	case 0:
		return []string{"NaN", "Infinity", "-Infinity", "0", "0.00", "1", "-1", "1.00", "10", "0.1", "2", "0.5"}[r.IntN(12)]
	case 1:
		return sign + digits(1+r.IntN(50)) + "." + digits(1+r.IntN(30))
	case 2:
		return sign + "0." + strings.Repeat("0", r.IntN(25)) + digits(1+r.IntN(10))
	case 3:
		return sign + digits(1+r.IntN(3)) + strings.Repeat("0", r.IntN(40))
	case 4:
		return "1." + strings.Repeat("0", r.IntN(8)) + digits(1+r.IntN(4))
	}
	return sign + digits(1+r.IntN(9)) + []string{"", "." + digits(1+r.IntN(6))}[r.IntN(2)]
}

// compare computes expr of every pair here and there.
func compare(t *testing.T, expr string, op func(dst []byte, a, b Val) (Num, []byte, error), as, bs []string) {
	t.Helper()
	conn := srv.Conn(t, "postgres")
	if _, err := conn.Exec(context.Background(), tryExpr); err != nil {
		t.Fatal(err)
	}
	var want []string
	err := conn.QueryRow(context.Background(), "SELECT array_agg(try($1, a, b) ORDER BY n) FROM unnest($2::text[], $3::text[]) WITH ORDINALITY u(a, b, n)", expr, as, bs).Scan(&want)
	if err != nil || len(want) != len(as) {
		t.Fatalf("%d answers, %v", len(want), err)
	}
	wrong := 0
	for i := range as {
		a, b := n(t, as[i]), n(t, bs[i])
		r, arena, err := op([]byte("dst"), a, b)
		got := ""
		if fault, bad := err.(*datum.Error); bad {
			got = fault.Code + " " + fault.Message
		} else if got = str(Val{r, arena}); string(arena[:3]) != "dst" {
			t.Fatalf("%s lost the arena", expr)
		}
		if got != want[i] {
			if wrong++; wrong <= 10 {
				t.Errorf("%s of %s, %s = %s; the server has %s", expr, as[i], bs[i], got, want[i])
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d wrong", expr, wrong, len(as))
	}
}

func one(op func(dst []byte, a Val) (Num, []byte, error)) func(dst []byte, a, b Val) (Num, []byte, error) {
	return func(dst []byte, a, _ Val) (Num, []byte, error) { return op(dst, a) }
}

// cmp gives a comparison as a number.
func cmpNum(dst []byte, a, b Val) (Num, []byte, error) {
	return FromInt64(int64(Cmp(a, b))), dst, nil
}

func TestArithmeticAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	as, bs := make([]string, 3000), make([]string, 3000)
	for i := range as {
		as[i], bs[i] = randomNumber(r), randomNumber(r)
		if r.IntN(10) == 0 {
			bs[i] = as[i]
		}
	}
	compare(t, "$a + $b", Add, as, bs)
	compare(t, "$a - $b", Sub, as, bs)
	compare(t, "$a * $b", Mul, as, bs)
	compare(t, "$a / $b", Div, as, bs)
	compare(t, "div($a, $b)", Quo, as, bs)
	compare(t, "$a % $b", Mod, as, bs)
	compare(t, "CASE WHEN $a < $b THEN -1 WHEN $a = $b THEN 0 ELSE 1 END", cmpNum, as, bs)
	compare(t, "-$a", one(func(dst []byte, a Val) (Num, []byte, error) { r, dst := Neg(dst, a); return r, dst, nil }), as, bs)
	compare(t, "abs($a)", one(func(dst []byte, a Val) (Num, []byte, error) { r, dst := Abs(dst, a); return r, dst, nil }), as, bs)
	compare(t, "ceil($a)", one(Ceil), as, bs)
	compare(t, "floor($a)", one(Floor), as, bs)
	for _, d := range []int{-45, -3, -1, 0, 1, 4, 40} {
		compare(t, fmt.Sprintf("round($a, %d)", d), one(func(dst []byte, a Val) (Num, []byte, error) { return Round(dst, a, d) }), as, bs)
		compare(t, fmt.Sprintf("trunc($a, %d)", d), one(func(dst []byte, a Val) (Num, []byte, error) { return Trunc(dst, a, d) }), as, bs)
	}
	for _, m := range [][2]int{{10, 2}, {5, 0}, {38, 10}, {60, 30}, {3, 5}, {4, -2}} {
		compare(t, fmt.Sprintf("$a::numeric(%d,%d)", m[0], m[1]), one(func(dst []byte, a Val) (Num, []byte, error) { return FitTypmod(dst, a, MakeTypmod(m[0], m[1])) }), as, bs)
	}
}

func TestTranscendentAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	as, bs := make([]string, 600), make([]string, 600)
	for i := range as {
		as[i], bs[i] = randomNumber(r), randomNumber(r)
		if r.IntN(2) == 0 {
			bs[i] = fmt.Sprintf("%d.%d", r.IntN(40)-20, r.IntN(100))
		}
	}
	compare(t, "sqrt($a)", one(Sqrt), as, bs)
	compare(t, "ln($a)", one(Ln), as, bs)
	compare(t, "log($a)", one(func(dst []byte, a Val) (Num, []byte, error) { return Log(dst, V(FromInt64(10)), a) }), as, bs)
	compare(t, "log($b, $a)", func(dst []byte, a, b Val) (Num, []byte, error) { return Log(dst, b, a) }, as, bs)
	compare(t, "exp($b)", func(dst []byte, _, b Val) (Num, []byte, error) { return Exp(dst, b) }, as, bs)
	compare(t, "power($a, $b)", Power, as, bs)
	for i := range bs {
		bs[i] = fmt.Sprint(r.IntN(30) - 10)
	}
	compare(t, "power($a, $b)", Power, as, bs)
}

func TestConversionsAsTheServer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	as := make([]string, 2000)
	for i := range as {
		as[i] = randomNumber(r)
		if r.IntN(4) == 0 {
			as[i] = []string{"9223372036854775807.4", "9223372036854775807.5", "-9223372036854775808.4", "-9223372036854775808.5", "2.5", "-2.5", "0.5", "-0.5", "2147483647.5", "32767.49"}[r.IntN(10)]
		}
	}
	for _, c := range []struct {
		typ    string
		lo, hi int64
	}{{"bigint", -1 << 63, 1<<63 - 1}, {"integer", -1 << 31, 1<<31 - 1}, {"smallint", -1 << 15, 1<<15 - 1}} {
		compare(t, "$a::"+c.typ, one(func(dst []byte, a Val) (Num, []byte, error) {
			i, err := ToInt64(a, c.lo, c.hi, c.typ)
			return FromInt64(i), dst, err
		}), as, as)
	}
	compare(t, "$a::float8::numeric", one(func(dst []byte, a Val) (Num, []byte, error) {
		f, ok := ToFloat64(a)
		if !ok {
			return Num{}, dst, nil
		}
		r, dst := FromFloat64(dst, f)
		return r, dst, nil
	}), as, as)
	compare(t, "$a::float4::numeric", one(func(dst []byte, a Val) (Num, []byte, error) {
		f, _ := ToFloat64(a)
		if f > 3.4e38 || f < -3.4e38 {
			return outOfReal(dst, a)
		}
		r, dst := FromFloat32(dst, float32(f))
		return r, dst, nil
	}), as, as)
}

// outOfReal is a cast to real beyond its range.
func outOfReal(dst []byte, a Val) (Num, []byte, error) {
	if !a.IsFinite() {
		return a.Num, dst, nil
	}
	return Num{}, dst, &datum.Error{Code: "22003", Message: fmt.Sprintf("\"%s\" is out of range for type real", str(a))}
}
