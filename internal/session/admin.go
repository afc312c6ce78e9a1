package session

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// rootUser is the user that is always there.
const rootUser = "root"

func (s *Session) createUserTask(x *sql.CreateUser) *task {
	tag := "CREATE ROLE"
	if x.Alter {
		tag = "ALTER ROLE"
	}
	return s.defines(tag, func(ctx context.Context) error {
		_, known := s.o.o.Server.Verifier(x.Name)
		switch {
		case x.Alter && !known:
			return missing(sql.UndefinedObject, "role", x.Name)
		case !x.Alter && known:
			return fail(sql.DuplicateObject, "role \"%s\" already exists", x.Name)
		case x.Alter && x.Password == "":
			return nil
		}
		verifier := ""
		if x.Password != "" {
			var err error
			if verifier, err = pgwire.NewVerifier(x.Password); err != nil {
				return err
			}
		}
		return s.o.o.Server.PutUser(ctx, x.Name, verifier, x.Alter)
	})
}

func (s *Session) dropUser(ctx context.Context, n sql.Name) error {
	if _, known := s.o.o.Server.Verifier(n.Name); !known {
		return missing(sql.UndefinedObject, "role", n.Name)
	}
	switch n.Name {
	case s.who.User:
		return fail(objectInUse, "current user cannot be dropped")
	case rootUser:
		return fail(sql.DependentObjects, "cannot drop role root because it is required by the database system")
	}
	return s.o.o.Server.DropUser(ctx, n.Name)
}

func (s *Session) createDatabase(ctx context.Context, x *sql.CreateDatabase) error {
	if s.o.o.Server.Database(x.Name) == nil {
		return s.o.o.Server.CreateDatabase(ctx, x.Name)
	}
	e := fail(duplicateDatabase, "database \"%s\" already exists", x.Name)
	if !x.IfNotExists {
		return e
	}
	s.skips(e)
	return nil
}

func (s *Session) dropDatabase(ctx context.Context, n sql.Name) error {
	switch {
	case s.o.o.Server.Database(n.Name) == nil:
		return missing(sql.UndefinedDatabase, "database", n.Name)
	case n.Name == s.db.Name():
		return fail(objectInUse, "cannot drop the currently open database")
	}
	return s.o.o.Server.DropDatabase(ctx, n.Name)
}

// schemaKeeper is a database that has schemas of its users.
type schemaKeeper interface {
	CreateSchema(ctx context.Context, name string) error
	DropSchema(ctx context.Context, name string) error
}

func (s *Session) createSchema(ctx context.Context, x *sql.CreateSchema) error {
	if s.db.Catalog().HasSchema(x.Name) {
		e := fail(sql.DuplicateSchema, "schema \"%s\" already exists", x.Name)
		if !x.IfNotExists {
			return e
		}
		s.skips(e)
		return nil
	}
	if k, ok := any(s.db).(schemaKeeper); ok {
		return k.CreateSchema(ctx, x.Name)
	}
	return unsupported("CREATE SCHEMA", -1)
}

func (s *Session) dropSchema(ctx context.Context, n sql.Name, cascade bool) error {
	cat := s.db.Catalog()
	if !cat.HasSchema(n.Name) {
		return missing(sql.UndefinedSchema, "schema", n.Name)
	}
	k, ok := any(s.db).(schemaKeeper)
	if !ok {
		return unsupported("DROP SCHEMA", n.Pos())
	}
	if in := cat.In(n.Name); cascade && len(in) > 0 && n.Name != catalog.Public {
		var ids []catalog.ID
		for _, r := range in {
			ids = append(ids, r.ID)
		}
		if err := s.dropAll(ctx, ids, true); err != nil {
			return err
		}
	}
	return k.DropSchema(ctx, n.Name)
}

// alterSetTask is ALTER SYSTEM SET and ALTER DATABASE … SET.
func (s *Session) alterSetTask(x *sql.AlterSet) *task {
	tag := "ALTER SYSTEM"
	if x.Database != "" {
		tag = "ALTER DATABASE"
	}
	return s.defines(tag, func(ctx context.Context) error {
		if x.Database != "" && s.o.o.Server.Database(x.Database) == nil {
			return missing(sql.UndefinedDatabase, "database", x.Database)
		}
		if _, ok := s.parameter(x.Name); !ok {
			return unknownSetting(x.Name)
		}
		return s.o.o.Server.SetParameter(ctx, x.Database, lower(x.Name), x.Value)
	})
}

func (s *Session) flushTask() *task {
	return does("FLUSH", func(ctx context.Context, _ *portal) error {
		if s.tx.txn != nil && s.tx.txn.Wrote() && !s.tx.explicit {
			if err := s.alone(ctx, "FLUSH"); err != nil {
				return err
			}
		}
		return s.db.Flush(ctx)
	})
}

// jobsQuery tells of relations that are being created.
const jobsQuery = "SELECT id, name, state FROM weir_views WHERE state = 'creating'"

// jobs are the relations that are being created, by id.
func (s *Session) jobs(ctx context.Context) (map[catalog.ID]string, error) {
	sel, err := parser.ParseQuery(jobsQuery)
	if err != nil {
		return nil, err
	}
	q, err := plan.Bind(s.db.Catalog(), s.o.o.Functions, sel, plan.Options{})
	if err != nil {
		return nil, err
	}
	rows, err := s.all(ctx, q, nil)
	if err != nil || rows == nil {
		return nil, err
	}
	jobs := map[catalog.ID]string{}
	for i := range rows.N {
		jobs[catalog.ID(rows.Cols[0].Ints[i])] = string(rows.Cols[2].Bytes(i))
	}
	return jobs, nil
}

func (s *Session) showJobs(ctx context.Context, t *table, _ *sql.Show) error {
	jobs, err := s.jobs(ctx)
	if err != nil {
		return err
	}
	for _, r := range s.db.Catalog().List() {
		if state, ok := jobs[r.ID]; ok {
			t.row(text(int64(r.ID)), Definition(s.db.Catalog(), r), state)
		}
	}
	return nil
}

// waitEvery is how often WAIT looks.
const waitEvery = 50 * time.Millisecond

// waitTask is WAIT: until nothing, or not the named relation, is being created.
func (s *Session) waitTask(x *sql.Wait) *task {
	return does("WAIT", func(ctx context.Context, _ *portal) error {
		var want catalog.ID
		if x.Kind != "" {
			rel, err := s.db.Catalog().Find(x.Name, kindsOf(x.Kind)...)
			if err != nil {
				return err
			}
			want = rel.ID
		}
		tick := time.NewTicker(waitEvery)
		defer tick.Stop()
		for {
			jobs, err := s.jobs(ctx)
			if err != nil {
				return err
			}
			if _, creating := jobs[want]; len(jobs) == 0 || want != 0 && !creating {
				return nil
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
}
