package node

import (
	"context"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/sql"
)

// usersPrefix is where the metadata has who may log in.
const usersPrefix = "user/"

// rootUser is there from the start, without a password: from loopback it is trusted.
const rootUser = "root"

// user is who may log in.
type user struct {
	Verifier string `json:"verifier"` // SCRAM, in PostgreSQL's form; empty: no password
}

// Users implements session.Server.
func (s *sqlServer) Users() []string {
	all := []string{}
	_ = s.meta.Scan(usersPrefix, func(key string, _ []byte) error {
		all = append(all, key[len(usersPrefix):])
		return nil
	})
	return all
}

// Verifier implements session.Server.
func (s *sqlServer) Verifier(name string) (string, bool) {
	var u user
	ok, err := s.meta.Get(usersPrefix+name, &u)
	return u.Verifier, ok && err == nil
}

// PutUser implements session.Server.
func (s *sqlServer) PutUser(_ context.Context, name, verifier string, change bool) error {
	return s.meta.Update(func(tx *metastore.Tx) error {
		var u user
		switch ok, err := tx.Get(usersPrefix+name, &u); {
		case err != nil:
			return err
		case ok && !change:
			return &sql.Error{Code: "42710", Message: "role \"" + name + "\" already exists", Pos: -1}
		case !ok && change:
			return noRole(name)
		}
		return tx.Put(usersPrefix+name, user{verifier})
	})
}

// DropUser implements session.Server.
func (s *sqlServer) DropUser(_ context.Context, name string) error {
	if name == rootUser {
		return &sql.Error{Code: "2BP01", Message: "role \"root\" cannot be dropped", Pos: -1, Hint: "Give it a password instead."}
	}
	return s.meta.Update(func(tx *metastore.Tx) error {
		if ok, err := tx.Get(usersPrefix+name, &user{}); err != nil || !ok {
			return noRole(name)
		}
		return tx.Delete(usersPrefix + name)
	})
}

func noRole(name string) error {
	return &sql.Error{Code: sql.UndefinedObject, Message: "role \"" + name + "\" does not exist", Pos: -1}
}

// ensureRoot makes the first user.
func ensureRoot(meta *metastore.Store) error {
	return meta.Update(func(tx *metastore.Tx) error {
		ok, err := tx.Get(usersPrefix+rootUser, &user{})
		if err != nil || ok {
			return err
		}
		return tx.Put(usersPrefix+rootUser, user{})
	})
}
