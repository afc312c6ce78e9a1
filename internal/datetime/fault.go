package datetime

import (
	"fmt"

	"github.com/weirstream/weir/internal/datum"
)

// The faults of computing with time.
var (
	errTimestampRange = &datum.Error{Code: datum.CodeDatetimeOverflow, Message: "timestamp out of range"}
	errDateRange      = &datum.Error{Code: datum.CodeDatetimeOverflow, Message: "date out of range"}
	errIntervalRange  = &datum.Error{Code: datum.CodeDatetimeOverflow, Message: "interval out of range"}
	errDivideZero     = &datum.Error{Code: datum.CodeDivisionByZero, Message: "division by zero"}
)

func fault(code, format string, args ...any) error {
	return &datum.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
