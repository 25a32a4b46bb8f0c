package regs_test

// bits of the sample map, written down once more for the oracle: which bits a word
// stores, which hardware shows through, and what a write or a read does to which.
type plainWord struct {
	exists             bool
	store              uint32 // bits that keep what software writes
	through            uint32 // bits that read as hardware's input
	constant           uint32
	clearOnOne         uint32
	clearOnRead        uint32
	hidden             uint32 // stored, but read as zero
	reset              uint32
	stallsR, stallsW   bool
	told, toldOfWrites bool
	loads              bool
	pulses             uint32
	hardwareSets       uint32
}

var plain = map[uint32]plainWord{
	0x00: {exists: true, store: 0x03ffffc3, reset: 0x8001<<6 | 1, pulses: 0xf0000000, toldOfWrites: true},
	0x04: {exists: true, constant: 0xcafe0102},
	0x08: {exists: true, store: 0xffff0000, through: 0x0000ffff, stallsR: true, told: true},
	0x0c: {exists: true, clearOnOne: 0x000003f0, clearOnRead: 0xfffff000, hardwareSets: 0xfffff3f0, reset: 0x21 << 4},
	0x10: {exists: true, store: 0xffffffff, reset: 7, loads: true, stallsR: true, stallsW: true, told: true, toldOfWrites: true},
	0x14: {exists: true, store: 0x00ffff00, hidden: 0x00ffff00, stallsW: true},
	0x20: {exists: true, store: 0xffffffff},
	0x24: {exists: true, store: 0xffffffff},
	0x40: {exists: true, store: 0xfff00000, through: 0x000fffff, toldOfWrites: true},
	0x48: {exists: true, store: 0xfff00000, through: 0x000fffff, toldOfWrites: true},
	0x50: {exists: true, store: 0xfff00000, through: 0x000fffff, toldOfWrites: true},
	0x58: {exists: true},
}

// oracle is what the registers of the sample map hold.
type oracle struct{ held map[uint32]uint32 }

func newOracle() *oracle {
	o := &oracle{map[uint32]uint32{}}
	for at, w := range plain {
		o.held[at] = w.reset
	}
	return o
}

// inputs is what hardware gives in a cycle.
type inputs struct {
	through map[uint32]uint32 // at the bits of the word
	sets    uint32            // of events
	load    bool
	loaded  uint32
	ready   map[uint32][2]bool // for reads and writes
}

// access is what is asked in a cycle.
type access struct {
	valid, write bool
	addr, data   uint32
	strb         uint32
}

// outcome is what must be seen in that cycle.
type outcome struct {
	ready, err  bool
	data        uint32
	read, write bool   // the strobes of the word
	pulse       uint32 // of control
}

func spread(strb uint32) (mask uint32) {
	for k := range 4 {
		if strb>>k&1 == 1 {
			mask |= 0xff << (8 * k)
		}
	}
	return mask
}

// cycle computes the outcome and what the registers hold afterwards.
func (o *oracle) cycle(a access, in inputs) (r outcome) {
	word := a.addr &^ 3
	w := plain[word]
	r.ready, r.err = true, !w.exists
	if ready := in.ready[word]; w.stallsR && !a.write && !ready[0] || w.stallsW && a.write && !ready[1] {
		r.ready = false
	}
	r.data = o.held[word]&^w.hidden | in.through[word]&w.through | w.constant
	done := a.valid && r.ready && w.exists
	next := map[uint32]uint32{}
	for at, v := range o.held {
		next[at] = v | in.sets&plain[at].hardwareSets
		if plain[at].loads && in.load {
			next[at] = in.loaded
		}
	}
	if done && a.write {
		m := spread(a.strb)
		take := m & w.store
		next[word] = next[word]&^take | a.data&take
		next[word] &^= a.data & m & w.clearOnOne &^ in.sets
		r.pulse = a.data & m & w.pulses
		r.write = w.toldOfWrites && a.strb != 0
	}
	if done && !a.write {
		next[word] = next[word]&^w.clearOnRead | in.sets&w.clearOnRead
		r.read = w.told
	}
	o.held = next
	return r
}
