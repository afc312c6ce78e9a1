package session

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
)

// Connectors of CREATE SOURCE.
const (
	connectorPostgres = "postgres-cdc"
	connectorNexmark  = "nexmark"
)

// optionMap refuses an option that comes twice.
func optionMap(list []sql.Option) (map[string]string, error) {
	m := make(map[string]string, len(list))
	for _, o := range list {
		if _, twice := m[o.Name]; twice {
			return nil, failAt(sql.SyntaxError, int(o.At), "option \"%s\" specified more than once", o.Name)
		}
		m[o.Name] = o.Value
	}
	return m, nil
}

func (s *Session) createSource(ctx context.Context, x *sql.CreateSource) error {
	if done, err := s.taken(x.Name, x.IfNotExists); done || err != nil {
		return err
	}
	options, err := optionMap(x.Options)
	if err != nil {
		return err
	}
	rel := &catalog.Relation{Kind: catalog.KindSource, Schema: schemaOf(x.Name), Name: x.Name.Name, Options: options, SQL: maskStatement(x.Text)}
	switch options["connector"] {
	case connectorPostgres:
		if len(x.Columns) > 0 {
			return hinted(failAt(sql.InvalidTableDefinition, x.Columns[0].Pos(), "a source of connector postgres-cdc has no columns"),
				"Its tables have: CREATE TABLE … FROM source TABLE '…'.")
		}
		return s.createUpstream(ctx, rel)
	case connectorNexmark:
		rel.AppendOnly = true
		if rel.Columns, err = s.streamColumns(x, options); err != nil {
			return err
		}
		return s.db.Create(ctx, rel, nil)
	case "":
		return hinted(fail(sql.InvalidParameter, "option \"connector\" is missing"), "Connectors are postgres-cdc and nexmark.")
	}
	return hinted(fail(sql.FeatureNotSupported, "connector \"%s\" is not supported", options["connector"]), "Connectors are postgres-cdc and nexmark.")
}

// createUpstream begins the capture, then names the source; a name without a capture is taken back.
func (s *Session) createUpstream(ctx context.Context, rel *catalog.Relation) error {
	if err := s.o.o.Server.CreateSource(ctx, s.db.Name(), rel.Name, rel.Options); err != nil {
		return err
	}
	if err := s.db.Create(ctx, rel, nil); err != nil {
		_ = s.o.o.Server.DropSource(context.WithoutCancel(ctx), s.db.Name(), rel.Name)
		return err
	}
	return nil
}

// streamColumns are those of a generator. Columns that the statement gives must be among them, of
// their types, and choose.
func (s *Session) streamColumns(x *sql.CreateSource, options map[string]string) ([]catalog.Column, error) {
	all, err := s.o.o.Server.Stream(options)
	if err != nil || len(x.Columns) == 0 {
		return all, err
	}
	given, err := s.columnDefs(x.Columns)
	if err != nil {
		return nil, err
	}
	if len(given) != len(all) {
		return nil, hinted(fail(sql.InvalidTableDefinition, "the stream has %d columns, not %d", len(all), len(given)), "Leave the columns out.")
	}
	for i, c := range given {
		if c.Name != all[i].Name || c.Type.OID != all[i].Type.OID {
			return nil, hinted(failAt(sql.InvalidTableDefinition, x.Columns[i].Pos(), "column %d of the stream is %s %s",
				i+1, all[i].Name, expr.FormatType(all[i].Type)), "Leave the columns out.")
		}
	}
	return all, nil
}

// createCapture makes a table that follows one of a source.
func (s *Session) createCapture(ctx context.Context, x *sql.CreateTable) error {
	src, err := s.db.Catalog().Find(*x.From, catalog.KindSource)
	if err != nil {
		return err
	}
	if src.Options["connector"] != connectorPostgres {
		return failAt(sql.WrongObjectType, x.From.Pos(), "source \"%s\" has no tables: it is a stream itself", src.Name)
	}
	up, err := s.o.o.Server.Upstream(ctx, s.db.Name(), src.Name, x.Upstream)
	if err != nil {
		return err
	}
	rel := *up
	rel.Kind, rel.Schema, rel.Name, rel.Source, rel.SQL = catalog.KindCapture, schemaOf(x.Name), x.Name.Name, src.ID, x.Text
	if rel.Options, err = optionMap(x.Options); err != nil {
		return err
	}
	if !x.Star {
		if err := s.chooseColumns(&rel, x); err != nil {
			return err
		}
	}
	return s.db.Create(ctx, &rel, nil)
}

// chooseColumns keeps the columns that the statement gives, in its order; the key is among them.
func (s *Session) chooseColumns(rel *catalog.Relation, x *sql.CreateTable) error {
	given, err := s.columnDefs(x.Columns)
	if err != nil {
		return err
	}
	old, was, ref := rel.Columns, rel.Upstream, *rel.Upstream
	rel.Columns, ref.Attributes, ref.Types = nil, nil, nil
	place := map[int]int{}
	for i, c := range given {
		at := slices.IndexFunc(old, func(o catalog.Column) bool { return o.Name == c.Name && !o.Hidden })
		switch {
		case at < 0:
			return failAt(sql.UndefinedColumn, x.Columns[i].Pos(), "column \"%s\" does not exist in upstream table %s", c.Name, x.Upstream)
		case old[at].Type.OID != c.Type.OID:
			return failAt(sql.DatatypeMismatch, x.Columns[i].Pos(), "column \"%s\" is of type %s upstream", c.Name, expr.FormatType(old[at].Type))
		}
		place[at] = len(rel.Columns)
		rel.Columns, ref.Attributes, ref.Types = append(rel.Columns, old[at]), append(ref.Attributes, was.Attributes[at]), append(ref.Types, was.Types[at])
	}
	key := rel.Key
	rel.Key = nil
	for _, k := range key {
		at, there := place[k]
		if !there {
			return failAt(sql.InvalidTableDefinition, x.Name.Pos(), "column \"%s\" of the key is missing", old[k].Name)
		}
		rel.Key = append(rel.Key, at)
	}
	rel.Upstream = &ref
	return nil
}

func (s *Session) createChangefeed(ctx context.Context, x *sql.CreateChangefeed) error {
	if _, err := s.changefeed(x.Name); err == nil {
		e := fail(sql.DuplicateObject, "changefeed \"%s\" already exists", x.Name.Name)
		if !x.IfNotExists {
			return e
		}
		e.Message += ", skipping"
		s.notice("NOTICE", e)
		return nil
	}
	c := Changefeed{Database: s.db.Name(), Name: x.Name.Name, Into: x.Into, Text: maskStatement(x.Text)}
	var err error
	if c.Options, err = optionMap(x.Options); err != nil {
		return err
	}
	for _, n := range x.For {
		rel, err := s.db.Catalog().Find(n, catalog.KindMatView, catalog.KindTable, catalog.KindCapture)
		if err != nil {
			return err
		}
		c.For = append(c.For, rel)
	}
	return s.o.o.Server.CreateChangefeed(ctx, c)
}

func (s *Session) changefeed(n sql.Name) (Changefeed, error) {
	for _, c := range s.o.o.Server.Changefeeds(s.db.Name()) {
		if c.Name == n.Name {
			return c, nil
		}
	}
	return Changefeed{}, failAt(sql.UndefinedObject, n.Pos(), "changefeed \"%s\" does not exist", n.Name)
}
