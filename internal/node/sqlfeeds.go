package node

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/session"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/weirerr"
)

// feedID is the name that a changefeed of SQL has elsewhere: names there have no underscore,
// and are the same for all databases.
func feedID(database, name string) string {
	id := strings.ReplaceAll(name, "_", "-")
	if database != firstDatabase {
		id = database + "-" + id
	}
	return id
}

// CreateChangefeed implements session.Server.
func (s *sqlServer) CreateChangefeed(ctx context.Context, c session.Changefeed) error {
	req := control.CreateChangefeed{
		ID: feedID(c.Database, c.Name), SinkURI: c.Into, Config: config.DefaultChangefeed(),
		Of: &control.Relations{Database: c.Database, Name: c.Name, Statement: c.Text},
	}
	for _, rel := range c.For {
		req.Tables = append(req.Tables, quoteRule(rel.Schema)+"."+quoteRule(rel.Name))
		req.Of.IDs = append(req.Of.IDs, uint32(rel.ID))
	}
	if err := feedOptions(&req, c.Options); err != nil {
		return err
	}
	_, err := s.control.CreateChangefeed(ctx, req)
	return sqlError(err)
}

// quoteRule is a name as a rule of tables that means it alone.
func quoteRule(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// feedOptions reads WITH: start = initial or now, and what a changefeed's configuration has.
func feedOptions(req *control.CreateChangefeed, options map[string]string) error {
	known := map[string]config.Field{}
	for _, f := range config.Fields(&req.Config) {
		known[f.Path] = f
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		value := options[name]
		if name == "start" {
			if req.Start = control.Start(value); req.Start != control.StartInitial && req.Start != control.StartNow {
				return badFeedOption(name, value, "It is initial (first the rows that are there) or now.")
			}
			continue
		}
		f, ok := known[name]
		if !ok {
			return &sql.Error{
				Code: sql.InvalidParameter, Message: "option \"" + name + "\" of a changefeed is not known", Pos: -1,
				Hint: "Options are start, " + strings.Join(slices.Sorted(maps.Keys(known)), ", ") + ".",
			}
		}
		if err := f.Set(value); err != nil {
			return badFeedOption(name, value, "It is a "+f.Kind()+": "+err.Error()+".")
		}
	}
	return nil
}

func badFeedOption(name, value, hint string) error {
	return &sql.Error{Code: sql.InvalidParameter, Message: "option \"" + name + "\" of a changefeed cannot be '" + value + "'", Pos: -1, Hint: hint}
}

// sqlError is an error of control as SQL has it.
func sqlError(err error) error {
	code := map[weirerr.Code]string{
		weirerr.AlreadyExists: sql.DuplicateObject, weirerr.InvalidArgument: sql.InvalidParameter, weirerr.NotFound: sql.UndefinedObject,
		weirerr.WrongState: sql.ObjectNotReady,
	}[weirerr.CodeOf(err)]
	if err == nil || code == "" {
		return err
	}
	var e *weirerr.Error
	errors.As(err, &e)
	return &sql.Error{Code: code, Message: err.Error(), Pos: -1, Hint: e.Remedy}
}

// feedOf finds a changefeed of a database by its name in SQL.
func (s *sqlServer) feedOf(database, name string) (control.ChangefeedInfo, error) {
	all, err := s.control.ListChangefeeds(context.Background())
	if err != nil {
		return control.ChangefeedInfo{}, err
	}
	for _, cf := range all {
		if cf.Of != nil && cf.Of.Database == database && cf.Of.Name == name {
			return cf, nil
		}
	}
	return control.ChangefeedInfo{}, &sql.Error{Code: sql.UndefinedObject, Message: "changefeed \"" + name + "\" does not exist", Pos: -1}
}

// DropChangefeed implements session.Server.
func (s *sqlServer) DropChangefeed(ctx context.Context, database, name string) error {
	cf, err := s.feedOf(database, name)
	if err == nil {
		_, err = s.control.RemoveChangefeed(ctx, cf.ID)
	}
	return sqlError(err)
}

// AlterChangefeed implements session.Server.
func (s *sqlServer) AlterChangefeed(ctx context.Context, database, name string, pause bool) error {
	cf, err := s.feedOf(database, name)
	switch {
	case err != nil:
	case pause:
		err = s.control.PauseChangefeed(ctx, cf.ID)
	default:
		err = s.control.ResumeChangefeed(ctx, cf.ID, 0)
	}
	return sqlError(err)
}

// Changefeeds implements session.Server.
func (s *sqlServer) Changefeeds(database string) []session.Changefeed {
	all, err := s.control.ListChangefeeds(context.Background())
	if err != nil {
		s.log.Error("listing changefeeds", "error", err)
		return nil
	}
	db := s.Database(database)
	var out []session.Changefeed
	for _, cf := range all {
		if cf.Of == nil || cf.Of.Database != database || db == nil {
			continue
		}
		c := session.Changefeed{Database: database, Name: cf.Of.Name, Into: secret.Mask(cf.SinkURI), Text: cf.Of.Statement, State: string(cf.Status.State)}
		for _, id := range cf.Of.IDs {
			if rel := db.Catalog().Get(catalog.ID(id)); rel != nil {
				c.For = append(c.For, rel)
			}
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b session.Changefeed) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
