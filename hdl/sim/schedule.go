package sim

import "strings"

// An interpreter spends most of its time finding out what comes next. So
// instructions are put in an order in which equal ones follow each other, as far
// as what they read and write allows; the interpreter then repeats without
// deciding anew.

// item is one instruction, or a branch with all that depends on it.
type item struct {
	op        opcode // opCount for a branch
	code      []instr
	needs     int     // items that come before it and are not placed yet
	followers []int32 // items that come after it
}

// schedule orders the code emitted so far.
func (a *assembler) schedule() []instr {
	s := &scheduler{}
	for _, m := range a.h.mems {
		if s.skip += m.mem.Depth * m.words(); s.from == 0 {
			s.from = m.slot
		}
	}
	n := a.free - s.skip + 1 // shifts of several words look one word beyond
	s.writer, s.readers = make([]int32, n), make([][]int32, n)
	for i := range s.writer {
		s.writer[i] = -1
	}
	return s.order(a.code)
}

type scheduler struct {
	writer  []int32   // of each slot, the item that wrote it last
	readers [][]int32 // of each slot, the items that read it since
	touched []int32
	// Memories take no part, and skip slots from from on are theirs.
	from, skip int
}

// order returns the code in a better order. Branches lead to where they did.
func (s *scheduler) order(code []instr) []instr {
	items := s.items(code)
	s.link(items)
	var ready [opCount + 1][]int32
	for i := range items {
		if items[i].needs == 0 {
			ready[items[i].op] = append(ready[items[i].op], int32(i))
		}
	}
	out := make([]instr, 0, len(code))
	op, before := opcode(0), opCount
	for {
		if len(ready[op]) == 0 {
			op = opCount // branches last
			for o := range opCount {
				if len(ready[o]) > len(ready[op]) || op == opCount && len(ready[o]) > 0 {
					op = o
				}
			}
			if len(ready[op]) == 0 {
				return out
			}
		}
		i := ready[op][0]
		ready[op] = ready[op][1:]
		if op == opMove && before == opMove { // two copies are one instruction
			last := &out[len(out)-1]
			last.op, last.b, last.c = opMove2, items[i].code[0].d, items[i].code[0].a
			before = opMove2
		} else {
			out = append(out, items[i].code...)
			before = op
		}
		for _, f := range items[i].followers {
			if items[f].needs--; items[f].needs == 0 {
				ready[items[f].op] = append(ready[items[f].op], f)
			}
		}
		if op == opCount {
			op = 0
		}
	}
}

// items splits code at its outermost branches, which are put in order within.
func (s *scheduler) items(code []instr) []item {
	var items []item
	for i := 0; i < len(code); {
		in := code[i]
		if in.op != opIf && in.op != opUnless {
			items = append(items, item{op: in.op, code: code[i : i+1]})
			i++
			continue
		}
		then := code[i+1 : i+1+int(in.n)]
		i += 1 + len(then)
		var other []instr
		if last := len(then) - 1; in.op == opUnless && last >= 0 && then[last].op == opJump {
			other = code[i : i+int(then[last].n)]
			i += len(other)
			then = then[:last]
		}
		then, other = s.order(then), s.order(other)
		whole := append([]instr{in}, then...)
		whole[0].n = uint32(len(then))
		if len(other) > 0 {
			whole[0].n++
			whole = append(append(whole, instr{op: opJump, n: uint32(len(other))}), other...)
		}
		items = append(items, item{op: opCount, code: whole})
	}
	return items
}

// link finds which items must stay in their order: those of which one writes
// what the other reads or writes.
func (s *scheduler) link(items []item) {
	for i := range items {
		after := func(j int32) {
			if j >= 0 && j != int32(i) {
				items[j].followers = append(items[j].followers, int32(i))
				items[i].needs++
			}
		}
		s.each(items[i].code, func(slot int, write bool) {
			if write {
				return
			}
			after(s.writer[slot])
			if r := s.readers[slot]; len(r) == 0 || r[len(r)-1] != int32(i) {
				s.readers[slot] = append(r, int32(i))
			}
			s.touched = append(s.touched, int32(slot))
		})
		s.each(items[i].code, func(slot int, write bool) {
			if !write {
				return
			}
			after(s.writer[slot])
			for _, r := range s.readers[slot] {
				after(r)
			}
			s.writer[slot] = int32(i)
			s.readers[slot] = s.readers[slot][:0]
			s.touched = append(s.touched, int32(slot))
		})
	}
	for _, slot := range s.touched {
		s.writer[slot], s.readers[slot] = -1, s.readers[slot][:0]
	}
	s.touched = s.touched[:0]
}

// each calls f for every slot that the code reads or writes.
func (s *scheduler) each(code []instr, f func(slot int, write bool)) {
	for i := range code {
		in := &code[i]
		for _, o := range operands[in.op] {
			slot, n := int(o.slot(in)/8), 1
			if s.skip > 0 && slot >= s.from {
				slot -= s.skip
			}
			switch {
			case o.words == '*':
				n = int(in.n)
			case o.words == '+':
				n = int(in.n) + 1
			case o.words == '^':
				n = int(in.c)
			}
			for k := range n {
				if !o.write || o.stays {
					f(slot+k, false)
				}
				if o.write {
					f(slot+k, true)
				}
			}
		}
	}
}

// operand is a slot that an instruction uses.
type operand struct {
	field        byte
	words        byte // as in kernels; 0 for one
	write, stays bool
}

func (o operand) slot(in *instr) uint32 {
	switch o.field {
	case 'a':
		return in.a
	case 'b':
		return in.b
	case 'c':
		return in.c
	case 'n':
		return in.n
	}
	return in.d
}

var operands = func() (all [opCount][]operand) {
	for op, k := range kernels {
		for _, f := range strings.Fields(k.fields) {
			if f[0] == '#' || f[0] == 'B' {
				continue
			}
			o := operand{field: f[0], write: f[0] == 'd' || strings.Contains(f, "="), stays: strings.Contains(f, "!")}
			if i := strings.IndexAny(f, "*+^"); i > 0 {
				o.words = f[i]
			}
			all[op] = append(all[op], o)
		}
	}
	return all
}()
