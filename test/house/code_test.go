package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The longest that files and functions may be, in lines.
const (
	maxFile     = 500
	maxFunction = 70
)

// floors is ARCHITECTURE.md's table: a package imports only from floors below
// its own, or beside it where the table lists it.
var floors = map[string]int{
	"ts": 0, "datum": 0, "row": 0, "weirerr": 0, "numeric": 0, "zset": 0, "datetime": 0,
	"arrange": 1, "progress": 1, "codec": 1, "filter": 1, "config": 1, "secret": 1,
	"lsm": 1, "membudget": 1, "wal": 2, "wal/local": 2, "metastore": 2, "state": 2,
	"sql": 3, "catalog": 3, "expr": 3, "plan": 3, "pgcatalog": 3,
	"owner": 4, "backfill": 4, "barrier": 4, "dataflow": 4, "op": 4,
	"reconcile": 5, "control": 5, "capture": 5, "feed": 5, "coordinator": 5, "worker": 5, "view": 5, "database": 5, "outbox": 5,
	"adapter/postgres": 6, "adapter/file": 6, "adapter/blackhole": 6, "adapter/nexmark": 6,
	"httpapi": 7, "cli": 7, "pgwire": 7, "session": 7,
	"node": 8, "bench": 8,
}

const modulePath = "github.com/weirstream/weir/"

// floorOf is the floor of a package, or of the one it is part of.
func floorOf(pkg string) (floor int, placed bool) {
	for pkg != "." && pkg != "" {
		if floor, placed = floors[pkg]; placed {
			return floor, true
		}
		pkg = filepath.Dir(pkg)
	}
	return 0, false
}

// forTests are packages that only tests, the demo and the bench import.
func forTests(pkg string) bool {
	return strings.HasPrefix(pkg, "pgtest") || strings.HasPrefix(pkg, "mutant") || strings.HasSuffix(pkg, "test")
}

// source is one parsed file.
type source struct {
	path string // relative to the root
	set  *token.FileSet
	ast  *ast.File
}

func (s *source) line(p token.Pos) int { return s.set.Position(p).Line }

// pkg is the package's path below internal, or "" outside it.
func (s *source) pkg() string {
	dir, ok := strings.CutPrefix(filepath.ToSlash(filepath.Dir(s.path)), "internal/")
	if !ok {
		return ""
	}
	return dir
}

func sources(t *testing.T) (parsed []*source) {
	t.Helper()
	for _, path := range goFiles(t) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, path), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, &source{path, set, f})
	}
	return parsed
}

func TestImportsOnlyGoDown(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg() == "" || strings.HasSuffix(s.path, "_test.go") || strings.Contains(s.path, "testdata") || forTests(s.pkg()) {
			continue
		}
		own, placed := floorOf(s.pkg())
		if !placed {
			t.Errorf("package %s is on no floor", s.pkg())
		}
		for _, spec := range s.ast.Imports {
			name, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), modulePath+"internal/")
			if !ours {
				continue
			}
			switch floor, known := floorOf(name); {
			case !known:
				t.Errorf("%s imports %s, which is on no floor", s.path, name)
			case floor > own:
				t.Errorf("%s, floor %d, imports %s, floor %d", s.path, own, name, floor)
			}
		}
	}
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if n := s.line(s.ast.FileEnd); n > maxFile {
			t.Errorf("%s has %d lines, more than %d: one idea a file", s.path, n, maxFile)
		}
		for _, decl := range s.ast.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > maxFunction {
				t.Errorf("%s:%d: %s has %d lines, more than %d", s.path, s.line(f.Pos()), f.Name.Name, n, maxFunction)
			}
			if f.Name.Name == "init" && f.Recv == nil {
				t.Errorf("%s:%d: no func init: wiring is done by hand", s.path, s.line(f.Pos()))
			}
		}
	}
}

func TestEveryPackageOpensWithItsDocumentation(t *testing.T) {
	documented := map[string]int{}
	for _, s := range sources(t) {
		dir := filepath.Dir(s.path)
		if strings.Contains(dir, "testdata") {
			continue
		}
		documented[dir] += 0
		if s.ast.Doc != nil {
			documented[dir]++
		}
	}
	for dir, n := range documented {
		if n != 1 {
			t.Errorf("%s has %d package comments, want one", dir, n)
		}
	}
}

func TestNothingIsLeftUndone(t *testing.T) {
	for _, s := range sources(t) {
		for _, group := range s.ast.Comments {
			for _, word := range []string{"TO" + "DO", "FIX" + "ME", "X" + "XX"} {
				if strings.Contains(group.Text(), word) {
					t.Errorf("%s:%d: %s", s.path, s.line(group.Pos()), word)
				}
			}
		}
	}
}
