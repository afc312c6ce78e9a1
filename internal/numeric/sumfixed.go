package numeric

import "encoding/binary"

// SumSize is the length of a Sum's fixed form.
const SumSize = 40

// Put writes s into its fixed form, without its spill.
func (s *Sum) Put(b []byte) {
	_ = b[SumSize-1]
	binary.LittleEndian.PutUint64(b, uint64(s.hi))
	binary.LittleEndian.PutUint64(b[8:], s.lo)
	binary.LittleEndian.PutUint64(b[16:], uint64(s.n))
	binary.LittleEndian.PutUint64(b[24:], uint64(s.n2))
	word := uint64(uint16(s.scale)) | uint64(uint16(s.scale2))<<16
	if s.spilled {
		word |= 1 << 32
	}
	binary.LittleEndian.PutUint64(b[32:], word)
}

// LoadSum reads what Put wrote.
func LoadSum(b []byte) Sum {
	_ = b[SumSize-1]
	word := binary.LittleEndian.Uint64(b[32:])
	return Sum{
		hi: int64(binary.LittleEndian.Uint64(b)), lo: binary.LittleEndian.Uint64(b[8:]),
		n: int64(binary.LittleEndian.Uint64(b[16:])), n2: int64(binary.LittleEndian.Uint64(b[24:])),
		scale: int16(word), scale2: int16(word >> 16), spilled: word>>32&1 != 0,
	}
}

// Spilled tells whether the Sum needs its spill.
func (s *Sum) Spilled() bool { return s.spilled }
