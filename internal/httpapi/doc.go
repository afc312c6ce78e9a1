// Package httpapi is the HTTP door. It translates to and from package control
// and holds no rule.
//
//	/api/v2/…    TiCDC's API: paths, fields, status codes, error body
//	/api/weir/…  our own: sources, log, wait, verify
//	/metrics  /healthz  /readyz  /debug/pprof/ (when enabled)
//
// An error answers with {"error_msg": "[WEIR:Code] …", "error_code": "WEIR:Code"}.
// Under /api/v2 the status is TiCDC's: 400 for what the caller can mend, 404 for
// a path that does not exist, 503 while not ready, else 500. Under /api/weir it is
// the code's own (package weirerr).
//
// TiCDC's namespace is always default. Its replica_config is read key by key: a
// key is honoured, or tunes something we do not have and is passed over, or
// would change what is delivered and is refused (see replica.go).
//
// Invariants:
//   - a body is bounded, and an unknown key in it is an error that names it;
//   - requests that wait are bounded in number; one more is refused, not queued;
//   - when a token is set, only /healthz and /readyz answer without it;
//   - a web page of another origin cannot command us: cross-origin requests
//     are refused, and without a token so are Host names that are not loopback on a
//     loopback listener;
//   - a panic of one request is logged and answered with 500.
//
// It does not authorise by user, and serves no user interface.
package httpapi
