// Package pgtest gives a test a real PostgreSQL of its own.
//
//	srv := pgtest.Start(t, pgtest.Config("wal_level=replica"))
//	url := srv.CreateDB(t, "shop")
//
// It is package pgserver tied to a test: failures fail the test, the server ends
// with the test, and the server's log is printed when the test fails. Without
// PostgreSQL on the machine a test skips, saying what to install; under CI=true
// it fails instead.
package pgtest
