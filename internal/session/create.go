package session

import (
	"context"
	"errors"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// rowID is the hidden key of a table without one.
const rowID = "_row_id"

// taken tells whether a name is in use: with IF NOT EXISTS that ends the statement, with a notice.
func (s *Session) taken(n sql.Name, ifNotExists bool) (done bool, err error) {
	schema := schemaOf(n)
	if !s.db.Catalog().HasSchema(schema) {
		return false, failAt(sql.UndefinedSchema, n.Pos(), "schema \"%s\" does not exist", schema)
	}
	if s.db.Catalog().Lookup(schema, n.Name) == nil {
		return false, nil
	}
	e := fail(sql.DuplicateRelation, "relation \"%s\" already exists", n.Name)
	if !ifNotExists {
		return false, e
	}
	e.Message += ", skipping"
	s.notice("NOTICE", e)
	return true, nil
}

func schemaOf(n sql.Name) string {
	if n.Schema == "" {
		return catalog.Public
	}
	return n.Schema
}

func (s *Session) createTableTask(st *statement, x *sql.CreateTable) *task {
	if x.Query != nil {
		return s.createTableAsTask(x)
	}
	return s.defines("CREATE TABLE", func(ctx context.Context) error {
		if done, err := s.taken(x.Name, x.IfNotExists); done || err != nil {
			return err
		}
		if x.From != nil {
			return s.createCapture(ctx, x)
		}
		if len(x.Options) > 0 {
			return failAt(sql.InvalidParameter, int(x.Options[0].At), "option \"%s\" of CREATE TABLE is not known", x.Options[0].Name)
		}
		rel, err := s.newTable(x)
		if err != nil {
			return err
		}
		rel.SQL = x.Text
		return s.db.Create(ctx, rel, nil)
	})
}

// newTable makes an own table of its definition.
func (s *Session) newTable(x *sql.CreateTable) (*catalog.Relation, error) {
	rel := &catalog.Relation{Kind: catalog.KindTable, Schema: schemaOf(x.Name), Name: x.Name.Name, AppendOnly: x.AppendOnly}
	var err error
	if rel.Columns, err = s.columnDefs(x.Columns); err != nil {
		return nil, err
	}
	for _, name := range x.PrimaryKey {
		i := slices.IndexFunc(rel.Columns, func(c catalog.Column) bool { return c.Name == name })
		if i < 0 {
			return nil, failAt(sql.UndefinedColumn, x.Name.Pos(), "column \"%s\" named in key does not exist", name)
		}
		if slices.Contains(rel.Key, i) {
			return nil, failAt(sql.DuplicateColumn, x.Name.Pos(), "column \"%s\" appears twice in primary key constraint", name)
		}
		rel.Key = append(rel.Key, i)
		rel.Columns[i].NotNull = true
	}
	withKey(rel)
	return rel, nil
}

// withKey gives a table without a key a hidden one.
func withKey(rel *catalog.Relation) {
	if len(rel.Key) > 0 {
		return
	}
	rel.Key = []int{len(rel.Columns)}
	rel.Columns = append(rel.Columns, catalog.Column{Name: rowID, Type: datum.Ref(datum.OIDInt8), NotNull: true, Hidden: true})
}

func (s *Session) columnDefs(defs []sql.ColumnDef) ([]catalog.Column, error) {
	var cols []catalog.Column
	for _, d := range defs {
		switch {
		case slices.ContainsFunc(cols, func(c catalog.Column) bool { return c.Name == d.Name }):
			return nil, fail(sql.DuplicateColumn, "column \"%s\" specified more than once", d.Name)
		case d.Name == rowID:
			return nil, failAt("42P17", d.Pos(), "column name \"%s\" is reserved", d.Name)
		case d.Unique:
			return nil, hinted(unsupported("UNIQUE", d.Pos()), "Only the primary key is unique.")
		case d.Generated != nil:
			return nil, hinted(unsupported("a generated column", d.Pos()), "Compute it in a view.")
		}
		typ, err := expr.TypeByName(d.Type)
		if err != nil {
			return nil, err
		}
		c := catalog.Column{Name: d.Name, Type: typ, NotNull: d.NotNull || d.PrimaryKey}
		if d.Default != nil {
			if c.Default, err = s.defaultText(c, d.Default); err != nil {
				return nil, err
			}
		}
		cols = append(cols, c)
	}
	return cols, nil
}

// defaultText is a column's default as it is kept, when it can be a value of the column.
func (s *Session) defaultText(c catalog.Column, x sql.Expr) (string, error) {
	c.Default = sql.DeparseExpr(x)
	one := &catalog.Relation{Columns: []catalog.Column{c}}
	_, err := plan.Defaults(s.db.Catalog(), s.o.o.Functions, one, planOptions(&statement{}))
	var e *sql.Error
	if errors.As(err, &e) && e.Pos >= 0 {
		e.Pos = x.Pos() // in the statement, not in the text that is kept
	}
	return c.Default, err
}

// createTableAsTask makes a table of a query's columns, then inserts its rows.
func (s *Session) createTableAsTask(x *sql.CreateTable) *task {
	t := &task{tag: counts("SELECT")}
	t.run = func(ctx context.Context, p *portal) (source, error) {
		if err := s.alone(ctx, "CREATE TABLE AS"); err != nil {
			return nil, err
		}
		if done, err := s.taken(x.Name, x.IfNotExists); done || err != nil {
			p.tag = "CREATE TABLE AS"
			return nil, err
		}
		q, err := plan.Bind(s.db.Catalog(), s.o.o.Functions, x.Query, planOptions(&statement{}))
		if err != nil {
			return nil, err
		}
		rel := &catalog.Relation{Kind: catalog.KindTable, Schema: schemaOf(x.Name), Name: x.Name.Name, AppendOnly: x.AppendOnly, SQL: x.Text}
		if rel.Columns, err = resultColumns(q, columnNames(x.Columns), x.Name.Pos()); err != nil {
			return nil, err
		}
		withKey(rel)
		if err := s.db.Create(ctx, rel, nil); err != nil {
			return nil, err
		}
		if err := s.fill(ctx, x, p); err != nil {
			s.rollback()
			_ = s.db.Drop(context.WithoutCancel(ctx), []catalog.ID{rel.ID})
			return nil, err
		}
		return nil, nil
	}
	return t
}

func columnNames(defs []sql.ColumnDef) (names []string) {
	for _, d := range defs {
		names = append(names, d.Name)
	}
	return names
}

// fill inserts the rows of CREATE TABLE AS.
func (s *Session) fill(ctx context.Context, x *sql.CreateTable, p *portal) error {
	ch, err := s.bindChange(&statement{}, &sql.Insert{Into: x.Name, Source: x.Query})
	if err != nil {
		return err
	}
	c := &change{Change: ch, s: s, env: s.env(nil)}
	if err := c.run(ctx, nil); err != nil {
		return err
	}
	p.changed = c.changed
	at, err := s.tx.txn.Commit(ctx)
	s.tx.txn = nil
	s.wrote = max(s.wrote, at)
	return err
}

// resultColumns are a query's columns as those of a relation, renamed where names are given.
func resultColumns(q *plan.Query, names []string, pos int) ([]catalog.Column, error) {
	if len(names) > len(q.Columns) {
		return nil, failAt(sql.SyntaxError, pos, "too many column names were specified")
	}
	var cols []catalog.Column
	for i, c := range q.Columns {
		name := c.Name
		if i < len(names) {
			name = names[i]
		}
		if slices.ContainsFunc(cols, func(c catalog.Column) bool { return c.Name == name }) {
			e := failAt(sql.DuplicateColumn, pos, "column \"%s\" specified more than once", name)
			return nil, hinted(e, "Give the columns names: SELECT … AS name.")
		}
		cols = append(cols, catalog.Column{Name: name, Type: c.Type})
	}
	return cols, nil
}

func (s *Session) createViewTask(st *statement, x *sql.CreateView) *task {
	tag := "CREATE VIEW"
	if x.Materialized {
		tag = "CREATE MATERIALIZED VIEW"
	}
	return s.defines(tag, func(ctx context.Context) error {
		if len(x.Options) > 0 {
			return failAt(sql.InvalidParameter, int(x.Options[0].At), "option \"%s\" of %s is not known", x.Options[0].Name, tag)
		}
		if x.OrReplace {
			if err := s.replaceView(ctx, x); err != nil {
				return err
			}
		}
		if done, err := s.taken(x.Name, x.IfNotExists); done || err != nil {
			return err
		}
		return s.createView(ctx, x)
	})
}

func (s *Session) createView(ctx context.Context, x *sql.CreateView) error {
	o := plan.Options{View: x.Materialized, Parse: parser.ParseQuery, ParseExpr: parser.ParseExpr}
	q, err := plan.Bind(s.db.Catalog(), s.o.o.Functions, x.Query, o)
	if err != nil {
		return err
	}
	if len(q.Params) > 0 {
		return fail(sql.UndefinedParameter, "there is no parameter $1")
	}
	rel := &catalog.Relation{
		Kind: catalog.KindView, Schema: schemaOf(x.Name), Name: x.Name.Name, SQL: x.Text, Query: x.Body, TimeZone: s.settings.value("timezone"),
		DependsOn: q.DependsOn,
	}
	if rel.Columns, err = resultColumns(q, x.Columns, x.Name.Pos()); err != nil {
		return err
	}
	if !x.Materialized {
		return s.db.Create(ctx, rel, nil)
	}
	rel.Kind = catalog.KindMatView
	keyed(rel, q)
	return s.db.Create(ctx, rel, q)
}

// keyed tells of a materialized view what is known of its query's rows.
func keyed(rel *catalog.Relation, q *plan.Query) {
	for i := range rel.Columns {
		rel.Columns[i].NotNull = q.NotNull[i]
	}
	rel.Key = nil
	if unique := q.Root.Properties().Unique; len(unique) > 0 && !slices.ContainsFunc(unique[0], func(c int) bool { return c >= len(q.Columns) }) {
		rel.Key = slices.Clone(unique[0])
	}
	rel.AppendOnly = q.Root.Properties().AppendOnly
}

// replaceView takes the old view of CREATE OR REPLACE VIEW away; nothing may depend on it.
func (s *Session) replaceView(ctx context.Context, x *sql.CreateView) error {
	old := s.db.Catalog().Lookup(schemaOf(x.Name), x.Name.Name)
	if old == nil {
		return nil
	}
	if old.Kind != catalog.KindView {
		return failAt(sql.WrongObjectType, x.Name.Pos(), "\"%s\" is not a view", old.Name)
	}
	o := plan.Options{Parse: parser.ParseQuery, ParseExpr: parser.ParseExpr}
	if _, err := plan.Bind(s.db.Catalog(), s.o.o.Functions, x.Query, o); err != nil {
		return err // before the old one is gone
	}
	return s.db.Drop(ctx, []catalog.ID{old.ID})
}
