package pgregexp

import "testing"

// Whatever the pattern and the text, nothing panics, and bounds lie within the text, in order.
func FuzzRegexp(f *testing.F) {
	for _, seed := range []string{
		"a(b|c)*d?", "(&|^)channel_id=([^&]*)", `\m\w+\M`, "[[:alpha:]-]{2,3}?", "(?i)x", "***=a.b", "a**", "[z-a]", "(", `\`, "a{", "(?:a(?:b", `[\]]`, "(?x) a b",
	} {
		f.Add(seed, "xabbcd&channel_id=5\näb")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, flags := range []Flags{{}, {Fold: true, NewlineDot: true}, {Expanded: true, NewlineAnchor: true}} {
			re, err := Compile([]byte(pattern), flags)
			if err != nil {
				continue
			}
			s := []byte(text)
			loc := re.Find(nil, s, 0)
			if (loc != nil) != re.Match(s) {
				t.Fatalf("%q in %q: Find %v, Match %t", pattern, text, loc, re.Match(s))
			}
			last := 0
			for _, loc := range re.All(s, 0) {
				if loc[0] < last || loc[1] < loc[0] || loc[1] > len(s) || len(loc) != 2*re.Groups()+2 {
					t.Fatalf("%q in %q: %v after %d", pattern, text, loc, last)
				}
				last = loc[1]
			}
		}
	})
}

func TestWhatIsRefused(t *testing.T) {
	for pattern, want := range map[string]error{
		"a(": ErrParens, "a)": ErrParens, "[a": ErrBrackets, "a{1,2": ErrBraces, "a{2,1}": ErrRepetition, "a{256}": ErrRepetition,
		"[b-a]": ErrRange, "[[:foo:]]": ErrClass, "[[.ab.]]": ErrCollation, `\q`: ErrEscape, `a\`: ErrEscape, "*": ErrOperand,
		"a+*": ErrOperand, "(?g)a": ErrOption, `\2(a)`: ErrReference, `(a)\1`: ErrUnsupported, "a(?=b)": ErrUnsupported, "(?<!a)b": ErrUnsupported,
	} {
		if _, err := Compile([]byte(pattern), Flags{}); err != want {
			t.Errorf("%q: %v, want %v", pattern, err, want)
		}
	}
}

// A pattern of the simple kind finds what the automaton finds.
func TestSimplePatternsFindTheSame(t *testing.T) {
	for _, pattern := range []string{"(&|^)channel_id=([^&]*)", "(^|&)a=([^&]+)&", "(?:;|^)k=(x*)", "ab([^,]*),", "key:( *)x([^;]*);"} {
		re, err := Compile([]byte(pattern), Flags{})
		if err != nil || re.simple == nil {
			t.Fatal(pattern, re, err)
		}
		plain := *re
		plain.simple = nil
		for _, text := range []string{
			"", "channel_id=", "x&channel_id=5&y", "xchannel_id=1", "xchannel_id=1&channel_id=2", "a=1&b", "&a=&a=2&", "k=xxy;k=x", "abc,ab,", "key:   xv;", "key: k", "key:x;", "key: xkey:xab;", "ab",
		} {
			got, want := re.Find(nil, []byte(text), 0), plain.Find(nil, []byte(text), 0)
			if len(got) != len(want) {
				t.Errorf("%q in %q: %v, want %v", pattern, text, got, want)
				continue
			}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%q in %q: %v, want %v", pattern, text, got, want)
				}
			}
		}
	}
}
