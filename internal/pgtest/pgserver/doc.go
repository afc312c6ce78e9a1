// Package pgserver runs private PostgreSQL servers from the binaries that the
// machine already has: for tests, for the demo and for the bench.
//
//	initdb ──► template (once per version and settings, shared by processes)
//	              │ cp
//	              ▼
//	        /tmp/weir-pg-N/{data,sock,log} ──► postgres on 127.0.0.1:port
//	              ▲                                 ▲
//	              └── removed by Close              └── Stop, Kill, Restart keep the data
//
// Invariants:
//   - the template appears whole or not at all: it is made aside and renamed,
//     under a lock that parallel processes share;
//   - a server keeps its port over Restart, and no outgoing connection can take
//     it meanwhile: ports lie below the kernel's ephemeral range;
//   - processes are ended by their ids only, and only those that this server
//     started; should our own process die, a guard ends the server and removes
//     its directory;
//   - PostgreSQL refuses to run as root, so root starts it as user postgres, else
//     nobody.
//
// fsync is off unless Options.Config says otherwise: the tests kill processes,
// not machines. It does not install PostgreSQL: Find says what to install.
package pgserver
