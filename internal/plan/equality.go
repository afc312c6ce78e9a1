package plan

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
)

// byKey tells whether values of a type are equal exactly when their keys are.
func byKey(oid uint32) bool {
	switch oid {
	case datum.OIDJSON, datum.OIDJSONB, datum.OIDTimeTZ:
		return false
	}
	if elem, isArray := expr.ElementOf(oid); isArray {
		switch elem {
		case datum.OIDNumeric, datum.OIDFloat4, datum.OIDFloat8, datum.OIDInterval, datum.OIDBpchar:
			return false
		}
		return byKey(elem)
	}
	return true
}

// comparable brings the operands of an equality to one type whose keys decide it, if
// casts that always mean the same do it.
func (b *binder) comparable(l, r expr.Expr) (x, y expr.Expr, ok bool) {
	t := l.Type()
	if t.OID != r.Type().OID {
		common, err := b.reg.CommonType("=", []expr.Expr{l, r}, -1)
		if err != nil {
			return nil, nil, false
		}
		t = common
	}
	if t.OID == datum.OIDBpchar { // of different lengths they are padded differently
		t = datum.Ref(datum.OIDText)
	}
	if !byKey(t.OID) {
		return nil, nil, false
	}
	if x, ok = b.widened(l, t); !ok {
		return nil, nil, false
	}
	y, ok = b.widened(r, t)
	return x, y, ok
}

// widened is e as a value of type t, without a modifier's cutting.
func (b *binder) widened(e expr.Expr, t datum.TypeRef) (expr.Expr, bool) {
	if e.Type().OID == t.OID {
		return e, true
	}
	x, err := b.reg.Cast(e, datum.Ref(t.OID), expr.Implicit, -1)
	return x, err == nil && volatility(x) == expr.Immutable
}

// volatility is the worst of an expression's parts.
func volatility(e expr.Expr) expr.Volatility {
	worst := expr.Immutable
	algebra.Any(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Call); ok {
			worst = max(worst, c.Fn.Volatility)
		}
		return false
	})
	return worst
}
