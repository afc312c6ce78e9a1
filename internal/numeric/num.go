package numeric

// Form tells what a Num is.
type Form uint8

// Forms, in PostgreSQL's order of comparison but for Big, which is finite.
const (
	Finite Form = iota
	Big         // finite, too long for 128 bits: see Num
	NegInf
	PosInf
	NaN // above everything, equal to itself
)

// Num is one numeric. It is a plain value without pointers. The zero Num is 0.
//
// When Form is Big, Lo is offset<<32 | length of the number's canonical text in
// the arena that accompanies the Num.
type Num struct {
	Hi    int64
	Lo    uint64
	Scale int16 // digits after the point that are shown; 0..16383
	Form  Form
}
