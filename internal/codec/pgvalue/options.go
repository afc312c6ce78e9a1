package pgvalue

import (
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// Error is a value that PostgreSQL would refuse, in its words.
type Error = datum.Error

// Options is what text depends on beside the type.
type Options struct {
	Zone *time.Location  // of the session; nil is UTC
	Now  datum.Timestamp // what now, today and their like mean in text; 0: they are errors
	// Cast says that the modifier is applied as an explicit cast does: varchar(n) cuts off.
	Cast bool
}

func (o *Options) zone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}
