// Package cli is the command line: weir serve, and the client commands that
// speak HTTP with a server.
//
//	weir serve …          ─► Programs.Serve        this process is the server
//	weir check …          ─► Programs.Check        asks an upstream, no server needed
//	weir source|changefeed|log status … ─► HTTP ─► package httpapi of a server
//	weir log verify|inspect ─► Programs.Log…       reads a data directory, no server
//	weir bench nexmark    ─► Programs.BenchNexmark measures in this process
//
// Output goes to standard output as text for people, or with -o json as the
// server's JSON. Errors go to standard error; with -o json as an object of the
// server's form.
//
// Exit codes: 0 done; 1 the answer is no (a fault was found, rows differ, a wait
// timed out, the server refused); 2 wrong usage; 3 the server cannot be reached.
//
// Invariants:
//   - it holds no rule: what a command may do is decided in package control;
//   - it prints no password, its own arguments included;
//   - text is for people and may change; JSON is the API's and does not.
package cli
