package session

import (
	"context"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// table is a result made here: columns of text.
type table struct {
	columns []pgwire.Column
	rows    *zset.Chunk
}

func newTable(names ...string) *table {
	t := &table{}
	kinds := make([]zset.Kind, len(names))
	for i, n := range names {
		t.columns = append(t.columns, pgwire.Column{Name: n, Type: datum.Ref(datum.OIDText)})
		kinds[i] = zset.Bytes
	}
	t.rows = zset.NewChunk(kinds, 8)
	return t
}

func (t *table) row(values ...string) {
	for i, v := range values {
		t.rows.Cols[i].AppendString(v)
	}
	t.rows.AppendWeight(1)
}

// shows is a task whose rows are made when it runs.
func shows(tag func(int64) string, columns []pgwire.Column, fill func(ctx context.Context) (*table, error)) *task {
	return &task{tag: tag, columns: columns, run: func(ctx context.Context, _ *portal) (source, error) {
		t, err := fill(ctx)
		if err != nil {
			return nil, err
		}
		return &chunks{[]*zset.Chunk{t.rows}}, nil
	}}
}

// listing is a SHOW of many rows: its columns, and what fills them.
type listing struct {
	columns []string
	fill    func(s *Session, ctx context.Context, t *table, x *sql.Show) error
}

func (s *Session) showTask(x *sql.Show) (*task, error) {
	if x.What == "parameter" {
		return s.showSetting(x)
	}
	if strings.HasPrefix(x.What, "create ") {
		return s.showCreate(x)
	}
	l, ok := listings()[x.What]
	if !ok {
		return nil, unsupported("SHOW "+strings.ToUpper(x.What), -1)
	}
	return shows(says("SHOW"), newTable(l.columns...).columns, func(ctx context.Context) (*table, error) {
		t := newTable(l.columns...)
		return t, l.fill(s, ctx, t, x)
	}), nil
}

func (s *Session) showSetting(x *sql.Show) (*task, error) {
	name := x.Name.Name
	if p, ok := s.parameter(name); ok {
		return shows(says("SHOW"), newTable(lower(name)).columns, func(context.Context) (*table, error) {
			t := newTable(lower(name))
			t.row(p.Value)
			return t, nil
		}), nil
	}
	if _, ok := s.settings.get(name); !ok {
		return nil, unknownSetting(name)
	}
	shown := s.settings.display(name)
	return shows(says("SHOW"), newTable(shown).columns, func(context.Context) (*table, error) {
		t := newTable(shown)
		t.row(s.settings.value(name))
		return t, nil
	}), nil
}

// listings are what SHOW lists.
func listings() map[string]listing {
	kinds := func(kinds ...catalog.Kind) listing {
		return listing{[]string{"Name"}, func(s *Session, _ context.Context, t *table, x *sql.Show) error { return s.names(t, x, kinds...) }}
	}
	return map[string]listing{
		"tables":             kinds(catalog.KindTable, catalog.KindCapture),
		"materialized views": kinds(catalog.KindMatView),
		"views":              kinds(catalog.KindView),
		"sources":            {[]string{"Name", "Connector"}, (*Session).showSources},
		"changefeeds":        {[]string{"Name", "For", "Into", "State"}, (*Session).showChangefeeds},
		"schemas":            {[]string{"Name"}, (*Session).showSchemas},
		"databases":          {[]string{"Name"}, (*Session).showDatabases},
		"users":              {[]string{"Name"}, (*Session).showUsers},
		"cursors":            {[]string{"Name"}, (*Session).showCursors},
		"parameters":         {[]string{"Name", "Value", "Description"}, (*Session).showParameters},
		"all":                {[]string{"name", "setting", "description"}, (*Session).showAll},
		"columns":            {[]string{"Name", "Type", "Is Nullable", "Is Primary Key"}, (*Session).showColumns},
		"processlist":        {[]string{"Id", "User", "Host", "Database", "State", "Info"}, (*Session).showProcesses},
		"jobs":               {[]string{"Id", "Statement", "State"}, (*Session).showJobs},
	}
}

func (s *Session) names(t *table, x *sql.Show, kinds ...catalog.Kind) error {
	schema := catalog.Public
	if x.Name.Schema != "" {
		schema = x.Name.Schema
	}
	if !s.db.Catalog().HasSchema(schema) {
		return missing(sql.UndefinedSchema, "schema", schema)
	}
	for _, r := range s.db.Catalog().List(kinds...) {
		if r.Schema == schema {
			t.row(r.Name)
		}
	}
	return nil
}

func (s *Session) showSources(_ context.Context, t *table, _ *sql.Show) error {
	for _, r := range s.db.Catalog().List(catalog.KindSource) {
		t.row(r.Name, r.Options["connector"])
	}
	return nil
}

func (s *Session) showChangefeeds(_ context.Context, t *table, _ *sql.Show) error {
	for _, c := range s.o.o.Server.Changefeeds(s.db.Name()) {
		var names []string
		for _, r := range c.For {
			names = append(names, sql.QuoteIdent(r.Name))
		}
		t.row(c.Name, strings.Join(names, ", "), c.Into, c.State)
	}
	return nil
}

func (s *Session) showSchemas(_ context.Context, t *table, _ *sql.Show) error {
	for _, name := range s.db.Catalog().Schemas() {
		t.row(name)
	}
	return nil
}

func (s *Session) showDatabases(_ context.Context, t *table, _ *sql.Show) error {
	for _, name := range s.o.o.Server.Databases() {
		t.row(name)
	}
	return nil
}

func (s *Session) showUsers(_ context.Context, t *table, _ *sql.Show) error {
	for _, name := range s.o.o.Server.Users() {
		t.row(name)
	}
	return nil
}

func (s *Session) showCursors(_ context.Context, t *table, _ *sql.Show) error {
	var names []string
	for name, p := range s.portals {
		if p.cursor {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		t.row(name)
	}
	return nil
}

func (s *Session) showParameters(_ context.Context, t *table, _ *sql.Show) error {
	for _, p := range s.o.o.Server.Parameters(s.db.Name()) {
		t.row(p.Name, p.Value, p.Description)
	}
	return nil
}

// parameter is one of the system's, by its name.
func (s *Session) parameter(name string) (Parameter, bool) {
	for _, p := range s.o.o.Server.Parameters(s.db.Name()) {
		if p.Name == lower(name) {
			return p, true
		}
	}
	return Parameter{}, false
}

func (s *Session) showAll(_ context.Context, t *table, _ *sql.Show) error {
	for _, p := range s.settings.list() {
		t.row(p.Name, p.Value, s.settings.known[lower(p.Name)].about)
	}
	return nil
}

func (s *Session) showColumns(_ context.Context, t *table, x *sql.Show) error {
	r, err := s.db.Catalog().Find(x.Name)
	if err != nil {
		return err
	}
	for i, c := range r.Columns {
		if !c.Hidden {
			t.row(c.Name, expr.FormatType(c.Type), yes(!c.NotNull), yes(slices.Contains(r.Key, i)))
		}
	}
	return nil
}

func yes(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func (s *Session) showProcesses(_ context.Context, t *table, _ *sql.Show) error {
	for _, p := range s.o.list() {
		t.row(text(int64(p.PID)), p.User, p.Addr, p.Database, p.State, p.Query)
	}
	return nil
}
