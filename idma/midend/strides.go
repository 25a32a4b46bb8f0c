package midend

// Loop is a loop of a request, as software has it.
type Loop struct {
	Reps                 uint64 // zero acts as one
	SrcStride, DstStride int64  // bytes
}

// Jumps are the loops, innermost first, whose strides count from the base of the loop,
// with strides as requests have them: from the transfer just issued (specification
// §3.2). When a loop goes on, those inside it have moved the address by their last
// iteration, which its jump takes back. Sums wrap as addresses do.
func Jumps(loops []Loop) []Loop {
	return convert(loops, func(base, moved int64) (int64, int64) { return base - moved, base })
}

// BaseRelative is the inverse of [Jumps].
func BaseRelative(loops []Loop) []Loop {
	return convert(loops, func(jump, moved int64) (int64, int64) { return jump + moved, jump + moved })
}

// convert replaces each stride, given how far the loops inside have moved the address.
// The function returns what is wanted, and the base-relative stride.
func convert(loops []Loop, f func(stride, moved int64) (wanted, base int64)) []Loop {
	out := make([]Loop, len(loops))
	var src, dst int64 // moved by the loops so far
	for i, l := range loops {
		var s, d int64
		out[i].Reps = l.Reps
		out[i].SrcStride, s = f(l.SrcStride, src)
		out[i].DstStride, d = f(l.DstStride, dst)
		more := int64(max(l.Reps, 1) - 1)
		src, dst = src+more*s, dst+more*d
	}
	return out
}
