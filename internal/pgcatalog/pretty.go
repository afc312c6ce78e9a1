package pgcatalog

import (
	"math/big"
	"strings"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/numeric"
)

func prettySizes() []expr.External {
	return []expr.External{
		{Signature: "pg_size_pretty(int8) text", Eval: func(r *expr.Row) error {
			r.SetString(prettySize(big.NewInt(r.Int(0))))
			return nil
		}},
		{Signature: "pg_size_pretty(numeric) text", Eval: func(r *expr.Row) error {
			v := r.Num(0)
			text := string(numeric.AppendText(nil, v))
			whole, _, _ := strings.Cut(text, ".")
			n, ok := new(big.Int).SetString(whole, 10)
			switch {
			case !ok: // NaN or infinite
				text += " " + sizeUnits[len(sizeUnits)-1]
			case n.CmpAbs(sizeLimit) < 0: // its fraction is shown
				text += " " + sizeUnits[0]
			default:
				text = prettySize(n)
			}
			r.SetString(text)
			return nil
		}},
	}
}

var (
	sizeUnits = []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	sizeLimit = big.NewInt(10 * 1024)
)

// prettySize writes a size as pg_size_pretty does: a unit while it has less than 10 of the next one, rounded by
// halves. It changes n.
func prettySize(n *big.Int) string {
	limit, by := sizeLimit, big.NewInt(512)
	for i, unit := range sizeUnits {
		if n.CmpAbs(limit) < 0 || i == len(sizeUnits)-1 {
			if i > 0 { // one bit more was kept to round with
				n.Add(n, big.NewInt(int64(n.Sign())))
				n.Quo(n, big.NewInt(2))
			}
			return n.String() + " " + unit
		}
		n.Quo(n, by)
		limit, by = big.NewInt(20*1024-1), big.NewInt(1024)
	}
	return ""
}
