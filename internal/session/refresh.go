package session

import (
	"context"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// refresh follows the upstream's present shape: the table is read anew under another name while
// the old one goes on, then takes its place, and the views over it are made again with the
// columns that they had. That they can be is found out before anything goes.
//
//	new table, complete ─► views bound over it ─► old ones dropped ─► renamed ─► views created
func (s *Session) refresh(ctx context.Context, old *catalog.Relation) error {
	cat := s.db.Catalog()
	ids := cat.Cascade(old.ID)
	if feeds, err := s.fed(cat, ids, true); err != nil || len(feeds) > 0 {
		return hinted(fail(sql.DependentObjects, "changefeed %s delivers \"%s\" or a view over it", strings.Join(feeds, ", "), old.Name), "Drop the changefeed first.")
	}
	fresh, err := s.reshaped(ctx, cat, old)
	if err != nil {
		return err
	}
	if _, err := s.rebound(cat, ids, fresh); err != nil {
		return err
	}
	fresh.Name = old.Name + " (refreshed)"
	if err := s.db.Create(ctx, fresh, nil); err != nil {
		if made := s.db.Catalog().Lookup(fresh.Schema, fresh.Name); made != nil {
			_ = s.db.Drop(context.WithoutCancel(ctx), []catalog.ID{made.ID})
		}
		return err
	}
	return s.replace(context.WithoutCancel(ctx), cat, old, fresh)
}

// replace puts a table and views over it into the place of those there were.
func (s *Session) replace(ctx context.Context, cat *catalog.Catalog, old, fresh *catalog.Relation) error {
	ids := s.db.Catalog().Cascade(old.ID)
	views, err := s.rebound(cat, ids, fresh)
	if err != nil { // what was created meanwhile
		_ = s.db.Drop(ctx, []catalog.ID{fresh.ID})
		return err
	}
	for _, v := range views {
		s.o.o.Log.Info("a view is made again over a refreshed table", "view", v.Name, "table", old.Name, "query", v.Query)
	}
	for _, some := range inTurn(s.db.Catalog(), ids) {
		if err := s.db.Drop(ctx, some); err != nil {
			return err
		}
	}
	if err := s.db.Rename(ctx, fresh.ID, old.Name); err != nil {
		return err
	}
	for _, v := range views {
		if err := s.createAgain(ctx, v); err != nil {
			return hinted(fail(sql.ObjectNotReady, "view \"%s\" cannot be made again: %v", v.Name, err), "Its query: "+v.Query)
		}
	}
	return nil
}

// reshaped is a table as the upstream has it now. Columns that were there keep their place and
// name; new ones follow, when the table was made of all columns.
func (s *Session) reshaped(ctx context.Context, cat *catalog.Catalog, old *catalog.Relation) (*catalog.Relation, error) {
	up, err := s.o.o.Server.Upstream(ctx, s.db.Name(), cat.Get(old.Source).Name, old.Upstream.Namespace+"."+old.Upstream.Name)
	if err != nil {
		return nil, err
	}
	same := func(k, i int) bool { // column k of old is the upstream's i
		if up.Upstream.Table != old.Upstream.Table {
			return up.Columns[i].Name == old.Columns[k].Name
		}
		return up.Upstream.Attributes[i] == old.Upstream.Attributes[k]
	}
	n, ref := *up, *up.Upstream
	n.Kind, n.Schema, n.Source, n.SQL, n.Options = old.Kind, old.Schema, old.Source, old.SQL, old.Options
	n.Columns, n.Key, ref.Attributes, ref.Types = nil, nil, nil, nil
	at := map[int]int{} // of the upstream's columns
	add := func(i int, name string) {
		c := up.Columns[i]
		c.Name, at[i] = name, len(n.Columns)
		n.Columns = append(n.Columns, c)
		ref.Attributes, ref.Types = append(ref.Attributes, up.Upstream.Attributes[i]), append(ref.Types, up.Upstream.Types[i])
	}
	for k := range old.Columns {
		for i := range up.Columns {
			if same(k, i) {
				add(i, old.Columns[k].Name)
			}
		}
	}
	for i, c := range up.Columns {
		if _, there := at[i]; there || !(takesAll(old) || slices.Contains(up.Key, i)) {
			continue
		}
		if slices.ContainsFunc(n.Columns, func(o catalog.Column) bool { return o.Name == c.Name }) {
			return nil, fail(sql.DuplicateColumn, "column \"%s\" is new upstream, and another one has that name here", c.Name)
		}
		add(i, c.Name)
	}
	for _, i := range up.Key {
		n.Key = append(n.Key, at[i])
	}
	n.Upstream = &ref
	return &n, nil
}

// takesAll tells whether a table was made of all columns: CREATE TABLE t (*).
func takesAll(rel *catalog.Relation) bool {
	script, err := parser.Parse(rel.SQL)
	if err != nil || len(script) != 1 {
		return true
	}
	x, ok := script[0].Stmt.(*sql.CreateTable)
	return !ok || x.Star
}

// rebound are the views among some relations as they will be over a new table, in the order in which they are made.
func (s *Session) rebound(cat *catalog.Catalog, ids []catalog.ID, fresh *catalog.Relation) (views []*catalog.Relation, err error) {
	next, err := s.db.Catalog().Without(ids...)
	if err != nil {
		return nil, err
	}
	table := *fresh
	table.ID, table.Name = 0, cat.Get(ids[len(ids)-1]).Name // Cascade gives it last
	if next, _, err = next.With(table); err != nil {
		return nil, err
	}
	for _, id := range slices.Backward(ids) {
		old := s.db.Catalog().Get(id)
		if old.Kind != catalog.KindView && old.Kind != catalog.KindMatView {
			continue
		}
		v := *old
		v.ID = 0
		q, err := s.bindAgain(next, &v)
		if err == nil {
			v.Columns, err = resultColumns(q, columnNamesOf(old), -1)
		}
		if err != nil {
			e := fail(sql.DependentObjects, "%s %s cannot be made over the new shape of %s: %v", old.Kind.Noun(), old.Name, table.Name, err)
			return nil, hinted(e, "Drop it first.")
		}
		v.DependsOn = q.DependsOn
		if next, _, err = next.With(v); err != nil {
			return nil, err
		}
		views = append(views, &v)
	}
	return views, nil
}

func columnNamesOf(rel *catalog.Relation) (names []string) {
	for _, c := range rel.Columns {
		names = append(names, c.Name)
	}
	return names
}

// bindAgain plans a view's query over another catalog. Where * means other columns there, the query keeps those that it had.
func (s *Session) bindAgain(cat *catalog.Catalog, v *catalog.Relation) (*plan.Query, error) {
	bind := func(c *catalog.Catalog, text string) (*plan.Query, error) {
		sel, err := parser.ParseQuery(text)
		if err != nil {
			return nil, err
		}
		return plan.Bind(c, s.o.o.Functions, sel, plan.Options{View: v.Kind == catalog.KindMatView, Parse: parser.ParseQuery, ParseExpr: parser.ParseExpr})
	}
	was, err := bind(s.db.Catalog(), v.Query)
	if err != nil {
		return bind(cat, v.Query)
	}
	q, err := bind(cat, v.Query)
	if err != nil || slices.EqualFunc(was.Columns, q.Columns, func(a, b plan.Column) bool { return a.Name == b.Name }) {
		return q, err
	}
	var list []string
	for _, c := range was.Columns {
		list = append(list, sql.QuoteIdent(c.Name))
	}
	v.Query = "SELECT " + strings.Join(list, ", ") + " FROM (" + v.Query + ") AS q"
	return bind(cat, v.Query)
}

// createAgain makes a view of its record.
func (s *Session) createAgain(ctx context.Context, v *catalog.Relation) error {
	q, err := s.bindAgain(s.db.Catalog(), v)
	if err != nil {
		return err
	}
	v.DependsOn = q.DependsOn
	if v.Kind == catalog.KindView {
		return s.db.Create(ctx, v, nil)
	}
	keyed(v, q)
	return s.db.Create(ctx, v, q)
}
