package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/sql"
)

func (s *Session) drop(ctx context.Context, x *sql.Drop) error {
	if kindsOf(x.Kind) != nil {
		return s.dropRelations(ctx, x)
	}
	for _, n := range x.Names {
		err := s.dropOne(ctx, x, n)
		var e *sql.Error
		if err != nil && x.IfExists && errors.As(err, &e) && e.Code == absent[x.Kind] {
			s.skips(e)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// absent is the SQLSTATE of what is not there, by kind.
var absent = map[string]string{"user": sql.UndefinedObject, "database": sql.UndefinedDatabase, "schema": sql.UndefinedSchema, "changefeed": sql.UndefinedObject}

func (s *Session) dropOne(ctx context.Context, x *sql.Drop, n sql.Name) error {
	switch x.Kind {
	case "user":
		return s.dropUser(ctx, n)
	case "database":
		return s.dropDatabase(ctx, n)
	case "schema":
		return s.dropSchema(ctx, n, x.Cascade)
	case "changefeed":
		if _, err := s.changefeed(n); err != nil {
			return err
		}
		return s.o.o.Server.DropChangefeed(ctx, s.db.Name(), n.Name)
	}
	return unsupported("DROP "+strings.ToUpper(x.Kind), n.Pos())
}

// skips tells of what IF EXISTS passed over.
func (s *Session) skips(e *sql.Error) {
	s.notice("NOTICE", &sql.Error{Code: "00000", Message: e.Message + ", skipping", Pos: -1})
}

func (s *Session) dropRelations(ctx context.Context, x *sql.Drop) error {
	cat := s.db.Catalog()
	var ids []catalog.ID
	for _, n := range x.Names {
		n.At = -1 // PostgreSQL does not point at it
		rel, err := cat.Find(n, kindsOf(x.Kind)...)
		var e *sql.Error
		switch {
		case err == nil:
			ids = append(ids, rel.ID)
		case errors.As(err, &e) && x.IfExists && (e.Code == sql.UndefinedTable || e.Code == sql.UndefinedSchema):
			e.Message = strings.Replace(e.Message, "relation", x.Kind, 1)
			s.skips(e)
		case errors.As(err, &e) && e.Code == sql.UndefinedTable:
			e.Message = strings.Replace(e.Message, "relation", x.Kind, 1)
			return e
		case errors.As(err, &e) && e.Code == sql.WrongObjectType:
			return s.wrongKind(e, n)
		default:
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.dropAll(ctx, ids, x.Cascade)
}

// wrongKind says which DROP would do.
func (s *Session) wrongKind(e *sql.Error, n sql.Name) error {
	e.Detail = ""
	if rel := s.db.Catalog().Lookup(n.Schema, n.Name); rel != nil && rel.Kind != catalog.KindSystem {
		e.Hint = fmt.Sprintf("Use DROP %s to remove a %s.", strings.ToUpper(rel.Kind.Noun()), rel.Kind.Noun())
	}
	return e
}

// dropAll removes relations, with cascade what depends on them too.
func (s *Session) dropAll(ctx context.Context, ids []catalog.ID, cascade bool) error {
	cat, named := s.db.Catalog(), ids
	if cascade {
		ids = cat.Cascade(ids...)
	}
	if _, err := cat.Without(ids...); err != nil {
		return err
	}
	feeds, err := s.fed(cat, ids, cascade)
	if err != nil {
		return err
	}
	s.cascades(cat, ids, named, feeds)
	for _, name := range feeds {
		if err := s.o.o.Server.DropChangefeed(ctx, s.db.Name(), name); err != nil {
			return err
		}
	}
	for _, some := range inTurn(cat, ids) {
		if err := s.endCaptures(ctx, cat, some); err != nil {
			return err
		}
		if err := s.db.Drop(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// endCaptures ends what runs for sources before their names go: what fails then can be tried again.
func (s *Session) endCaptures(ctx context.Context, cat *catalog.Catalog, ids []catalog.ID) error {
	for _, id := range ids {
		if rel := cat.Get(id); rel.Kind == catalog.KindSource && rel.Options["connector"] == connectorPostgres {
			if err := s.o.o.Server.DropSource(ctx, s.db.Name(), rel.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// inTurn puts relations into an order in which they can go, those that something runs
// for apart from mere names: a view goes before the table it reads.
func inTurn(cat *catalog.Catalog, ids []catalog.ID) (parts [][]catalog.ID) {
	wanted := map[catalog.ID]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	last := false
	for _, id := range cat.Cascade(ids...) {
		if !wanted[id] {
			continue
		}
		kind := cat.Get(id).Kind
		runs := kind != catalog.KindView && kind != catalog.KindSource
		if len(parts) == 0 || runs != last {
			parts = append(parts, nil)
		}
		parts[len(parts)-1], last = append(parts[len(parts)-1], id), runs
	}
	return parts
}

// fed lists the changefeeds that deliver some of the relations; without cascade there may be none.
func (s *Session) fed(cat *catalog.Catalog, ids []catalog.ID, cascade bool) (names []string, err error) {
	for _, c := range s.o.o.Server.Changefeeds(s.db.Name()) {
		at := slices.IndexFunc(c.For, func(r *catalog.Relation) bool { return slices.Contains(ids, r.ID) })
		if at < 0 {
			continue
		}
		if !cascade {
			rel := cat.Get(c.For[at].ID)
			e := fail(sql.DependentObjects, "cannot drop %s %s because other objects depend on it", rel.Kind.Noun(), rel.Name)
			e.Detail = fmt.Sprintf("changefeed %s delivers %s %s", c.Name, rel.Kind.Noun(), rel.Name)
			return nil, hinted(e, "Use DROP ... CASCADE to drop the dependent objects too.")
		}
		names = append(names, c.Name)
	}
	return names, nil
}

// cascades tells what goes beside what was named.
func (s *Session) cascades(cat *catalog.Catalog, all, named []catalog.ID, feeds []string) {
	own := map[catalog.ID]bool{}
	for _, id := range named {
		own[id] = true
	}
	var lines []string
	for _, id := range slices.Backward(all) {
		if rel := cat.Get(id); !own[id] {
			lines = append(lines, fmt.Sprintf("drop cascades to %s %s", rel.Kind.Noun(), rel.Name))
		}
	}
	for _, name := range feeds {
		lines = append(lines, "drop cascades to changefeed "+name)
	}
	switch len(lines) {
	case 0:
	case 1:
		s.notice("NOTICE", &sql.Error{Code: "00000", Message: lines[0], Pos: -1})
	default:
		s.notice("NOTICE", &sql.Error{Code: "00000", Message: fmt.Sprintf("drop cascades to %d other objects", len(lines)),
			Detail: strings.Join(lines, "\n"), Pos: -1})
	}
}

func (s *Session) alter(ctx context.Context, x *sql.AlterTable) error {
	if x.Kind == "changefeed" {
		return s.alterChangefeed(ctx, x)
	}
	kinds := kindsOf(x.Kind)
	rel, err := s.db.Catalog().Find(x.Name, kinds...)
	var e *sql.Error
	if errors.As(err, &e) && e.Code == sql.UndefinedTable && x.IfExists {
		s.skips(e)
		return nil
	}
	if err != nil {
		return err
	}
	switch x.Action {
	case "rename":
		if err := s.renames(rel); err != nil {
			return err
		}
		return s.db.Rename(ctx, rel.ID, x.New)
	case "refresh schema":
		if rel.Kind != catalog.KindCapture {
			return failAt(sql.WrongObjectType, x.Name.Pos(), "table \"%s\" follows no source", rel.Name)
		}
		return s.refresh(ctx, rel)
	}
	return hinted(unsupported("ALTER "+strings.ToUpper(x.Kind)+" … "+strings.ToUpper(x.Action), x.Name.Pos()),
		"Create it again under another name, and drop this one.")
}

// renames refuses to rename what a changefeed delivers: its target has the name.
func (s *Session) renames(rel *catalog.Relation) error {
	for _, c := range s.o.o.Server.Changefeeds(s.db.Name()) {
		if slices.ContainsFunc(c.For, func(r *catalog.Relation) bool { return r.ID == rel.ID }) {
			e := fail(sql.DependentObjects, "cannot rename %s %s because changefeed %s delivers it", rel.Kind.Noun(), rel.Name, c.Name)
			return hinted(e, "Drop the changefeed first.")
		}
	}
	return nil
}

func (s *Session) alterChangefeed(ctx context.Context, x *sql.AlterTable) error {
	if _, err := s.changefeed(x.Name); err != nil {
		var e *sql.Error
		if x.IfExists && errors.As(err, &e) {
			s.skips(e)
			return nil
		}
		return err
	}
	return s.o.o.Server.AlterChangefeed(ctx, s.db.Name(), x.Name.Name, x.Action == "pause")
}
