// Package consistency asserts what weir promises about epochs (G3, G4) while weir is killed.
//
//	writers: BEGIN; UPDATE accounts twice; INSERT INTO ledger; COMMIT
//	    │ own tables, or a PostgreSQL that weir captures
//	    ▼
//	weir serve ─► credits, debits ─► balance ─► total, outer join with itself, audit … ─► books
//	    ▲ kill -9         │ SELECT, one statement          │ SUBSCRIBE, one relation
//	                      ▼                                ▼ several, put together by epoch
//	                 every answer is checked          every epoch is checked
//
// It is Jamie Brandon's test of internal consistency (transfers between ten accounts, whose
// balances sum up to nothing), with balances kept by the application in a second table, so
// that half a transaction shows too. Invariants, of each epoch that anybody sees:
//   - the money in the accounts is what it was; an account holds its opening balance plus
//     credits less debits (whole transactions, over two tables);
//   - credits, debits and ledger sum up to the same; balance is their difference for each
//     account; total is the one row 0;
//   - the outer join of the ledger with itself matches every row, at any moment;
//   - of each writer there is a prefix of what it wrote, and never less than was seen before;
//   - views equal their queries in the same statement;
//   - no row is retracted that was not there; at the end everything that was acknowledged is there;
//   - views go on within ten seconds of a kill, and of an upstream's return; readers do not wait for it.
//
// WEIR_SOAK=1 kills fifty times, and keeps the upstream away for half a minute.
package consistency
