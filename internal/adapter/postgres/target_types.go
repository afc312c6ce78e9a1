package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/weirerr"
)

// ensureTypes creates the types that the target lacks, in the data transaction,
// and adds labels that its enums lack.
func (a *applier) ensureTypes(ctx context.Context, types []datum.Type) error {
	if len(types) == 0 {
		return nil
	}
	t := typeMaker{a: a, byOID: map[uint32]*datum.Type{}, done: map[uint32]bool{}}
	for i := range types {
		t.byOID[types[i].OID] = &types[i]
	}
	for i := range types {
		if err := t.ensure(ctx, &types[i]); err != nil {
			return err
		}
	}
	return nil
}

// typeMaker creates types after those they are made of.
type typeMaker struct {
	a     *applier
	byOID map[uint32]*datum.Type
	done  map[uint32]bool
}

func (m *typeMaker) ensure(ctx context.Context, t *datum.Type) error {
	if m.done[t.OID] {
		return nil
	}
	m.done[t.OID] = true
	for _, oid := range partsOf(t) {
		if part := m.byOID[oid]; part != nil {
			if err := m.ensure(ctx, part); err != nil {
				return err
			}
		}
	}
	var have bool
	if err := m.a.conn.QueryRow(ctx, `SELECT to_regtype($1) IS NOT NULL`, typeSQL(t)).Scan(&have); err != nil {
		return m.a.failed(err, "cannot look up a type")
	}
	switch {
	case have && t.Kind == datum.KindEnum:
		return m.a.ensureLabels(ctx, t)
	case have:
		return nil
	}
	return m.create(ctx, t)
}

// partsOf are the types that t is made of.
func partsOf(t *datum.Type) []uint32 {
	parts := []uint32{t.Elem, t.Base}
	for _, f := range t.Fields {
		parts = append(parts, f.Type)
	}
	return parts
}

func typeSQL(t *datum.Type) string { return quoteTable(t.Namespace, t.Name) }

func (m *typeMaker) create(ctx context.Context, t *datum.Type) error {
	name := typeSQL(t)
	fail := func(err error) error {
		return m.a.ddlError(err, "cannot create a type").With("type", t.Namespace+"."+t.Name)
	}
	if err := m.a.ensureNamespace(ctx, t.Namespace); err != nil {
		return err
	}
	var sql string
	switch {
	case t.Extension != "":
		sql = `CREATE EXTENSION IF NOT EXISTS ` + quoteIdent(t.Extension) + ` SCHEMA ` + quoteIdent(t.Namespace)
		if err := m.a.run(ctx, sql); err != nil {
			return weirerr.New(weirerr.TargetConfig, "the target lacks an extension that brings a type").
				With("extension", t.Extension).With("type", t.Namespace+"."+t.Name).Wrap(err).
				Hint("CREATE EXTENSION %s at the target, as a role that may, and resume", t.Extension)
		}
		return nil
	case t.Kind == datum.KindEnum:
		labels := make([]string, len(t.Labels))
		for i, l := range t.Labels {
			labels[i] = quoteLiteral(l)
		}
		sql = `CREATE TYPE ` + name + ` AS ENUM (` + strings.Join(labels, ", ") + `)`
	case t.Kind == datum.KindDomain:
		sql = `CREATE DOMAIN ` + name + ` AS ` + t.BaseName
	case t.Kind == datum.KindComposite:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = quoteIdent(f.Name) + ` ` + f.TypeName
		}
		sql = `CREATE TYPE ` + name + ` AS (` + strings.Join(fields, ", ") + `)`
	case t.Kind == datum.KindRange:
		subtype, err := m.name(ctx, t.Elem)
		if err != nil {
			return fail(err)
		}
		sql = `CREATE TYPE ` + name + ` AS RANGE (SUBTYPE = ` + subtype + `)`
	case t.Kind == datum.KindArray, t.Kind == datum.KindMultirange:
		return nil // comes with its element, or its range
	default:
		return weirerr.New(weirerr.TargetConfig, "the target lacks a type that cannot be described").
			With("type", t.Namespace+"."+t.Name).Hint("create the type at the target and resume")
	}
	if err := m.a.run(ctx, sql); err != nil {
		return fail(err)
	}
	m.a.created[name] = true
	return nil
}

// name is how SQL calls a type: one of ours, or built in, which has the same OID
// everywhere.
func (m *typeMaker) name(ctx context.Context, oid uint32) (string, error) {
	if t := m.byOID[oid]; t != nil {
		return typeSQL(t), nil
	}
	var name string
	err := m.a.conn.QueryRow(ctx, `SELECT format_type($1::int8::oid, NULL)`, int64(oid)).Scan(&name)
	return name, err
}

// ensureNamespace creates a schema. Not by IF NOT EXISTS, which needs the right to
// create schemas even if there is nothing to do.
func (a *applier) ensureNamespace(ctx context.Context, namespace string) error {
	var have bool
	if err := a.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, namespace).Scan(&have); err != nil {
		return a.failed(err, "cannot look up a schema")
	}
	if have {
		return nil
	}
	if err := a.run(ctx, `CREATE SCHEMA `+quoteIdent(namespace)); err != nil {
		return a.ddlError(err, "cannot create a schema").With("schema", namespace)
	}
	return nil
}

// ensureLabels adds what an enum lacks, each in its place. A label cannot be
// used in the transaction that adds it, unless that made the type: so it is added
// on a connection of its own, for good even if our transaction is not.
func (a *applier) ensureLabels(ctx context.Context, t *datum.Type) error {
	var have []string
	err := a.conn.QueryRow(ctx, `SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = to_regtype($1)`, typeSQL(t)).Scan(&have)
	if err != nil {
		return a.failed(err, "cannot look up an enum")
	}
	statements := addLabels(t, have)
	if len(statements) == 0 {
		return nil
	}
	run := a.run
	if !a.created[typeSQL(t)] {
		conn, err := connect(ctx, a.cfg.URL, "weir "+a.lane.Changefeed+" ddl", target)
		if err != nil {
			return err
		}
		defer quietly(conn)
		run = func(ctx context.Context, sql string) error {
			_, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
			return err
		}
	}
	for _, sql := range statements {
		if err := run(ctx, sql); err != nil {
			return a.ddlError(err, "cannot add a label to an enum").With("type", t.Namespace+"."+t.Name)
		}
	}
	return nil
}

// addLabels are the statements that give an enum the labels it lacks.
func addLabels(t *datum.Type, have []string) []string {
	var out []string
	for i, l := range t.Labels {
		if slices.Contains(have, l) {
			continue
		}
		sql := `ALTER TYPE ` + typeSQL(t) + ` ADD VALUE IF NOT EXISTS ` + quoteLiteral(l)
		switch {
		case i > 0:
			sql += ` AFTER ` + quoteLiteral(t.Labels[i-1])
		case len(have) > 0:
			sql += ` BEFORE ` + quoteLiteral(have[0])
		}
		out = append(out, sql)
	}
	return out
}
