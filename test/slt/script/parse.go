package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Load reads a script and the files that it includes, whose paths are relative
// to the file that names them.
func Load(path string) (*Script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse parses the text of the file named path.
func Parse(path, text string) (*Script, error) {
	p := &parser{path: path, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for p.next() {
		if err := p.record(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, p.at, err)
		}
	}
	if len(p.onlyIf)+len(p.skipIf) > 0 {
		return nil, fmt.Errorf("%s: a condition at the end is about no record", path)
	}
	return &Script{Path: path, Records: p.records, lines: p.lines}, nil
}

type parser struct {
	path      string
	lines     []string
	at        int // lines consumed
	line      string
	threshold int
	onlyIf    []string
	skipIf    []string
	records   []Record
}

// next moves to the next line; false at the end.
func (p *parser) next() bool {
	if p.at >= len(p.lines) {
		return false
	}
	p.line = strings.TrimRight(p.lines[p.at], " ")
	p.at++
	return true
}

// record handles the line that may open a record.
func (p *parser) record() error {
	words := strings.Fields(p.line)
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return nil
	}
	switch verb, args := words[0], words[1:]; verb {
	case "onlyif", "skipif":
		return p.condition(verb, args)
	case "hash-threshold":
		return p.setThreshold(args)
	case "include":
		return p.include(args)
	case "halt":
		p.add(Record{Line: p.at, Halt: true})
		return nil
	case "statement":
		return p.statement(args)
	case "query":
		return p.query(args)
	default:
		return fmt.Errorf("unknown record %q", verb)
	}
}

// add appends a record of this file under the conditions read before it.
func (p *parser) add(r Record) {
	r.Path, r.OnlyIf, r.SkipIf = p.path, p.onlyIf, p.skipIf
	p.onlyIf, p.skipIf = nil, nil
	p.records = append(p.records, r)
}

func (p *parser) condition(verb string, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s needs an engine's label", verb)
	}
	if verb == "onlyif" {
		p.onlyIf = append(p.onlyIf, args[0])
	} else {
		p.skipIf = append(p.skipIf, args[0])
	}
	return nil
}

func (p *parser) setThreshold(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("hash-threshold needs a number")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return fmt.Errorf("hash-threshold %q is no number", args[0])
	}
	p.threshold = n
	return nil
}

func (p *parser) include(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("include needs one path")
	}
	sub, err := Load(filepath.Join(filepath.Dir(p.path), args[0]))
	if err != nil {
		return err
	}
	for i := range sub.Records {
		sub.Records[i].OnlyIf = append(sub.Records[i].OnlyIf, p.onlyIf...)
		sub.Records[i].SkipIf = append(sub.Records[i].SkipIf, p.skipIf...)
	}
	p.onlyIf, p.skipIf = nil, nil
	p.records = append(p.records, sub.Records...)
	return nil
}

func (p *parser) statement(args []string) error {
	s, line := &Statement{Count: -1}, p.at
	if len(args) == 0 {
		return fmt.Errorf("statement needs ok, error or count")
	}
	switch args[0] {
	case "ok":
	case "error":
		s.Fail = &Failure{strings.Join(args[1:], " ")}
	case "count":
		if len(args) != 2 {
			return fmt.Errorf("statement count needs a number")
		}
		n, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return err
		}
		s.Count = n
	default:
		return fmt.Errorf("statement %q: want ok, error or count", args[0])
	}
	var divided bool
	if s.SQL, divided = p.sql(); divided {
		return fmt.Errorf("a statement expects no rows")
	}
	if s.SQL == "" {
		return fmt.Errorf("a statement without SQL")
	}
	p.add(Record{Line: line, Statement: s})
	return nil
}

func (p *parser) query(args []string) error {
	q, line := &Query{Threshold: p.threshold}, p.at
	switch {
	case len(args) == 0:
		return fmt.Errorf("query needs a letter a column")
	case args[0] == "error":
		q.Fail = &Failure{strings.Join(args[1:], " ")}
	default:
		if err := q.header(args); err != nil {
			return err
		}
	}
	var divided bool
	q.SQL, divided = p.sql()
	if q.SQL == "" {
		return fmt.Errorf("a query without SQL")
	}
	q.from, q.to = p.at, p.at
	if divided {
		if q.Fail != nil {
			return fmt.Errorf("a query that fails expects no rows")
		}
		q.from = p.at - 1
		q.Want = []string{}
		for p.next() && p.line != "" {
			q.Want = append(q.Want, p.line)
		}
		q.to = q.from + 1 + len(q.Want)
	} else if p.line == "" {
		q.from, q.to = p.at-1, p.at-1
	}
	p.add(Record{Line: line, Query: q})
	return nil
}

func (q *Query) header(args []string) error {
	q.Types = args[0]
	if strings.Trim(q.Types, "ITR") != "" {
		return fmt.Errorf("query types %q: want I, R or T a column", q.Types)
	}
	args = args[1:]
	if len(args) > 0 {
		if order, ok := orderNames[args[0]]; ok {
			q.Order, args = order, args[1:]
		}
	}
	if len(args) > 1 {
		return fmt.Errorf("unexpected %q", args[1])
	}
	if len(args) == 1 {
		q.Label = args[0]
	}
	return nil
}

// sql reads to a blank line, to the end, or to "----", which it reports.
func (p *parser) sql() (text string, divided bool) {
	var lines []string
	for p.next() && p.line != "" {
		if p.line == "----" {
			divided = true
			break
		}
		lines = append(lines, p.line)
	}
	return strings.Join(lines, "\n"), divided
}
