package datum

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// elements prints the elements of an array, NULL as <nil>.
func elements(a Array) []string {
	out := []string{}
	for it := a.Iter(nil); it.Next(); {
		if it.Null {
			out = append(out, "<nil>")
		} else {
			out = append(out, string(it.Value))
		}
	}
	return out
}

func TestArrays(t *testing.T) {
	for _, c := range []struct {
		in   string
		dims string
		want []string
	}{
		{"{}", "[]", []string{}},
		{"{1,2,3}", "[{1 3}]", []string{"1", "2", "3"}},
		{`{NULL,"NULL",null,""}`, "[{1 4}]", []string{"<nil>", "NULL", "<nil>", ""}},
		{`{"a\"b","c\\d","{,}"," "}`, "[{1 4}]", []string{`a"b`, `c\d`, "{,}", " "}},
		{"{{1,2},{3,4},{5,6}}", "[{1 3} {1 2}]", []string{"1", "2", "3", "4", "5", "6"}},
		{"[2:4]={1,2,3}", "[{2 3}]", []string{"1", "2", "3"}},
		{"[-1:0][5:5]={{1},{2}}", "[{-1 2} {5 1}]", []string{"1", "2"}},
		{"{{{{{{x}}}}}}", "[{1 1} {1 1} {1 1} {1 1} {1 1} {1 1}]", []string{"x"}},
	} {
		a, err := ParseArray([]byte(c.in), ',')
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := fmt.Sprint(a.Dims[:a.NDim]); got != c.dims || a.Len != len(c.want) {
			t.Errorf("%s: dims %s, len %d", c.in, got, a.Len)
		}
		if got := elements(a); !slices.Equal(got, c.want) {
			t.Errorf("%s: elements %q, want %q", c.in, got, c.want)
		}
	}
	box, err := ParseArray([]byte("{(1,1),(0,0);(2,2),(1,1)}"), Delim(OIDBox))
	if got := elements(box); err != nil || !slices.Equal(got, []string{"(1,1),(0,0)", "(2,2),(1,1)"}) {
		t.Errorf("boxes %q, %v", got, err)
	}
	for _, in := range []string{
		"", "1", "{", "}", "{1", "{1,}", "{,1}", "{1}}", "{1}x", "{{1},{2,3}}", "{{1},2}", "{1,{2}}", "{{}}", `{"a}`, `{"a"b}`,
		`{a"b}`, "[1:2]={1}", "[1:2]{1,2}", "[1:1]={{1}}", "[2:1]={}", "[1:1]=", "{{{{{{{1}}}}}}}", "{1},{2}", `{"a\`,
	} {
		if a, err := ParseArray([]byte(in), ','); err == nil {
			t.Errorf("ParseArray(%q) = %q, want an error", in, elements(a))
		}
	}
}

func fields(b string) ([]string, error) {
	out := []string{}
	it := Composite([]byte(b), nil)
	for it.Next() {
		if it.Null {
			out = append(out, "<nil>")
		} else {
			out = append(out, string(it.Value))
		}
	}
	return out, it.Err()
}

func TestComposites(t *testing.T) {
	for in, want := range map[string][]string{
		`(1,abc)`:                 {"1", "abc"},
		`()`:                      {"<nil>"},
		`(,)`:                     {"<nil>", "<nil>"},
		`("",)`:                   {"", "<nil>"},
		`("a ""b"" \\c","(1,2)")`: {`a "b" \c`, "(1,2)"},
		`("x",,"y,z")`:            {"x", "<nil>", "y,z"},
	} {
		if got, err := fields(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "(", ")", "1,2", "(1)2)", `("a)`, `(a\)`} {
		if got, err := fields(in); err == nil {
			t.Errorf("%q: %q, want an error", in, got)
		}
	}
}

func TestRanges(t *testing.T) {
	show := func(r Range) string {
		return fmt.Sprintf("%v %v%v %v%v %s|%s", r.Empty, r.LowerInc, r.UpperInc, r.LowerInf, r.UpperInf, r.Lower, r.Upper)
	}
	for in, want := range map[string]string{
		"empty":                            "true falsefalse falsefalse |",
		"[1,5)":                            "false truefalse falsefalse 1|5",
		"(,5]":                             "false falsetrue truefalse |5",
		"(,)":                              "false falsefalse truetrue |",
		`["",)`:                            "false truefalse falsetrue |",
		`["2019-03-31 15:30:00",infinity)`: "false truefalse falsefalse 2019-03-31 15:30:00|infinity",
		`["a""b","c\\d"]`:                  `false truetrue falsefalse a"b|c\d`,
	} {
		r, _, err := ParseRange([]byte(in), nil)
		if err != nil || show(r) != want {
			t.Errorf("%s: %s, %v; want %s", in, show(r), err, want)
		}
	}
	for _, in := range []string{"", "[", "[1", "[1,2", "[1]", "1,2", "[1,2)3", "Empty", `["1,2)`} {
		if r, _, err := ParseRange([]byte(in), nil); err == nil {
			t.Errorf("ParseRange(%q) = %s, want an error", in, show(r))
		}
	}
	var got []string
	it := Multirange([]byte(`{[1,3),["a,}]","z"],(5,)}`))
	for it.Next() {
		got = append(got, string(it.Text))
	}
	if it.Err() != nil || strings.Join(got, " ") != `[1,3) ["a,}]","z"] (5,)` {
		t.Errorf("multirange %q, %v", got, it.Err())
	}
	for _, in := range []string{"", "{", "{[1,2)", "{[1,2),}", "{,}", "{[1,2)[3,4)}", "{x}"} {
		it := Multirange([]byte(in))
		for it.Next() {
		}
		if it.Err() == nil {
			t.Errorf("multirange %q wants an error", in)
		}
	}
}

func TestHstore(t *testing.T) {
	show := func(in string) (string, error) {
		var b strings.Builder
		it := Hstore([]byte(in), nil)
		for it.Next() {
			fmt.Fprintf(&b, "%s:%s:%v;", it.Key, it.Value, it.Null)
		}
		return b.String(), it.Err()
	}
	for in, want := range map[string]string{
		"":                                   "",
		`"a"=>"1", "b"=>NULL`:                "a:1:false;b::true;",
		`"k\"1"=>"v\\2", ""=>"=>, \"NULL\""`: `k"1:v\2:false;:=>, "NULL":false;`,
	} {
		if got, err := show(in); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"a", `"a"`, `"a"=>`, `"a"=>1`, `"a"=>"1",`, `"a"=>"1", `, `"a"=>"1""b"=>"2"`, `"a=>"1"`} {
		if got, err := show(in); err == nil {
			t.Errorf("%q: %q, want an error", in, got)
		}
	}
}

func TestGeometry(t *testing.T) {
	if p, err := ParsePoint([]byte("(1.5,-Infinity)")); err != nil || p != (Point{1.5, math.Inf(-1)}) {
		t.Errorf("%v, %v", p, err)
	}
	if b, err := ParseBox([]byte("(3,4),(1,2)")); err != nil || b != [2]Point{{3, 4}, {1, 2}} {
		t.Errorf("%v, %v", b, err)
	}
	if l, err := ParseLseg([]byte("[(3,4),(1,2)]")); err != nil || l != [2]Point{{3, 4}, {1, 2}} {
		t.Errorf("%v, %v", l, err)
	}
	p, closed, err := ParsePath(nil, []byte("((1,2),(3,4),(5,6))"))
	if err != nil || !closed || !slices.Equal(p, []Point{{1, 2}, {3, 4}, {5, 6}}) {
		t.Errorf("%v, %v, %v", p, closed, err)
	}
	if p, closed, err = ParsePath(nil, []byte("[(1,2)]")); err != nil || closed || len(p) != 1 {
		t.Errorf("%v, %v, %v", p, closed, err)
	}
	if p, err := ParsePolygon(nil, []byte("((1,2),(3,4))")); err != nil || len(p) != 2 {
		t.Errorf("%v, %v", p, err)
	}
	if c, err := ParseCircle([]byte("<(10,4),10.5>")); err != nil || c != (Circle{Point{10, 4}, 10.5}) {
		t.Errorf("%v, %v", c, err)
	}
	if l, err := ParseLine([]byte("{-1,0,2.5}")); err != nil || l != (Line{-1, 0, 2.5}) {
		t.Errorf("%v, %v", l, err)
	}
	for _, in := range []string{"", "()", "(1,2", "(1;2)", "(1,2)3", "1,2", "(1,2,3)", "[(1,2)", "<(1,2)>", "{1,2}", "(1,2),"} {
		_, e1 := ParsePoint([]byte(in))
		_, e2 := ParseBox([]byte(in))
		_, e3 := ParseLseg([]byte(in))
		_, _, e4 := ParsePath(nil, []byte(in))
		_, e5 := ParsePolygon(nil, []byte(in))
		_, e6 := ParseCircle([]byte(in))
		_, e7 := ParseLine([]byte(in))
		for i, err := range []error{e1, e2, e3, e4, e5, e6, e7} {
			if err == nil {
				t.Errorf("%q: geometric parser %d wants an error", in, i)
			}
		}
	}
}
