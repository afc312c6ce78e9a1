// Slt runs logic scripts in the sqllogictest format against any server of the
// PostgreSQL protocol.
//
//	go run ./test/slt -url postgres://… [-label weir] [-rewrite] FILE…
//
// Each file runs in the database that the URL names, one after another; package
// script describes the format. -rewrite fills in what the server answers. Exit
// status 1: an answer differed; 2: no server, or a script that cannot be read.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
)

func main() {
	url := flag.String("url", "", "the server, as postgres://user@host:port/database")
	label := flag.String("label", "postgresql", "what skipif and onlyif know the server by: postgresql or weir")
	rewrite := flag.Bool("rewrite", false, "write the server's results into the files as expectations")
	flag.Parse()
	if *url == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	same := true
	for _, path := range flag.Args() {
		ok, err := file(context.Background(), *url, *label, path, *rewrite)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		same = same && ok
	}
	if !same {
		os.Exit(1)
	}
}

// file runs one script and says whether all answers were the expected ones.
func file(ctx context.Context, url, label, path string, rewrite bool) (same bool, err error) {
	s, err := script.Load(path)
	if err != nil {
		return false, err
	}
	conn, err := play.Dial(ctx, url, label)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	rep, err := play.Run(ctx, conn, s)
	if err != nil {
		return false, err
	}
	same = true
	for _, f := range rep.Faults {
		if _, answered := rep.Results[f.Record.Query]; rewrite && answered {
			continue
		}
		same = false
		fmt.Println(f.Error())
	}
	fmt.Printf("%s: %d statements, %d queries, %d skipped, %d answers differ\n",
		path, rep.Statements, rep.Queries, rep.Skipped, len(rep.Faults))
	if !rewrite {
		return same, nil
	}
	return same, os.WriteFile(path, []byte(s.Rewrite(rep.Results)), 0o600)
}
