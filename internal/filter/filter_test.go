package filter_test

import (
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/weirerr"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		list    string
		in, out string // tables, separated by blanks
	}{
		{"", "public.a s.b", "pg_catalog.pg_class information_schema.tables pg_toast.pg_toast_1 pg_temp_3.x pg_toast_temp_1.y weir.lanes"},
		{"public.*", "public.a public.weird", "Public.a publi.a publicx.a s.a"},
		{"public.*,!public.secret", "public.a public.secrets", "public.secret s.a"},
		{"!public.secret", "public.a s.secret", "public.secret weir.x"},
		{"!public.secret,!s.*", "public.a", "public.secret s.a s.b"},
		{"public.*,!public.a*,public.ab", "public.b public.ab", "public.a public.abc"},
		{"!public.a,public.*", "public.a public.b", "s.a"},
		{"*.*", "a.b weird.x", "weir.x pg_catalog.pg_class"},
		{"pg_catalog.*,weir.*", "", "pg_catalog.pg_class weir.lanes"},
		{"*.order?", "s.orders s.order1", "s.order s.orderss"},
		{"s.*a*b*c", "s.abc s.xaxbxc s.aabbcc s.abcabc", "s.abcd s.acb s.bc"},
		{"s.???", "s.abc s.äöü", "s.ab s.abcd s.ä"},
		{"s.*ü", "s.ü s.xyü", "s.u"},
		{`s.a\*b`, "s.a*b", "s.ab s.axb"},
		{`s.a\,b`, "s.a,b", "s.a"},
		{`"s"."a*"`, "s.a*", "s.ab"},
		{`s.Orders`, "s.Orders", "s.orders"},
		{`s./^t_\d+$/`, "s.t_1 s.t_22", "s.t_ s.xt_1 s2.t_1"},
		{`/^a/./b$/`, "ax.xb a.b", "xa.b a.bx"},
		{`/^(a|b)\.x{1,2}$/`, "a.x b.xx", "a.xxx c.x"},
		{`s./a\/b/`, "s.a/b", "s.ab"},
		{`s./x{1,2}$/ , t.a`, "s.xx t.a", "s.y t.b"},
		{" public.a , ! public.b ,\n\tpublic.c ", "public.a public.c", "public.b"},
	} {
		f, err := filter.ParseList(c.list)
		if err != nil {
			t.Errorf("%q: %v", c.list, err)
			continue
		}
		back, err := filter.ParseList(f.String())
		if err != nil {
			t.Errorf("%q printed as %q: %v", c.list, f, err)
			continue
		}
		single, err := filter.Parse(f.Rules())
		if err != nil {
			t.Errorf("%q as rules %q: %v", c.list, f.Rules(), err)
			continue
		}
		for _, f := range []*filter.Filter{f, back, single} {
			expect(t, c.list, f, c.in, true)
			expect(t, c.list, f, c.out, false)
		}
	}
}

func expect(t *testing.T, list string, f *filter.Filter, tables string, want bool) {
	t.Helper()
	for _, table := range strings.Fields(tables) {
		namespace, name, _ := strings.Cut(table, ".")
		if f.Match(namespace, name) != want {
			t.Errorf("%q: %s matches %v, want %v", list, table, !want, want)
		}
	}
}

func TestQuotedNames(t *testing.T) {
	f, err := filter.ParseList(`"weird.schema"."a ""b"", c",!x.*`)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Match("weird.schema", `a "b", c`) || f.Match("weird", `schema."a ""b"", c"`) || f.Match("x", "y") {
		t.Error("the quoted rule does not match its name alone")
	}
}

func TestNilFilterTakesAll(t *testing.T) {
	var f *filter.Filter
	if !f.Match("public", "a") || f.Match("weir", "a") || f.String() != "" || len(f.Rules()) != 0 {
		t.Error("a nil filter takes every table but the reserved ones")
	}
}

func TestErrorsNameTheRule(t *testing.T) {
	for _, c := range []struct{ list, rule, why string }{
		{"public.a,orders", "orders", "no dot"},
		{"*", "*", "no dot"},
		{"public.", "public.", "name is empty"},
		{".a", ".a", "namespace is empty"},
		{"public.a,,b.c", "", "namespace is empty"},
		{"public.a,", "", "namespace is empty"},
		{"!", "!", "namespace is empty"},
		{`"public.a`, `"public.a`, "not closed"},
		{`public.""`, `public.""`, "name is empty"},
		{"public./a", "public./a", "not closed"},
		{"public./(/", "public./(/", "not valid"},
		{`public./a\`, `public./a\`, "not closed"},
		{`public.a\`, `public.a\`, "escapes nothing"},
		{"a.b.c", "a.b.c", `unexpected ".c"`},
		{"a.b c.d", "a.b c.d", `unexpected "c.d"`},
		{"a.b!c", "a.b!c", "needs quotes"},
		{`a.b"c"`, `a.b"c"`, "needs quotes"},
	} {
		_, err := filter.ParseList(c.list)
		if weirerr.CodeOf(err) != weirerr.InvalidArgument {
			t.Errorf("%q: error %v, want InvalidArgument", c.list, err)
			continue
		}
		if !strings.Contains(err.Error(), c.rule) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%q: error %q does not name rule %q and %q", c.list, err, c.rule, c.why)
		}
	}
	if _, err := filter.Parse([]string{"a.b,c.d"}); weirerr.CodeOf(err) != weirerr.InvalidArgument {
		t.Errorf("Parse takes one rule a string, got %v", err)
	}
}

// TestGlobIsNotExponential would take ages with a recursive matcher.
func TestGlobIsNotExponential(t *testing.T) {
	f, err := filter.ParseList("s." + strings.Repeat("a*", 50) + "b")
	if err != nil {
		t.Fatal(err)
	}
	if f.Match("s", strings.Repeat("a", 5000)) {
		t.Error("matches without the b")
	}
}

func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"public.*,!public.secret", `"a.b"."c""d"`, `/x,y/`, `a./b\/c/`, `a.\*?*`, "!a.b , c.d", "\xff.\xfe"} {
		f.Add(seed, "public", "secret")
	}
	f.Fuzz(func(t *testing.T, list, namespace, name string) {
		parsed, err := filter.ParseList(list)
		if err != nil {
			if weirerr.CodeOf(err) != weirerr.InvalidArgument {
				t.Fatalf("%q: %v", list, err)
			}
			return
		}
		back, err := filter.ParseList(parsed.String())
		if err != nil {
			t.Fatalf("%q printed as %q: %v", list, parsed, err)
		}
		if parsed.Match(namespace, name) != back.Match(namespace, name) || parsed.String() != back.String() {
			t.Fatalf("%q printed as %q decides differently", list, parsed)
		}
		if filter.Reserved(namespace) && parsed.Match(namespace, name) {
			t.Fatalf("%q takes a table of %q", list, namespace)
		}
	})
}
