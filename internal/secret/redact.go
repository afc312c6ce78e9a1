package secret

import (
	"net/url"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// minSecret is the shortest secret a Redactor replaces everywhere. Replacing
// shorter ones would tear words apart and give them away by the holes.
const minSecret = 4

// embeddedURL finds URLs with a user part inside prose.
var embeddedURL = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>` + "`" + `]*@[^\s"'<>` + "`" + `]*`)

// Redactor hides secrets in free text: those it was taught, and whatever looks
// like a URL with a password. It is safe for concurrent use.
type Redactor struct {
	mu     sync.RWMutex
	known  map[string]struct{}
	sorted []string // longest first, so that no secret hides inside another
}

// Learn teaches the secrets of a resolved connection string.
func (r *Redactor) Learn(conn string) {
	for _, s := range secretsOf(conn) {
		r.add(s)
	}
}

func (r *Redactor) add(s string) {
	if len(s) < minSecret {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.known[s]; ok {
		return
	}
	if r.known == nil {
		r.known = make(map[string]struct{})
	}
	r.known[s] = struct{}{}
	r.sorted = append(r.sorted, s)
	sort.Slice(r.sorted, func(i, j int) bool {
		a, b := r.sorted[i], r.sorted[j]
		return len(a) > len(b) || len(a) == len(b) && a < b
	})
}

// Redact returns text without secrets.
func (r *Redactor) Redact(text string) string {
	r.mu.RLock()
	for _, s := range r.sorted {
		text = strings.ReplaceAll(text, s, Hidden)
	}
	r.mu.RUnlock()
	if strings.Contains(text, "://") {
		text = embeddedURL.ReplaceAllStringFunc(text, Mask)
	}
	return maskKeyValues(text)
}

// secretsOf lists the secret parts of a connection string, each as written
// and as it reads when unescaped.
func secretsOf(conn string) []string {
	var out []string
	add := func(s string) {
		out = append(out, s)
		if plain, err := url.PathUnescape(s); err == nil {
			out = append(out, plain)
		}
		if plain, err := url.QueryUnescape(s); err == nil {
			out = append(out, plain)
		}
	}
	if _, rest, ok := strings.Cut(conn, "://"); ok {
		user, rest := splitUser(rest)
		if _, password, ok := strings.Cut(strings.TrimSuffix(user, "@"), ":"); ok {
			add(password)
		}
		_, query, _ := strings.Cut(rest, "?")
		for _, p := range strings.Split(query, "&") {
			if name, value, ok := strings.Cut(p, "="); ok && secretKey.MatchString(name) {
				add(value)
			}
		}
		return out
	}
	for _, m := range keyValue.FindAllStringSubmatch(conn, -1) {
		add(strings.Trim(m[3], "'"))
	}
	return out
}
