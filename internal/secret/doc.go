// Package secret keeps passwords out of sight. A connection string is stored as
// the user gave it, perhaps as a reference, is resolved only where a connection
// is made, and is masked wherever it prints.
//
//	postgres://u:pw@h/db ┐                        ┌─► Resolve ─► connect
//	env:SHOP_URL         ├─ stored as it is given ┤
//	file:/run/shop.url   ┘                        └─► Mask ────► API, CLI, logs, errors
//
// Invariants:
//   - Mask never returns a password, whatever the string, well formed or not;
//   - Mask of a reference is the reference: the name tells nothing;
//   - Mask is idempotent;
//   - a Redactor hides every secret it was taught, in any text.
//
// It does not encrypt anything: who can read the data directory can read what
// was stored there. References exist for those who mind.
package secret
