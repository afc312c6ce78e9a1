package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// ensureTable finds the target's table of a shape, or makes it if the policy lets it.
func (a *applier) ensureTable(ctx context.Context, s *shape) (*targetTable, error) {
	namespace, name := a.targetName(&s.Schema)
	t, err := loadTable(ctx, a.conn, namespace, name)
	if err != nil {
		return nil, err
	}
	evolves := a.cfg.SchemaPolicy == PolicyEvolve
	switch {
	case t == nil && evolves && !a.cfg.NoCreate:
		if err := a.createTable(ctx, s); err != nil {
			return nil, err
		}
		return loadTable(ctx, a.conn, namespace, name)
	case t == nil:
		return nil, weirerr.New(weirerr.TargetMissing, "the target lacks a table").
			With("changefeed", a.lane.Changefeed).With("table", namespace+"."+name).
			Hint("create the table, or let weir do it with schema_policy = evolve")
	case !evolves:
		return t, nil
	}
	if err := a.ensureTypes(ctx, s.Types); err != nil {
		return nil, err
	}
	if !a.cfg.Reconcile {
		return t, nil
	}
	// A resync brings every row anew, so columns that were added meanwhile may be.
	for i := range s.Columns {
		if _, ok := t.columns[s.Columns[i].Name]; !ok {
			if err := a.addColumn(ctx, t, &s.Columns[i]); err != nil {
				return nil, err
			}
		}
	}
	return loadTable(ctx, a.conn, namespace, name)
}

// createTable makes the table: columns, key and what they need. Foreign keys,
// other indexes and defaults are the user's.
func (a *applier) createTable(ctx context.Context, s *shape) error {
	namespace, name := a.targetName(&s.Schema)
	if err := a.ensureNamespace(ctx, namespace); err != nil {
		return err
	}
	if err := a.ensureTypes(ctx, s.Types); err != nil {
		return err
	}
	var parts []string
	for i := range s.Columns {
		c := &s.Columns[i]
		part := quoteIdent(c.Name) + ` ` + c.TypeName
		if c.NotNull {
			part += ` NOT NULL`
		}
		parts = append(parts, part)
	}
	for _, g := range s.Generated {
		parts = append(parts, generatedSQL(g))
	}
	if !s.keyless() {
		parts = append(parts, `PRIMARY KEY (`+quoteIdents(keyNames(&s.Schema))+`)`)
	}
	if err := a.run(ctx, `CREATE TABLE `+quoteTable(namespace, name)+` (`+strings.Join(parts, ", ")+`)`); err != nil {
		return a.ddlError(err, "cannot create a table").With("table", namespace+"."+name)
	}
	a.log.Info("table created at the target", "table", namespace+"."+name)
	return nil
}

func generatedSQL(g row.GeneratedColumn) string {
	return quoteIdent(g.Name) + ` ` + g.TypeName + ` GENERATED ALWAYS AS (` + g.Expr + `) STORED`
}

func keyNames(s *row.Schema) []string {
	var out []string
	for _, i := range s.KeyColumns() {
		out = append(out, s.Columns[i].Name)
	}
	return out
}

// ddlError is the error of DDL. What another session made at the same time is
// there when the sink is opened again.
func (a *applier) ddlError(err error, what string) *weirerr.Error {
	if createdMeanwhile(err) {
		return weirerr.New(weirerr.TargetUnreachable, "%s: another session made it at the same time", what).
			With("changefeed", a.lane.Changefeed).Wrap(err)
	}
	if refused(err) || sqlState(err) == "2BP01" || sqlState(err) == "42804" || sqlState(err) == "42846" {
		return a.refusal(weirerr.TargetConflict, what, err).
			Hint("objects or rows of the target are in the way: change them by hand and resume")
	}
	return target.wrap(err, "%s", what).With("changefeed", a.lane.Changefeed)
}

// evolve makes the target's table follow the source's, in the data transaction.
func (a *applier) evolve(ctx context.Context, before, after *row.Schema, d *schemaDiff) error {
	namespace, name := a.targetName(before)
	t, err := loadTable(ctx, a.conn, namespace, name)
	if err != nil {
		return err
	}
	if d.dropped {
		if t == nil {
			return nil
		}
		return a.alter(ctx, t, `DROP TABLE `+t.sql())
	}
	if err := a.ensureTypes(ctx, after.Types); err != nil {
		return err
	}
	if t == nil {
		_, err := a.ensureTable(ctx, newShape(after))
		return err
	}
	if t, err = a.moveTable(ctx, t, after); err != nil {
		return err
	}
	if err := a.evolveColumns(ctx, t, d); err != nil {
		return err
	}
	if d.rekey {
		return a.rekey(ctx, t, after)
	}
	return nil
}

// moveTable gives the table its new name and schema.
func (a *applier) moveTable(ctx context.Context, t *targetTable, after *row.Schema) (*targetTable, error) {
	namespace, name := a.targetName(after)
	moved := *t
	if t.namespace != namespace {
		if err := a.ensureNamespace(ctx, namespace); err != nil {
			return nil, err
		}
		if err := a.alter(ctx, t, `ALTER TABLE `+moved.sql()+` SET SCHEMA `+quoteIdent(namespace)); err != nil {
			return nil, err
		}
		moved.namespace = namespace
	}
	if t.name != name {
		if err := a.alter(ctx, t, `ALTER TABLE `+moved.sql()+` RENAME TO `+quoteIdent(name)); err != nil {
			return nil, err
		}
		moved.name = name
	}
	return &moved, nil
}

// evolveColumns drops, renames, retypes and adds columns, in this order, which
// frees a name before another column takes it.
func (a *applier) evolveColumns(ctx context.Context, t *targetTable, d *schemaDiff) error {
	var sql []string
	table := `ALTER TABLE ` + t.sql() + ` `
	drop := func(name string) {
		if _, ok := t.columns[name]; ok {
			sql = append(sql, table+`DROP COLUMN `+quoteIdent(name))
		}
	}
	for _, g := range d.drops { // before the columns they are made of
		drop(g.Name)
	}
	for _, c := range d.drop {
		drop(c.Name)
	}
	sql = append(sql, renames(table, d.rename)...)
	for _, c := range d.nullable {
		sql = append(sql, table+`ALTER COLUMN `+quoteIdent(c.Name)+` DROP NOT NULL`)
	}
	for _, s := range sql {
		if err := a.alter(ctx, t, s); err != nil {
			return err
		}
	}
	for _, c := range d.retype {
		if err := a.retype(ctx, t, &c.after); err != nil {
			return err
		}
	}
	for i := range d.add {
		if _, ok := t.columns[d.add[i].Name]; ok && !slices.ContainsFunc(d.drop, func(c row.Column) bool { return c.Name == d.add[i].Name }) &&
			!slices.ContainsFunc(d.rename, func(c columnChange) bool { return c.before.Name == d.add[i].Name }) {
			continue
		}
		if err := a.addColumn(ctx, t, &d.add[i]); err != nil {
			return err
		}
	}
	for _, g := range d.adds {
		if err := a.alter(ctx, t, table+`ADD COLUMN `+generatedSQL(g)); err != nil {
			return err
		}
	}
	return a.setNotNull(ctx, t, d)
}

// renames are the statements that rename columns, which may trade names.
func renames(table string, changes []columnChange) []string {
	taken := func(name string) bool {
		return slices.ContainsFunc(changes, func(c columnChange) bool { return c.before.Name == name })
	}
	var first, last []string
	for _, c := range changes {
		from, to := c.before.Name, c.after.Name
		if taken(to) {
			step := "weir " + from
			first = append(first, table+`RENAME COLUMN `+quoteIdent(from)+` TO `+quoteIdent(step))
			from = step
		}
		last = append(last, table+`RENAME COLUMN `+quoteIdent(from)+` TO `+quoteIdent(to))
	}
	return append(first, last...)
}

// addColumn adds a column with what the rows that are there hold in it.
func (a *applier) addColumn(ctx context.Context, t *targetTable, c *row.Column) error {
	sql := `ALTER TABLE ` + t.sql() + ` ADD COLUMN ` + quoteIdent(c.Name) + ` ` + c.TypeName
	if c.Missing != nil {
		sql += ` DEFAULT ` + quoteLiteral(*c.Missing)
	}
	if c.NotNull {
		empty := c.Missing != nil
		if !empty {
			var err error
			if empty, err = isEmpty(ctx, a.conn, t); err != nil {
				return err
			}
		}
		if empty {
			sql += ` NOT NULL`
		}
	}
	if err := a.alter(ctx, t, sql); err != nil || c.Missing == nil {
		return err
	}
	// New rows bring their value; the rows that are there keep theirs.
	return a.alter(ctx, t, `ALTER TABLE `+t.sql()+` ALTER COLUMN `+quoteIdent(c.Name)+` DROP DEFAULT`)
}

// retype changes a column's type. Where no cast leads to it, the text does.
func (a *applier) retype(ctx context.Context, t *targetTable, c *row.Column) error {
	name := quoteIdent(c.Name)
	sql := `ALTER TABLE ` + t.sql() + ` ALTER COLUMN ` + name + ` TYPE ` + c.TypeName + ` USING ` + name
	if err := a.run(ctx, `SAVEPOINT weir_ddl`); err != nil {
		return a.failure(err)
	}
	err := a.run(ctx, sql+`::`+c.TypeName)
	if sqlState(err) != "42846" { // cannot_coerce
		if err != nil {
			return a.ddlError(err, "cannot change a column's type").With("table", t.namespace+"."+t.name).With("column", c.Name)
		}
		return nil
	}
	if err := a.run(ctx, `ROLLBACK TO SAVEPOINT weir_ddl`); err != nil {
		return a.failure(err)
	}
	return a.alter(ctx, t, sql+`::text::`+c.TypeName)
}

// setNotNull is tried and not insisted on: rows of the target that are not the
// source's may be in the way.
func (a *applier) setNotNull(ctx context.Context, t *targetTable, d *schemaDiff) error {
	for _, c := range d.notNull {
		if err := a.run(ctx, `SAVEPOINT weir_ddl`); err != nil {
			return a.failure(err)
		}
		err := a.run(ctx, `ALTER TABLE `+t.sql()+` ALTER COLUMN `+quoteIdent(c.Name)+` SET NOT NULL`)
		if err == nil {
			continue
		}
		if !refused(err) {
			return a.ddlError(err, "cannot set NOT NULL").With("table", t.namespace+"."+t.name).With("column", c.Name)
		}
		a.log.Warn("column stays nullable at the target", "table", t.namespace+"."+t.name, "column", c.Name)
		if err := a.run(ctx, `ROLLBACK TO SAVEPOINT weir_ddl`); err != nil {
			return a.failure(err)
		}
	}
	return nil
}

// rekey makes the target's primary key the source's key.
func (a *applier) rekey(ctx context.Context, t *targetTable, after *row.Schema) error {
	now, err := loadTable(ctx, a.conn, t.namespace, t.name)
	if err != nil || now == nil {
		return err
	}
	want := keyNames(after)
	have, wanted := slices.Sorted(slices.Values(now.primary)), slices.Sorted(slices.Values(want))
	if slices.Equal(have, wanted) {
		return nil
	}
	if now.primaryName != "" {
		if err := a.alter(ctx, t, `ALTER TABLE `+t.sql()+` DROP CONSTRAINT `+quoteIdent(now.primaryName)); err != nil {
			return err
		}
	}
	if len(want) == 0 {
		return nil
	}
	return a.alter(ctx, t, `ALTER TABLE `+t.sql()+` ADD PRIMARY KEY (`+quoteIdents(want)+`)`)
}

// alter runs DDL on a table.
func (a *applier) alter(ctx context.Context, t *targetTable, sql string) error {
	if err := a.run(ctx, sql); err != nil {
		return a.ddlError(err, "cannot change a table").With("table", t.namespace+"."+t.name)
	}
	return nil
}
