package mem

// A pattern fills memory that nobody has written with bytes that depend on the
// address and a seed. Two kinds exist whose bytes never coincide, whatever the
// addresses and seeds: source patterns have an even number of ones in every
// byte, canaries an odd number.

const (
	lowBits  = 0x0101010101010101
	mixMul1  = 0xff51afd7ed558ccd
	mixMul2  = 0xc4ceb9fe1a85ec53
	goldStep = 0x9e3779b97f4a7c15
)

// mix spreads every input bit over the word (the finaliser of MurmurHash3).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= mixMul1
	x ^= x >> 33
	x *= mixMul2
	return x ^ x>>33
}

// SourceWord is the eight bytes of source pattern at the aligned address a,
// lowest address in the lowest byte.
func SourceWord(seed, a uint64) uint64 {
	x := mix(a>>3 + seed*goldStep)
	p := x ^ x>>4
	p ^= p >> 2
	p ^= p >> 1
	return x ^ p&lowBits
}

// CanaryWord is the eight bytes of canary at the aligned address a. No byte of
// it is 0xff, 0x00 or any byte of a source pattern.
func CanaryWord(seed, a uint64) uint64 { return SourceWord(^seed, a) ^ lowBits }
