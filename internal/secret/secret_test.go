package secret

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/weirerr"
	"pgregory.net/rapid"
)

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "",
		"postgres://h/db":                  "postgres://h/db",
		"postgres://u@h/db":                "postgres://u@h/db",
		"postgres://u:pw@h:5432/db":        "postgres://u:xxxxx@h:5432/db",
		"postgres://u:p@ss@h/db":           "postgres://u:xxxxx@h/db",
		"postgres://u:p/w?x#y@h/db":        "postgres://u:xxxxx@h/db",
		"postgres://h/db?password=pw&a=1":  "postgres://h/db?password=xxxxx&a=1",
		"postgres://u@h/db?password=p@w":   "postgres://u@h/db?password=xxxxx",
		"postgres://h/db?sslpassword=pw":   "postgres://h/db?sslpassword=xxxxx",
		"postgres://h/db?sslmode=disable":  "postgres://h/db?sslmode=disable",
		"s3://b/p?secret_access_key=k&r=e": "s3://b/p?secret_access_key=xxxxx&r=e",
		"host=h user=u password=pw":        "host=h user=u password=xxxxx",
		"host=h password='p w\\'x' user=u": "host=h password=xxxxx user=u",
		"env:SHOP":                         "env:SHOP",
		"file:/run/secret":                 "file:/run/secret",
		"file:///data/out?max_bytes=1":     "file:///data/out?max_bytes=1",
		"blackhole://":                     "blackhole://",
	} {
		if got := Mask(in); got != want {
			t.Errorf("Mask(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever the password, neither Mask nor Redact lets it through, and both are idempotent.
func TestMaskLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pw := "Pw" + rapid.StringMatching(`[a-zA-Z0-9@/?#:&=%+ ]{2,20}`).Draw(t, "pw") + "Zz"
		shape := rapid.SampledFrom([]string{
			"postgres://user:" + pw + "@host:5432/db?sslmode=require",
			"postgres://user:" + url.QueryEscape(pw) + "@host/db",
			"postgres://host/db?user=u&password=" + url.QueryEscape(pw),
		}).Draw(t, "shape")
		masked := Mask(shape)
		if strings.Contains(masked, pw) || strings.Contains(masked, url.QueryEscape(pw)) {
			t.Fatalf("Mask(%q) = %q shows the password", shape, masked)
		}
		if again := Mask(masked); again != masked {
			t.Fatalf("Mask is not idempotent: %q, then %q", masked, again)
		}
		var r Redactor
		r.Learn(shape)
		text := r.Redact(`dial failed for "` + pw + `": ` + shape)
		if strings.Contains(text, pw) {
			t.Fatalf("Redact shows the password: %q", text)
		}
	})
}

func TestRedactLooksForURLs(t *testing.T) {
	var r Redactor
	got := r.Redact(`cannot connect to "postgres://u:pw@h/db": host=h password=pw refused`)
	want := `cannot connect to "postgres://u:xxxxx@h/db": host=h password=xxxxx refused`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestResolve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(path, []byte("postgres://f\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SHOP": " postgres://e ", "EMPTY": "", "LOOP": "env:SHOP"}
	l := Lookup{Env: func(n string) (string, bool) { v, ok := env[n]; return v, ok }, File: os.ReadFile}
	for in, want := range map[string]string{
		"postgres://x":  "postgres://x",
		"file:///dir":   "file:///dir",
		"env:SHOP":      "postgres://e",
		"file:" + path:  "postgres://f",
		"blackhole://x": "blackhole://x",
	} {
		if got, err := l.Resolve(in); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"env:MISSING", "env:EMPTY", "env:LOOP", "file:" + path + ".not"} {
		if got, err := l.Resolve(in); weirerr.CodeOf(err) != weirerr.InvalidArgument {
			t.Errorf("Resolve(%q) = %q, %v; want an InvalidArgument error", in, got, err)
		}
	}
}
