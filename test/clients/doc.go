// Package clients uses a weir as its users do: with psql, pgx, node's pg and Python's
// psycopg2 and psycopg, over their ordinary ways.
//
//	weir (a process, or WEIR_SQL_URL's) ◄── psql 15: backslash commands, golden
//	                                    ◄── pgx: simple, extended, batch, copy, binary
//	  from elsewhere: TLS and SCRAM ───► ◄── psql, pgx
//	                                    ◄── node/client.js · python/client.py: each prints ok
//
// A client that is not on the machine is skipped, saying what to install; under CI=true that fails. node's
// packages come from node/package-lock.json: npm ci --prefix test/clients/node, which make's set-up runs.
package clients
