package secret

import (
	"net/url"
	"regexp"
	"strings"
)

// Hidden is printed in place of a secret.
const Hidden = "xxxxx"

// secretKey matches the names of options whose values are secrets: password,
// sslpassword, secret_access_key, access-token, api_key, …
var secretKey = regexp.MustCompile(`(?i)(passw|passwd|^pwd$|secret|token|credential|api_?key|access_?key|private_?key|sas$|signature)`)

// keyValue matches one option of a keyword/value connection string.
var keyValue = regexp.MustCompile(`(?i)([a-z_-]*(?:passw|secret|token|credential|key)[a-z_-]*)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&'",}]+)`)

// Mask hides the secrets of a connection string: the password of a URL, the
// values of options that name secrets, and password= of a keyword/value string.
// Every URL query option that may be a secret is hidden as well.
func Mask(s string) string {
	if s == "" || IsRef(s) {
		return s
	}
	scheme, rest, isURL := strings.Cut(s, "://")
	if !isURL {
		return maskKeyValues(s)
	}
	user, rest := splitUser(rest)
	if name, _, ok := strings.Cut(user, ":"); ok {
		user = name + ":" + Hidden + "@"
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	out := scheme + "://" + user + rest
	if hasQuery {
		out += "?" + maskQuery(query)
	}
	if hasFragment {
		out += "#" + maskKeyValues(fragment)
	}
	return out
}

// splitUser cuts off user:password@. It ends at the last '@', since a password
// that was not escaped may hold '@', '/', '?' and '#'; what it takes too much in
// odd cases is hidden in vain. Without a ':' there is no password to find.
func splitUser(s string) (user, rest string) {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || strings.IndexByte(s[:at], ':') < 0 {
		return "", s
	}
	return s[:at+1], s[at+1:]
}

func maskQuery(q string) string {
	parts := strings.Split(q, "&")
	for i, p := range parts {
		name, _, ok := strings.Cut(p, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if ok && secretKey.MatchString(plain) {
			parts[i] = name + "=" + Hidden
		}
	}
	return strings.Join(parts, "&")
}

func maskKeyValues(s string) string { return keyValue.ReplaceAllString(s, "${1}${2}"+Hidden) }
