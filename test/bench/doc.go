// Bench is what `make bench` runs: every figure that weir claims, measured
// beside the real thing in the same run, one JSON line a figure on standard
// output.
//
//	{"figure":"capture: …","ours":…,"peer":"pg_recvlogical","theirs":…,"unit":"rows/s","ratio":…,"bar":0.9}
//
// Ratio says how many times better weir is; 1 is equal. Bar is the ratio to
// reach. Where the peer is a fixed number (a bound), theirs is that number.
// Figures with walsender seconds carry the processor time that PostgreSQL's
// sender used on each side, since it bounds both.
//
// Rows are counted where they arrive. Servers run with fsync on. BENCH_SCALE
// shrinks the loads (0.1: a tenth); -only picks figures by a regular expression.
package main
