package template

import (
	"github.com/weirstream/weir/internal/datum"
)

// Fields of number templates.
const (
	commaField id = iota
	pointField
	zeroField
	nineField
	blankField
	currencyCodeField
	localPointField
	exponentField
	fillField
	groupField
	currencyField
	minusField
	plusField
	bracketField
	romanNumberField
	signField
	plusMinusField
	spellField
	thField
	shiftField
)

// numberKeys are the fields of numbers. A key that begins like another comes after it if shorter.
var numberKeys = []key{
	{name: ",", id: commaField}, {name: ".", id: pointField}, {name: "0", id: zeroField}, {name: "9", id: nineField},
	{name: "B", id: blankField}, {name: "C", id: currencyCodeField}, {name: "D", id: localPointField}, {name: "EEEE", id: exponentField},
	{name: "FM", id: fillField}, {name: "G", id: groupField}, {name: "L", id: currencyField}, {name: "MI", id: minusField},
	{name: "PL", id: plusField}, {name: "PR", id: bracketField}, {name: "RN", id: romanNumberField}, {name: "SG", id: plusMinusField},
	{name: "SP", id: spellField}, {name: "S", id: signField}, {name: "TH", id: thField}, {name: "V", id: shiftField},
	{name: "b", id: blankField}, {name: "c", id: currencyCodeField}, {name: "d", id: localPointField}, {name: "eeee", id: exponentField},
	{name: "fm", id: fillField}, {name: "g", id: groupField}, {name: "l", id: currencyField}, {name: "mi", id: minusField},
	{name: "pl", id: plusField}, {name: "pr", id: bracketField}, {name: "rn", id: romanNumberField, lower: true}, {name: "sg", id: plusMinusField},
	{name: "sp", id: spellField}, {name: "s", id: signField}, {name: "th", id: thField, lower: true}, {name: "v", id: shiftField},
}

// signPlace is where S puts the sign.
type signPlace uint8

const (
	noSign signPlace = iota
	signBefore
	signAfter
)

// shape is what a template asks of numbers.
type shape struct {
	pre, post          int // digits before and after the point
	shift              int // digits after V
	zeroStart, zeroEnd int // between which zeros are written
	preAtSign          int // digits before S
	sign               signPlace

	zero, blank, decimal, localDecimal, shifted, fill, signed, minus, plus, bracket, roman, exponent bool
}

// Number is a compiled template of numbers.
type Number struct {
	nodes []node
	shape shape
}

func syntax(message string) error { return fault("42601", message, "", "") }

// CompileNumber compiles a template. The error has SQLSTATE 42601.
func CompileNumber(template string) (*Number, error) {
	n := &Number{}
	nodes, err := compile(template, numberKeys, false, func(f *node) error { return n.shape.add(f.key.id) })
	n.nodes = nodes
	return n, err
}

// add takes a field in.
func (s *shape) add(f id) error {
	if s.exponent && f != exponentField {
		return syntax(`"EEEE" must be the last pattern used`)
	}
	switch f {
	case nineField:
		if s.bracket {
			return syntax(`"9" must be ahead of "PR"`)
		}
		s.digit()
	case zeroField:
		if s.bracket {
			return syntax(`"0" must be ahead of "PR"`)
		}
		if !s.zero && !s.decimal {
			s.zero, s.zeroStart = true, s.pre+1
		}
		if s.decimal {
			s.post++
		} else {
			s.pre++
		}
		s.zeroEnd = s.pre + s.post
	case blankField:
		if s.pre == 0 && s.post == 0 && !s.zero {
			s.blank = true
		}
	case pointField, localPointField:
		s.localDecimal = s.localDecimal || f == localPointField
		if s.decimal {
			return syntax("multiple decimal points")
		}
		if s.shifted {
			return syntax(`cannot use "V" and decimal point together`)
		}
		s.decimal = true
	case fillField:
		s.fill = true
	case romanNumberField:
		s.roman = true
	case shiftField:
		if s.decimal {
			return syntax(`cannot use "V" and decimal point together`)
		}
		s.shifted = true
	case exponentField:
		return s.addExponent()
	default:
		return s.addSign(f)
	}
	return nil
}

func (s *shape) digit() {
	switch {
	case s.shifted:
		s.shift++
	case s.decimal:
		s.post++
	default:
		s.pre++
	}
}

func (s *shape) addExponent() error {
	if s.exponent {
		return syntax(`cannot use "EEEE" twice`)
	}
	if s.blank || s.fill || s.signed || s.bracket || s.minus || s.plus || s.roman || s.shifted {
		return &datum.Error{Code: "42601", Message: `"EEEE" is incompatible with other formats`,
			Detail: `"EEEE" may only be used together with digit and decimal point patterns.`}
	}
	s.exponent = true
	return nil
}

func (s *shape) addSign(f id) error {
	switch f {
	case signField:
		if s.signed {
			return syntax(`cannot use "S" twice`)
		}
		if s.plus || s.minus || s.bracket {
			return syntax(`cannot use "S" and "PL"/"MI"/"SG"/"PR" together`)
		}
		s.signed = true
		if s.sign = signAfter; !s.decimal {
			s.sign, s.preAtSign = signBefore, s.pre
		}
	case minusField:
		if s.signed {
			return syntax(`cannot use "S" and "MI" together`)
		}
		s.minus = true
	case plusField:
		if s.signed {
			return syntax(`cannot use "S" and "PL" together`)
		}
		s.plus = true
	case plusMinusField:
		if s.signed {
			return syntax(`cannot use "S" and "SG" together`)
		}
		s.minus, s.plus = true, true
	case bracketField:
		if s.signed || s.plus || s.minus {
			return syntax(`cannot use "PR" and "S"/"PL"/"MI"/"SG" together`)
		}
		s.bracket = true
	}
	return nil
}
