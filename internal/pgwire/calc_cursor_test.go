package pgwire_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// cursor is a portal of the calculator.
type cursor struct {
	*calc
	*statement
	args []*zset.Vec
	how  *pgwire.Copy
	at   int // rows given
	done bool
	n    int64 // rows that a statement changed
}

func (c *cursor) Live() bool         { return c.verb() == "live" }
func (c *cursor) Copy() *pgwire.Copy { return c.how }

var lineColumns = []pgwire.Column{column("a", datum.OIDInt4), column("b", datum.OIDText)}

func (c *cursor) Columns() []pgwire.Column {
	if c.how != nil {
		return lineColumns
	}
	return c.columns
}

func (c *cursor) Tag(rows int64) string {
	switch c.verb() {
	case "":
		return ""
	case "select", "rows", "live", "count":
		return fmt.Sprintf("SELECT %d", rows)
	case "insert":
		return fmt.Sprintf("INSERT 0 %d", c.n)
	case "copy":
		return fmt.Sprintf("COPY %d", rows)
	}
	return strings.ToUpper(c.verb())
}

func (c *cursor) Next(ctx context.Context) (*zset.Chunk, error) {
	switch c.verb() {
	case "rows", "live":
		return c.numbers(ctx)
	case "select", "count", "copy":
		if c.done || c.how != nil && c.how.From {
			return nil, nil
		}
		c.done = true
		if c.verb() == "select" {
			return c.constants()
		}
		if c.how != nil {
			return linesChunk(c.visible()), nil
		}
		chunk := zset.NewChunk([]zset.Kind{zset.Int}, 1)
		chunk.Cols[0].AppendInt(int64(len(c.visible())))
		chunk.N = 1
		return chunk, nil
	}
	return nil, c.act(ctx)
}

// numbers gives n rows, three a time. Live ones never end by themselves.
func (c *cursor) numbers(ctx context.Context) (*zset.Chunk, error) {
	n, _ := strconv.Atoi(c.words[1])
	if c.at >= n {
		if c.Live() {
			return nil, c.wait(ctx)
		}
		return nil, nil
	}
	chunk := zset.NewChunk([]zset.Kind{zset.Int, zset.Bytes, zset.Int}, 3)
	for ; c.at < n && chunk.N < 3; c.at++ {
		chunk.Cols[0].AppendInt(int64(c.at + 1))
		if c.at%5 == 4 {
			chunk.Cols[1].AppendNull()
		} else {
			chunk.Cols[1].AppendString("row " + strconv.Itoa(c.at+1))
		}
		chunk.Cols[2].AppendInt(0) // more than the result has
		chunk.N++
	}
	c.w.given.Add(int64(chunk.N))
	return chunk, nil
}

func (c *cursor) constants() (*zset.Chunk, error) {
	chunk := &zset.Chunk{N: 1}
	for _, it := range c.items {
		if it.param > 0 {
			if it.param > len(c.args) {
				return nil, &sql.Error{Code: sql.UndefinedParameter, Message: fmt.Sprintf("there is no parameter $%d", it.param), Pos: -1}
			}
			chunk.Cols = append(chunk.Cols, c.args[it.param-1])
			continue
		}
		v := zset.NewVec(zset.KindOf(it.t.OID), 1)
		if it.null {
			v.AppendNull()
		} else if err := appendText(v, it.t, it.text, c.calc); err != nil {
			return nil, err
		}
		chunk.Cols = append(chunk.Cols, v)
	}
	return chunk, nil
}

func linesChunk(rows []line) *zset.Chunk {
	chunk := zset.NewChunk([]zset.Kind{zset.Int, zset.Bytes}, len(rows))
	for _, r := range rows {
		chunk.Cols[0].AppendInt(r.a)
		if r.z {
			chunk.Cols[1].AppendNull()
		} else {
			chunk.Cols[1].AppendString(r.b)
		}
		chunk.N++
	}
	return chunk
}

func (c *cursor) Load(_ context.Context, rows *zset.Chunk) error {
	for i := range rows.N {
		r := line{a: rows.Cols[0].Ints[i], z: rows.Cols[1].Null(i)}
		if !r.z {
			r.b = string(rows.Cols[1].Bytes(i))
		}
		c.pending = append(c.pending, r)
	}
	return nil
}

// wait tells the test that it waits, and does until the context ends.
func (c *cursor) wait(ctx context.Context) error {
	c.w.waiting <- c.who.User
	<-ctx.Done()
	return ctx.Err()
}

// act carries out a statement without rows.
func (c *cursor) act(ctx context.Context) error {
	rest := strings.Join(c.words[min(1, len(c.words)):], " ")
	switch c.verb() {
	case "insert":
		a, _ := strconv.Atoi(c.words[1])
		c.pending, c.n = append(c.pending, line{a: int64(a), b: c.words[2]}), 1
	case "clear":
		c.clear, c.pending = true, nil
	case "begin":
		c.explicit = true
	case "commit", "rollback":
		failed := c.failed
		c.explicit, c.failed = false, false
		if c.verb() == "rollback" || failed {
			c.pending, c.clear = nil, false
		}
		return c.commit()
	case "fail":
		return &sql.Error{Code: c.words[1], Message: strings.Join(c.words[2:], " "), Pos: strings.Index(c.text, "fail"), Hint: "do not", Detail: "as asked"}
	case "wait":
		return c.wait(ctx)
	case "panic":
		panic("as asked")
	case "notice":
		c.client.Notice("NOTICE", &sql.Error{Code: "00000", Message: rest, Pos: -1})
	case "set":
		c.client.Parameter(pgwire.Parameter{Name: c.words[1], Value: c.words[2]})
	}
	return nil
}
