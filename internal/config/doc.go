// Package config has the two things a user configures, the server and a
// changefeed, as plain structs, and reads them.
//
//	server       defaults ◄── weir.toml ◄── WEIR_* ◄── flags      later wins
//	changefeed   defaults ◄── cf.toml, or JSON over HTTP
//
// A struct's tags are the only place where an option is declared: its key in
// the file (toml, json), and its line in docs/configuration.md (doc). The
// environment variable and the flag follow from the key:
//
//	[log] segment_bytes   WEIR_LOG_SEGMENT_BYTES   --log-segment-bytes
//
// Invariants:
//   - an unknown key is an error that names the file, the line and the key, and
//     the key that was perhaps meant;
//   - what Validate accepts can be run: every bound and every choice is checked
//     here and nowhere else;
//   - docs/configuration.md is what Reference prints; a test compares them.
//
// It does not open, resolve or run anything, and it holds no secrets: those come
// by reference (package secret) or by the name of a file.
package config
