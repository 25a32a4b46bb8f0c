package sim

import (
	"encoding/binary"
	"slices"
)

// The flat netlist: a directed acyclic graph of vector operations, each node
// once (hash-consed). Values are clean: bits at and above the width are zero.
// Signedness lives in the operations, not in the values.

type id int32

type netOp uint8

const (
	nConst netOp = iota
	nLoc         // an input or register: imm is its slot
	nNot
	nAnd
	nOr
	nXor
	nAdd
	nSub
	nMul
	nEq
	nLt  // unsigned
	nLts // signed
	nShl
	nShr
	nSar
	nMux   // condition, then, else
	nCat   // least significant part first
	nSlice // imm is the lowest bit
	nSext
	nParity
	nRead   // address; imm is the memory
	nRot    // left by the second, which is less than the width
	nSpread // each bit repeated imm times
	nCall   // outputs of black box imm, each from a word on; the arguments are its inputs

	// Made by the choice of instructions only.
	nNe
	nLe
	nLes
	nAndNot // the first and not the second
	nOrNot
	nTable // single bits; bit i of imm is the result where the arguments, the first least significant, read i
	nBlend // bits of the second where the first is one, else of the third
	nOrIf  // the first, or'd with the second if the third is one
	nPick  // bits of the first from bit imm plus the second up
	nPut   // the first, with imm bits replaced from bit the second up: by the third
)

type node struct {
	op    netOp
	width int
	eff   int // number of low bits that may be one
	imm   int
	args  []id
	value []uint64 // nConst
}

type netlist struct {
	nodes []node
	index map[string]id
	key   []byte
}

func newNetlist() *netlist { return &netlist{index: map[string]id{}} }

// intern returns the node with the given content, adding it if it is new.
func (n *netlist) intern(nd node) id {
	k := append(n.key[:0], byte(nd.op))
	k = binary.AppendUvarint(k, uint64(nd.width))
	k = binary.AppendUvarint(k, uint64(nd.imm))
	for _, a := range nd.args {
		k = binary.AppendUvarint(k, uint64(a))
	}
	for _, w := range nd.value {
		k = binary.LittleEndian.AppendUint64(k, w)
	}
	n.key = k
	if i, ok := n.index[string(k)]; ok {
		return i
	}
	nd.args = slices.Clone(nd.args)
	i := id(len(n.nodes))
	n.nodes = append(n.nodes, nd)
	n.index[string(k)] = i
	return i
}

func (n *netlist) constant(width int, v []uint64) id {
	return n.intern(node{op: nConst, width: width, eff: bitLen(v), value: slices.Clone(v)})
}

func (n *netlist) small(width int, v uint64) id {
	w := make([]uint64, words(width))
	w[0] = v
	return n.constant(width, trim(w, width))
}

func (n *netlist) ones(width int) id {
	w := make([]uint64, words(width))
	for i := range w {
		w[i] = ^uint64(0)
	}
	return n.constant(width, trim(w, width))
}

func (n *netlist) loc(width, slot int) id {
	return n.intern(node{op: nLoc, width: width, eff: width, imm: slot})
}

func (n *netlist) width(x id) int { return n.nodes[x].width }

func (n *netlist) isConst(x id) bool { return n.nodes[x].op == nConst }

func (n *netlist) isZero(x id) bool { return n.nodes[x].op == nConst && n.nodes[x].eff == 0 }

func (n *netlist) isOnes(x id) bool {
	nd := &n.nodes[x]
	if nd.op != nConst || nd.eff != nd.width {
		return false
	}
	for i, w := range nd.value {
		if i < len(nd.value)-1 && w != ^uint64(0) || i == len(nd.value)-1 && w != topMask(nd.width) {
			return false
		}
	}
	return true
}

// add interns an operation whose arguments admit no simplification, folding it
// if all of them are constants and bounding its significant bits.
func (n *netlist) add(op netOp, width, imm int, args ...id) id {
	if op != nRead && op != nCall {
		all := true
		for _, a := range args {
			all = all && n.isConst(a)
		}
		if all {
			return n.constant(width, n.evaluate(op, width, imm, args))
		}
	}
	eff := n.bound(op, width, imm, args)
	if eff == 0 {
		return n.small(width, 0)
	}
	return n.intern(node{op: op, width: width, eff: eff, imm: imm, args: args})
}

func (n *netlist) bound(op netOp, width, imm int, args []id) int {
	eff := func(i int) int { return n.nodes[args[i]].eff }
	switch op {
	case nAnd:
		return min(eff(0), eff(1))
	case nOr, nXor:
		return max(eff(0), eff(1))
	case nAdd:
		return min(width, max(eff(0), eff(1))+1)
	case nMul:
		return min(width, eff(0)+eff(1))
	case nMux:
		return max(eff(1), eff(2))
	case nShr:
		return eff(0)
	case nSlice:
		return min(width, max(0, eff(0)-imm))
	case nCat:
		lo, top := 0, 0
		for i, a := range args {
			if eff(i) > 0 {
				top = lo + eff(i)
			}
			lo += n.width(a)
		}
		return top
	}
	return width
}

// evaluate computes an operation on constants: one of those that their
// constructors do not fold themselves.
func (n *netlist) evaluate(op netOp, width, imm int, args []id) []uint64 {
	d := make([]uint64, words(width))
	val := func(i int) []uint64 { return n.nodes[args[i]].value }
	flag := func(b bool) {
		if b {
			d[0] = 1
		}
	}
	switch op {
	case nNot:
		for i, w := range val(0) {
			d[i] = ^w
		}
	case nAnd:
		for i := range d {
			d[i] = val(0)[i] & val(1)[i]
		}
	case nOr:
		for i := range d {
			d[i] = val(0)[i] | val(1)[i]
		}
	case nXor:
		for i := range d {
			d[i] = val(0)[i] ^ val(1)[i]
		}
	case nAdd:
		addWords(d, val(0), val(1))
	case nSub:
		subWords(d, val(0), val(1))
	case nMul:
		mulWords(d, val(0), val(1))
	case nEq:
		flag(slices.Equal(val(0), val(1)))
	case nLt:
		flag(lessWords(val(0), val(1)))
	case nLts:
		flag(lessSigned(val(0), val(1), n.width(args[0])))
	case nCat:
		lo := 0
		for i, a := range args {
			orShifted(d, val(i), lo)
			lo += n.width(a)
		}
	case nSlice:
		sliceWords(d, val(0), imm)
	case nSext:
		extendSign(d, val(0), n.width(args[0]), width)
	case nSpread:
		spreadWords(d, val(0), imm)
	case nParity:
		var x uint64
		for _, w := range val(0) {
			x ^= w
		}
		d[0] = parity(x)
	}
	return trim(d, width)
}
