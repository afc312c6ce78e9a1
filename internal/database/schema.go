package database

import (
	"context"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/sql"
)

// CreateSchema adds a schema.
func (db *Database) CreateSchema(_ context.Context, name string) error {
	if strings.HasPrefix(name, "pg_") {
		return &sql.Error{
			Code: "42939", Pos: -1, Message: "unacceptable schema name \"" + name + "\"",
			Detail: "The prefix \"pg_\" is reserved for system schemas.",
		}
	}
	return db.schemas(func(c *catalog.Catalog) (*catalog.Catalog, error) { return c.WithSchema(name) },
		func(all []string) []string { return append(all, name) })
}

// DropSchema takes an empty schema out.
func (db *Database) DropSchema(_ context.Context, name string) error {
	return db.schemas(func(c *catalog.Catalog) (*catalog.Catalog, error) { return c.WithoutSchema(name) },
		func(all []string) []string { return slices.DeleteFunc(all, func(s string) bool { return s == name }) })
}

// schemas changes the list of schemas: no barrier has to do with it, since nothing is in one that comes or goes.
func (db *Database) schemas(change func(c *catalog.Catalog) (*catalog.Catalog, error), list func(all []string) []string) error {
	db.ddl.Lock()
	defer db.ddl.Unlock()
	next, err := change(db.cat.Load())
	if err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	info := db.info
	info.Schemas = list(slices.Clone(info.schemas()))
	if err := db.o.Meta.Update(func(tx *metastore.Tx) error { return tx.Put(keyInfo(db.o.ID), info) }); err != nil {
		return err
	}
	db.info = info
	db.cat.Store(next)
	return nil
}
