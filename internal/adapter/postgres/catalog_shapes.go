package postgres

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// shapes completes the stream's shapes from the catalog, for one stream. Where a
// DDL trigger is in place, what its messages told is exact at their place in the
// stream and is used as long as it agrees with it.
type shapes struct {
	ctx       context.Context
	catalog   *control
	triggered bool
	decoder   *decoder // for the names of types that are gone
	learned   map[row.TableID]*tableFacts
	settled   *backfill.Visibility // the newest snapshot known
	unseen    unseen
}

func newShapes(ctx context.Context, catalog *control, triggered bool, log *slog.Logger) *shapes {
	return &shapes{ctx: ctx, catalog: catalog, triggered: triggered, learned: map[row.TableID]*tableFacts{},
		unseen: unseen{log: log, told: map[row.TableID]bool{}}}
}

// streamed implements shaper.
func (s *shapes) streamed(rel *relation, prev *row.Schema, xid uint32, committed bool) (*row.Schema, error) {
	if committed {
		if err := s.settle(xid); err != nil {
			return nil, err
		}
	}
	table := row.TableID(rel.oid)
	f := s.learned[table]
	var schema *row.Schema
	err := s.catalog.do(s.ctx, func(ctx context.Context, conn *pgx.Conn) (err error) {
		if !f.describes(rel) {
			if f, err = loadFacts(ctx, conn, rel.oid); err != nil {
				return err
			}
			if s.triggered && f.describes(rel) {
				s.learned[table] = f
			}
		}
		schema = buildSchema(rel, f, prev, xid)
		if !s.triggered && prev != nil {
			s.unseen.guess(schema.FullName(), f, schema.Columns, prev)
		}
		return s.complete(ctx, conn, schema, prev)
	})
	if err != nil {
		return nil, upstream.wrap(err, "cannot look up a table's shape").With("table", rel.namespace+"."+rel.name)
	}
	return schema, nil
}

// announced implements shaper.
func (s *shapes) announced(f *tableFacts, prev *row.Schema, rewrite int) (*row.Schema, error) {
	if s.triggered {
		s.unseen.rewritten(f, s.learned[row.TableID(f.OID)], prev, rewrite)
		s.learned[row.TableID(f.OID)] = f
	} else if prev != nil {
		s.unseen.guess(prev.FullName(), f, schemaOf(f).Columns, prev)
	}
	var schema *row.Schema
	err := s.catalog.do(s.ctx, func(ctx context.Context, conn *pgx.Conn) error {
		schema = schemaOf(f)
		return s.complete(ctx, conn, schema, nil)
	})
	if err != nil {
		return nil, upstream.wrap(err, "cannot look up a table's shape").With("table", f.Namespace+"."+f.Name)
	}
	return schema, nil
}

// settleLimit bounds the wait for a transaction that stays invisible, as one does
// that waits for a synchronous standby.
const settleLimit = 5 * time.Second

// settle implements shaper.
func (s *shapes) settle(xid uint32) error {
	if s.settled != nil && s.settled.Sees(uint64(xid)) {
		return nil
	}
	err := s.catalog.do(s.ctx, func(ctx context.Context, conn *pgx.Conn) error {
		for deadline := time.Now().Add(settleLimit); time.Now().Before(deadline); {
			var text string
			if err := conn.QueryRow(ctx, `SELECT pg_current_snapshot()::text`).Scan(&text); err != nil {
				return err
			}
			v, err := parseSnapshot(text)
			if err != nil {
				return err
			}
			if s.settled = &v; v.Sees(uint64(xid)) {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Millisecond):
			}
		}
		return nil
	})
	if err != nil {
		return upstream.wrap(err, "cannot look up whether a transaction has ended")
	}
	return nil
}

// forget implements shaper.
func (s *shapes) forget(table row.TableID) { delete(s.learned, table) }

// complete names the types that are still unnamed and describes those that are
// not built in.
func (s *shapes) complete(ctx context.Context, q querier, schema *row.Schema, prev *row.Schema) error {
	if err := nameTypes(ctx, q, schema, s.decoder.types); err != nil {
		return err
	}
	return describeTypes(ctx, q, schema, prev)
}

// schemaOf makes the schema of a table that the catalog describes exactly.
func schemaOf(f *tableFacts) *row.Schema {
	rel := &relation{oid: f.OID, namespace: f.Namespace, name: f.Name, identity: f.identityByte(), cols: f.streamColumns()}
	schema := buildSchema(rel, f, nil, 0)
	for i, a := range f.live() {
		schema.Columns[i].ID, schema.Columns[i].TypeName, schema.Columns[i].NotNull = a.Num, a.TypeName, a.NotNull
		schema.Columns[i].Missing = a.Missing
	}
	return schema
}

// describeTypes fills schema.Types. Types that are gone meanwhile are taken from
// the shape known before.
func describeTypes(ctx context.Context, q querier, schema, prev *row.Schema) error {
	var oids []uint32
	for _, c := range schema.Columns {
		if c.Type >= firstNormalOID {
			oids = append(oids, c.Type)
		}
	}
	if len(oids) == 0 {
		return nil
	}
	types, err := loadTypes(ctx, q, oids)
	if err != nil {
		return err
	}
	has := func(oid uint32) bool {
		return slices.ContainsFunc(types, func(t datum.Type) bool { return t.OID == oid })
	}
	if prev != nil {
		for _, t := range prev.Types {
			if slices.Contains(oids, t.OID) && !has(t.OID) {
				types = append(types, t)
			}
		}
	}
	schema.Types = types
	return nil
}

// nameTypes names the types of columns that the catalog no longer has.
func nameTypes(ctx context.Context, q querier, schema *row.Schema, gone map[uint32]string) error {
	for i := range schema.Columns {
		c := &schema.Columns[i]
		if c.TypeName != "" {
			continue
		}
		var name *string
		err := q.QueryRow(ctx, `SELECT (SELECT format_type(oid, $2) FROM pg_type WHERE oid = $1::int8::oid)`, int64(c.Type), c.Typmod).Scan(&name)
		switch {
		case err != nil:
			return err
		case name != nil:
			c.TypeName = *name
		case gone[c.Type] != "":
			c.TypeName = gone[c.Type]
		default:
			return weirerr.New(weirerr.UpstreamProtocol, "a column's type is unknown").
				With("table", schema.FullName()).With("column", c.Name).With("type", c.Type)
		}
	}
	return nil
}

// control is a connection for look-ups that is opened when needed and again after
// it broke. Safe for concurrent use, one call at a time.
type control struct {
	open func(ctx context.Context) (*pgx.Conn, error)
	mu   sync.Mutex
	conn *pgx.Conn
}

// do runs f on the connection.
func (c *control) do(ctx context.Context, f func(ctx context.Context, conn *pgx.Conn) error) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := false
	for {
		if c.conn == nil || c.conn.IsClosed() {
			if c.conn, err = c.open(ctx); err != nil {
				c.conn = nil
				return err
			}
			fresh = true
		}
		err = f(ctx, c.conn)
		// A server that restarted has closed a connection that lay idle: once more.
		if err == nil || fresh || !c.conn.IsClosed() || ctx.Err() != nil {
			return err
		}
	}
}

func (c *control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		quietly(c.conn)
		c.conn = nil
	}
}
