package differ

import (
	"slices"

	"github.com/millrace-hdl/millrace/hdl/ir"
)

// filter keeps the statements of a list, and of those nested in it, that keep says.
func filter(list []ir.Stmt, keep func(ir.Stmt) bool) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		if !keep(s) {
			continue
		}
		switch s := s.(type) {
		case *ir.If:
			for i := range s.Arms {
				s.Arms[i].Body = filter(s.Arms[i].Body, keep)
			}
			s.Else = filter(s.Else, keep)
		case *ir.Switch:
			for i := range s.Cases {
				s.Cases[i].Body = filter(s.Cases[i].Body, keep)
			}
			s.Default = filter(s.Default, keep)
		}
		out = append(out, s)
	}
	return out
}

// dropSignal removes a signal with what assigns it. Who reads it reads zero.
func dropSignal(m *ir.Module, s *ir.Signal) {
	z := zeroOf(s.Type)
	rewrite(m, func(e ir.Expr) ir.Expr {
		if r, ok := e.(*ir.Ref); ok && r.Signal == s {
			return z
		}
		return e
	})
	m.Body = filter(m.Body, func(st ir.Stmt) bool {
		a, ok := st.(*ir.Assign)
		return !ok || a.Target != s
	})
	m.Properties = slices.DeleteFunc(m.Properties, func(p *ir.Property) bool { return p.Cond == s })
	m.Signals = slices.DeleteFunc(m.Signals, func(o *ir.Signal) bool { return o == s })
	for _, x := range m.Mems {
		x.Reads = slices.DeleteFunc(x.Reads, func(p *ir.SyncPort) bool { return p.Data == s })
	}
}

func dropInstance(m *ir.Module, i *ir.Instance) {
	for _, c := range i.Conns {
		dropSignal(m, c)
	}
	m.Instances = slices.DeleteFunc(m.Instances, func(o *ir.Instance) bool { return o == i })
}

// dropPort removes a port everywhere. An output stays behind as a wire.
func dropPort(d *ir.Design, m *ir.Module, p *ir.Signal) {
	for _, parent := range d.Modules {
		for _, i := range parent.Instances {
			if i.Of != m {
				continue
			}
			k := slices.IndexFunc(i.Conns, func(c *ir.Signal) bool { return c.Port == p })
			c := i.Conns[k]
			i.Conns = slices.Delete(i.Conns, k, k+1)
			dropSignal(parent, c)
		}
	}
	if p.Kind == ir.Input {
		dropSignal(m, p)
		return
	}
	p.Kind, p.Domain, p.Async, p.Unused = ir.Wire, nil, false, true
}

func dropMem(m *ir.Module, x *ir.Mem) {
	for _, p := range slices.Clone(x.Reads) {
		dropSignal(m, p.Data)
	}
	z := zeroOf(x.Elem)
	rewrite(m, func(e ir.Expr) ir.Expr {
		if r, ok := e.(*ir.MemRead); ok && r.Mem == x {
			return z
		}
		return e
	})
	m.Body = filter(m.Body, func(st ir.Stmt) bool {
		w, ok := st.(*ir.MemWrite)
		return !ok || w.Mem != x
	})
	m.Mems = slices.DeleteFunc(m.Mems, func(o *ir.Mem) bool { return o == x })
}

func dropGhosts(m *ir.Module) {
	for _, s := range slices.Clone(m.Signals) {
		if s.Ghost {
			dropSignal(m, s)
		}
	}
	m.Properties = nil
}

// mergeDomain moves what belongs to a domain to the implicit one.
func mergeDomain(d *ir.Design, m *ir.Module, c *ir.Domain) {
	move := func(x **ir.Domain) {
		if *x == c {
			*x = nil
		}
	}
	for _, s := range m.Signals {
		move(&s.Domain)
	}
	ir.WalkStmts(m.Body, func(s ir.Stmt) bool {
		if w, ok := s.(*ir.MemWrite); ok {
			move(&w.Domain)
		}
		return true
	})
	for _, p := range m.Properties {
		move(&p.Domain)
	}
	for _, i := range m.Instances {
		move(&i.Domain)
		for k := range i.Domains {
			move(&i.Domains[k])
		}
	}
	k := slices.Index(m.Domains, c)
	for _, parent := range d.Modules {
		for _, i := range parent.Instances {
			if i.Of == m {
				i.Domains = slices.Delete(i.Domains, k, k+1)
			}
		}
	}
	m.Domains = slices.Delete(m.Domains, k, k+1)
}
