package plan

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
)

// maxParams is the protocol's.
const maxParams = 65535

// addParam declares the next parameter; OID 0 and unknown leave its type to the context.
func (b *binder) addParam(t datum.TypeRef) {
	if t.OID == 0 {
		t = datum.Ref(expr.OIDUnknown)
	}
	b.params = append(b.params, &expr.Param{N: len(b.params) + 1, T: t})
}

// param is $n: every use of it is the same value, so that what one context decides holds for all.
func (b *binder) param(p *sql.Param) (expr.Expr, error) {
	if p.N < 1 || p.N > maxParams {
		return nil, fail(sql.UndefinedParameter, p.Pos(), "there is no parameter $%d", p.N)
	}
	for len(b.params) < p.N {
		b.addParam(datum.TypeRef{})
	}
	return b.params[p.N-1], nil
}

// paramTypes are the types at the end. One that nothing has decided is an error.
func (b *binder) paramTypes() ([]datum.TypeRef, error) {
	var types []datum.TypeRef
	for _, p := range b.params {
		if p.T.OID == expr.OIDUnknown {
			return nil, fail(sql.IndeterminateDatatype, -1, "could not determine data type of parameter $%d", p.N)
		}
		types = append(types, p.T)
	}
	return types, nil
}
