package debezium

import "github.com/weirstream/weir/internal/weirerr"

// Options choose among Debezium's encodings. The zero value is Debezium's default,
// without schemas. Each mode takes the value that Debezium's property of that name takes.
type Options struct {
	Source   Source
	Schemas  bool   // wrap key and value in {"schema":…,"payload":…}
	Decimal  string // decimal.handling.mode: precise (default), string, double
	Interval string // interval.handling.mode: numeric (default), string
}

// Source is what the source block says of where changes come from.
type Source struct {
	Version string // of Weir
	Name    string // the logical name of the source, Debezium's topic.prefix
	DB      string // the database
}

// mode names of Options.
const (
	DecimalPrecise  = "precise"
	DecimalString   = "string"
	DecimalDouble   = "double"
	IntervalNumeric = "numeric"
	IntervalString  = "string"
)

// withDefaults checks the modes and fills the defaults in.
func (o Options) withDefaults() (Options, error) {
	if o.Decimal == "" {
		o.Decimal = DecimalPrecise
	}
	if o.Interval == "" {
		o.Interval = IntervalNumeric
	}
	switch o.Decimal {
	case DecimalPrecise, DecimalString, DecimalDouble:
	default:
		return o, weirerr.New(weirerr.TargetConfig, "unknown decimal handling mode %q", o.Decimal).
			Hint("use precise, string or double")
	}
	switch o.Interval {
	case IntervalNumeric, IntervalString:
	default:
		return o, weirerr.New(weirerr.TargetConfig, "unknown interval handling mode %q", o.Interval).
			Hint("use numeric or string")
	}
	return o, nil
}
