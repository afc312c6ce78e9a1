package parser

import (
	"math/big"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// literal converts a constant.
func (c *converter) literal(k *pg.A_Const) sql.Expr {
	lit := &sql.Literal{At: c.at(k.Location)}
	switch v := k.Val.(type) {
	case *pg.A_Const_Ival:
		lit.Kind, lit.Text = sql.Integer, strconv.Itoa(int(v.Ival.GetIval()))
	case *pg.A_Const_Fval:
		lit.Kind, lit.Text = number(v.Fval.GetFval())
	case *pg.A_Const_Boolval:
		lit.Kind, lit.Text = sql.Boolean, strconv.FormatBool(v.Boolval.GetBoolval())
	case *pg.A_Const_Sval:
		lit.Kind, lit.Text = sql.String, v.Sval.GetSval()
	case *pg.A_Const_Bsval:
		lit.Kind, lit.Text = sql.BitString, v.Bsval.GetBsval()
	}
	return lit
}

// number tells integers that fit int8 from other numbers, and writes both in plain
// decimal digits: 0x1F, 1_000 and their like are PostgreSQL's too.
func number(text string) (sql.LiteralKind, string) {
	text = strings.ReplaceAll(text, "_", "")
	digits := strings.TrimPrefix(text, "-")
	base := 10
	if len(digits) > 2 && digits[0] == '0' {
		switch digits[1] {
		case 'x', 'X', 'o', 'O', 'b', 'B':
			base = 0
		}
	}
	n, ok := new(big.Int).SetString(text, base)
	switch {
	case !ok:
		return sql.Decimal, text
	case n.IsInt64():
		return sql.Integer, n.String()
	}
	return sql.Decimal, n.String()
}
