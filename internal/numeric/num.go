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

// MaxScale is the largest display scale; MaxWhole is how many digits may stand
// before the point.
const (
	MaxScale = 16383
	MaxWhole = 131072
)

// Num is one numeric. It is a plain value without pointers. The zero Num is 0.
//
// When Form is Big, Lo is offset<<32 | length of the number's canonical text in
// the arena that accompanies the Num, and Hi is its sign, -1 or 1. A number of at
// most 38 digits is never Big, so equal numbers of one scale have one form.
type Num struct {
	Hi    int64
	Lo    uint64
	Scale int16 // digits after the point that are shown; 0..MaxScale
	Form  Form
}

// Val is a Num and the arena that its text lies in when it is Big. Arena is not
// looked at otherwise.
type Val struct {
	Num
	Arena []byte
}

// V is n without an arena: for numbers that are not Big.
func V(n Num) Val { return Val{Num: n} }

// text is a Big number's.
func (v Val) text() []byte {
	off, n := v.Lo>>32, v.Lo&0xffffffff
	if off+n > uint64(len(v.Arena)) {
		return []byte("0") // an arena that is not the Num's: a bug of the caller, not a crash
	}
	return v.Arena[off : off+n]
}

// IsFinite tells numbers from NaN and the infinities.
func (n Num) IsFinite() bool { return n.Form <= Big }

// Sign is -1, 0 or 1; of NaN it is 1, since NaN sorts above everything.
func (n Num) Sign() int {
	switch n.Form {
	case NegInf:
		return -1
	case PosInf, NaN:
		return 1
	}
	switch {
	case n.Hi < 0:
		return -1
	case n.Hi == 0 && n.Lo == 0:
		return 0
	}
	return 1
}

// Copy gives v's Num with its text, if Big, moved to the end of dst.
func Copy(dst []byte, v Val) (Num, []byte) {
	if v.Form != Big {
		return v.Num, dst
	}
	text := v.text()
	n := v.Num
	n.Lo = uint64(len(dst))<<32 | uint64(len(text))
	return n, append(dst, text...)
}

// FromInt64 is v with scale 0.
func FromInt64(v int64) Num { return Num{Hi: v >> 63, Lo: uint64(v)} }

// Scaled is v × 10^-scale, shown with scale digits after the point.
func Scaled(v int64, scale int16) Num { return Num{Hi: v >> 63, Lo: uint64(v), Scale: scale} }

// Int64 is the coefficient when it fits 64 bits.
func (n Num) Int64() (int64, bool) {
	return int64(n.Lo), n.Form == Finite && n.Hi == int64(n.Lo)>>63
}
