package backend

import (
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
	"github.com/millrace-hdl/millrace/hdl/lib"
)

// What ties the counts of the properties to the registers that the managers count with.
// These are properties as the others, proved before they help; without them the others
// hold as well, but could only be searched through to some depth.

// sight is what the properties of a module see of its registers and of those of its
// instances: inputs that the prover connects.
type sight struct {
	m      *hdl.Module
	inputs []hdl.Var
}

// seen is a module with what its properties see.
type seen[IO any] struct {
	IO     IO        `hdl:"name="`
	Inside []hdl.Var `hdl:"in"`
}

// reg is the register of so many bits.
func (s *sight) reg(path string, bits int) hdl.Var {
	name := "inside_" + strings.NewReplacer(".", "_", "[", "_", "]", "").Replace(path)
	v := s.m.In(name, hdl.U(bits), hdl.Doc(path), hdl.MayBeUnused())
	s.inputs = append(s.inputs, v)
	return v
}

// insides are the paths of the inputs made by [sight.reg].
func insides(d *ir.Design) map[string]string {
	paths := map[string]string{}
	for _, s := range d.Top.Ports() {
		if strings.HasPrefix(s.Name, "inside_") {
			paths[s.Name] = s.Note
		}
	}
	return paths
}

// elements is the elements of a queue.
type elements struct {
	count hdl.Var
	items []hdl.Signal
	there []hdl.Signal // whether the item is one
}

// queue is the elements of a queue that is an instance: a power of two, at least two.
// Its pointers are as far apart as it holds elements.
func (s *sight) queue(queue string, p lib.FIFOParams) elements {
	at := hdl.AddrBits(p.Depth)
	h := elements{count: s.reg(queue+".count_q", hdl.AddrBits(p.Depth+1))}
	wr, rd := s.reg(queue+".wr_q", at), s.reg(queue+".rd_q", at)
	for i := range p.Depth {
		h.items = append(h.items, s.reg(fmt.Sprintf("%s.items[%d]", queue, i), p.Width).Signal)
		h.there = append(h.there, hdl.Const(at, uint64(i)).Sub(rd).Ext(at+1).Lt(h.count.Resize(at+1)))
	}
	s.m.Assert(queue+"_pointers_apart", wr.Sub(rd).Eq(h.count.Trunc(at)).And(h.count.Le(hdl.K(p.Depth))))
	return h
}

// having is how many elements have what the function says.
func (h elements) having(is func(item hdl.Signal) hdl.Signal) hdl.Signal {
	var bits []hdl.Value
	for i, item := range h.items {
		bits = append(bits, h.there[i].And(is(item)))
	}
	return lib.PopCount(hdl.Cat(bits...))
}

// cutting is where a legalizer stands.
type cutting struct {
	valid, last, skip, left, word, length, limit hdl.Var
	longest                                      int       // AxLEN
	gone                                         []hdl.Var // the address of its burst has gone; none if the burst goes then
}

// legalizer is that of bursts of bus words.
func (s *sight) legalizer(c Config, longest int, skips bool, gone ...hdl.Var) cutting {
	off := c.offsetBits()
	at := func(name string, bits int) hdl.Var { return s.reg("u_legalizer."+name, bits) }
	k := cutting{
		valid: at("valid_q", 1), last: at("burst_last", 1), skip: always(false), longest: longest, gone: gone,
		left: at("left_q", c.LengthWidth+1-off), word: at("burst_word", c.AddrWidth-off), length: at("burst_len", 8), limit: at("limit_q", 8),
	}
	if skips {
		k.skip = at("burst_skip", 1)
	}
	return k
}

// claims tie the bus words that are left of a transfer, and where they begin, to it.
func (k cutting) claims(m *hdl.Module, name string, left, next hdl.Signal) {
	w := left.Width()
	here := m.Let(name+"_cuts", k.valid.AndNot(k.skip.Signal))
	rest, waits := k.left.Ext(w).Add(hdl.K(1)), here
	if len(k.gone) > 0 {
		waits = here.AndNot(k.gone[0].Signal)
		behind := k.word.Add(k.length.Resize(next.Width())).Add(hdl.K(1))
		m.Assert(name+"_knows_the_rest_behind", hdl.Implies(here.And(k.gone[0]), left.Add(k.length.Ext(w)).Eq(k.left.Ext(w)).And(next.Eq(behind))))
	}
	m.Assert(name+"_knows_the_rest", hdl.Implies(waits, left.Eq(rest).And(next.Eq(k.word))))
	if k.longest < 255 {
		m.Assert(name+"_no_longer_than_allowed", hdl.Implies(k.valid.Signal, k.length.Le(hdl.K(k.longest)).And(k.limit.Le(hdl.K(k.longest)))))
	}
	m.Assert(name+"_ends_with_the_rest", hdl.Implies(here, k.last.Eq(k.length.Ext(w).Eq(k.left.Ext(w))).And(k.length.Ext(w).Le(k.left.Ext(w)))))
	m.Assert(name+"_rests", hdl.Implies(here.Not(), left.None()))
}
