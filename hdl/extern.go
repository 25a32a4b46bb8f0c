package hdl

import "github.com/millrace-hdl/millrace/hdl/ir"

// ExternModel is the behaviour of one instance of a black box in Go.
type ExternModel = ir.ExternModel

// ExternParam is a parameter of a black box's instantiation; its value is a literal
// as SystemVerilog writes it.
type ExternParam = ir.Param

// External is what is known of a module that is written elsewhere, such as a
// vendor's primitive or a macro.
type External struct {
	// Name is the module's name in the RTL; the other names of its kind follow it, so
	// they may have capitals.
	Name   string
	Params []ExternParam
	// Source is the module in SystemVerilog, for simulation; empty if the tools bring
	// it along.
	Source string
	// Model makes the behaviour of one instance, without which the design does not run
	// in Go.
	Model func() ExternModel
}

// External makes the module under construction a black box. It then declares ports
// and domains only: its clocks and resets are those of its domains, whose inputs
// are called as [ClockName] and [ResetName] say.
func (m *Module) External(e External) {
	if !m.live() {
		return
	}
	if e.Name != "" {
		m.ir.Name = e.Name
	}
	m.ir.Extern = &ir.Extern{Params: e.Params, Source: e.Source, Model: e.Model}
}

// Registered says that no input of a black box reaches the output in the same cycle.
func Registered() Option { return option("Registered", func(o *options) { o.registered = true }) }
