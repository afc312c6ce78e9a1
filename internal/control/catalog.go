package control

import (
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/weirerr"
)

// catalog keeps the definitions. Each method is one transaction, with its
// preconditions inside.
type catalog struct{ store *metastore.Store }

const (
	sourcePrefix      = "source/"
	changefeedPrefix  = "changefeed/"
	incarnationPrefix = "incarnation/"
	feedPrefix        = "feed/"
)

func sourceKey(name string) string    { return sourcePrefix + name }
func changefeedKey(id string) string  { return changefeedPrefix + id }
func incarnationKey(id string) string { return incarnationPrefix + id }

// reader is what a store and a transaction have in common.
type reader interface {
	Get(key string, into any) (bool, error)
	Scan(prefix string, fn func(key string, raw []byte) error) error
}

func list[T any](r reader, prefix string) ([]T, error) {
	var out []T
	err := r.Scan(prefix, func(key string, raw []byte) error {
		var v T
		if err := metastore.Decode(key, raw, &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

func (c catalog) sources() ([]Source, error) { return list[Source](c.store, sourcePrefix) }

func (c catalog) changefeeds() ([]Changefeed, error) {
	return list[Changefeed](c.store, changefeedPrefix)
}

func (c catalog) source(name string) (Source, error) { return getSource(c.store, name) }

func getSource(r reader, name string) (Source, error) {
	var s Source
	ok, err := r.Get(sourceKey(name), &s)
	if err == nil && !ok {
		err = weirerr.New(weirerr.NotFound, "there is no such source").With("source", name).
			Hint("weir source list shows those there are")
	}
	return s, err
}

func (c catalog) changefeed(id string) (Changefeed, error) {
	var cf Changefeed
	ok, err := c.store.Get(changefeedKey(id), &cf)
	if err == nil && !ok {
		err = weirerr.New(weirerr.NotFound, "there is no such changefeed").With("changefeed", id).
			Hint("weir changefeed list shows those there are")
	}
	return cf, err
}

// usersOf lists the ids of the changefeeds of a source.
func (c catalog) usersOf(source string) ([]string, error) { return usersOf(c.store, source) }

func usersOf(r reader, source string) ([]string, error) {
	feeds, err := list[Changefeed](r, changefeedPrefix)
	var ids []string
	for _, cf := range feeds {
		if cf.Source == source {
			ids = append(ids, cf.ID)
		}
	}
	return ids, err
}

// checkNewSource tells whether the name is free; addSource asks again.
func (c catalog) checkNewSource(s Source) error { return checkNewSource(c.store, s) }

func checkNewSource(r reader, s Source) error {
	all, err := list[Source](r, sourcePrefix)
	if err != nil {
		return err
	}
	for _, o := range all {
		switch {
		case o.Name == s.Name:
			return weirerr.New(weirerr.AlreadyExists, "the source exists").With("source", s.Name).
				Hint("choose another name, or drop it first: weir source drop %s", s.Name)
		case slotWord(o.Name) == slotWord(s.Name):
			return weirerr.New(weirerr.AlreadyExists, "the name differs from an existing source's only in '-' and '_'").
				With("source", s.Name).With("existing", o.Name).Hint("choose another name: both would have the same replication slot")
		case s.Upstream.System != "" && o.Upstream.Same(s.Upstream):
			return weirerr.New(weirerr.AlreadyExists, "another source reads this database already").
				With("source", s.Name).With("existing", o.Name).With("database", s.Upstream.Database).
				With("system_identifier", s.Upstream.System).
				Hint("use source %s: one source feeds any number of changefeeds and reads the upstream once", o.Name)
		}
	}
	return nil
}

func (c catalog) addSource(s Source) error {
	return c.store.Update(func(tx *metastore.Tx) error {
		if err := checkNewSource(tx, s); err != nil {
			return err
		}
		return tx.Put(sourceKey(s.Name), s)
	})
}

// intendSource records what a command is about to do with a source.
func (c catalog) intendSource(name string, intent Intent) (Source, error) {
	var s Source
	err := c.store.Update(func(tx *metastore.Tx) error {
		var err error
		if s, err = getSource(tx, name); err != nil {
			return err
		}
		if s.dropping() && intent == IntentResync {
			return droppingError(name)
		}
		s.Intent = intent
		return tx.Put(sourceKey(name), s)
	})
	return s, err
}

// intendDrop records that a source is being dropped; from then on no changefeed
// can be created on it. It returns the changefeeds to remove first.
func (c catalog) intendDrop(name string, intent Intent, cascade bool) (s Source, users []string, err error) {
	err = c.store.Update(func(tx *metastore.Tx) error {
		if s, err = getSource(tx, name); err != nil {
			return err
		}
		if users, err = usersOf(tx, name); err != nil {
			return err
		}
		if len(users) > 0 && !cascade {
			e := weirerr.New(weirerr.WrongState, "changefeeds use the source").With("source", name)
			for _, id := range users {
				e.With("changefeed", id)
			}
			return e.Hint("remove them first, or drop with --cascade")
		}
		s.Intent = intent
		return tx.Put(sourceKey(name), s)
	})
	return s, users, err
}

func (s *Source) dropping() bool { return s.Intent == IntentDrop || s.Intent == IntentDropForce }

func droppingError(name string) error {
	return weirerr.New(weirerr.WrongState, "the source is being dropped").With("source", name).
		Hint("weir source query %s tells what the drop waits for; repeat weir source drop %s to go on with it", name, name)
}

func (c catalog) deleteSource(name string) error {
	return c.store.Update(func(tx *metastore.Tx) error { return tx.Delete(sourceKey(name)) })
}

// checkNewChangefeed tells whether cf can be added; addChangefeed asks again.
func (c catalog) checkNewChangefeed(cf Changefeed) error { return checkNewChangefeed(c.store, cf) }

func checkNewChangefeed(r reader, cf Changefeed) error {
	if cf.Of == nil {
		s, err := getSource(r, cf.Source)
		if err != nil {
			return err
		}
		if s.dropping() {
			return droppingError(s.Name)
		}
	}
	var old Changefeed
	ok, err := r.Get(changefeedKey(cf.ID), &old)
	if err == nil && ok {
		return weirerr.New(weirerr.AlreadyExists, "the changefeed exists").With("changefeed", cf.ID).
			Hint("choose another name, or remove it first: weir changefeed remove %s", cf.ID)
	}
	return err
}

// addChangefeed stores cf under the next incarnation of its name.
func (c catalog) addChangefeed(cf Changefeed) (Changefeed, error) {
	err := c.store.Update(func(tx *metastore.Tx) error {
		if err := checkNewChangefeed(tx, cf); err != nil {
			return err
		}
		var last uint64
		if _, err := tx.Get(incarnationKey(cf.ID), &last); err != nil {
			return err
		}
		cf.Incarnation = last + 1
		if err := tx.Put(incarnationKey(cf.ID), cf.Incarnation); err != nil {
			return err
		}
		return tx.Put(changefeedKey(cf.ID), cf)
	})
	return cf, err
}

func (c catalog) putChangefeed(cf Changefeed) error {
	return c.store.Update(func(tx *metastore.Tx) error { return tx.Put(changefeedKey(cf.ID), cf) })
}

func (c catalog) deleteChangefeed(id string) error {
	return c.store.Update(func(tx *metastore.Tx) error {
		if err := deleteRecord(tx, id); err != nil {
			return err
		}
		return tx.Delete(changefeedKey(id))
	})
}
