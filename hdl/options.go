package hdl

import (
	"fmt"
	"math/big"

	"github.com/millrace-hdl/millrace/hdl/diag"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Option sets a property of a signal, a memory, an instance or an elaboration
// where it is made. Each option says what it is for; elsewhere it is an error.
type Option func(*options)

type options struct {
	given      []string // names of the options, in order
	init       Value
	noReset    bool
	enable     Value
	defaultTo  Value
	attrs      []ir.Attr
	note       string
	style      string
	unused     bool
	module     string
	prefix     string
	on         *Domain
	crossing   string
	async      bool
	contents   []*big.Int
	during     []duringWrite
	binds      []bind
	falling    bool
	resetKind  ResetKind
	clockName  string
	resetName  string
	registered bool
	noPort     bool // domain without reset input
}

func option(name string, set func(*options)) Option {
	return func(o *options) {
		o.given = append(o.given, name)
		set(o)
	}
}

// Init is the reset value of a register; the default is 0. See [InitTo] for values
// that are no literal.
func Init(v K) Option { return option("Init", func(o *options) { o.init = v }) }

// InitTo is the reset value of a register as a constant of its type, such as
// [Const], [BigConst] and [Ones] return.
func InitTo(v Value) Option { return option("InitTo", func(o *options) { o.init = v }) }

// NoReset makes a register without reset, whose value is undefined until assigned.
func NoReset() Option { return option("NoReset", func(o *options) { o.noReset = true }) }

// Enable makes a register ignore assignments while the one-bit value is zero.
func Enable(v Value) Option { return option("Enable", func(o *options) { o.enable = v }) }

// Default is what a wire or an output carries where no statement assigns it.
func Default(v Value) Option { return option("Default", func(o *options) { o.defaultTo = v }) }

// WithAttr sets a synthesis attribute of a signal, a memory or an instance. With
// several, each has its own name.
func WithAttr(name, value string) Option {
	return option("WithAttr", func(o *options) { o.attrs = append(o.attrs, ir.Attr{Name: name, Value: value}) })
}

// Doc is the comment at the declaration of a signal, a memory or an instance.
func Doc(text string) Option { return option("Doc", func(o *options) { o.note = text }) }

// Style asks for a kind of memory: "block", "distributed" or "registers".
func Style(s string) Option { return option("Style", func(o *options) { o.style = s }) }

// MayBeUnused says that nothing need read the signal.
func MayBeUnused() Option { return option("MayBeUnused", func(o *options) { o.unused = true }) }

// Named gives the module of an elaboration or an instance another name than its
// function's in snake_case; with it, no suffix is added.
func Named(name string) Option { return option("Named", func(o *options) { o.module = name }) }

// Prefix starts the names of all modules of an elaboration but the top, such as
// "idma_", so that designs can share a project.
func Prefix(p string) Option { return option("Prefix", func(o *options) { o.prefix = p }) }

// Contents are the initial contents of a memory from element 0 up, which FPGAs load
// with the configuration; elements beyond stay undefined. See [ContentsOf] for wide
// and for negative ones.
func Contents(values ...uint64) Option {
	big_ := make([]*big.Int, len(values))
	for i, v := range values {
		big_[i] = new(big.Int).SetUint64(v)
	}
	return ContentsOf(big_...)
}

// ContentsOf is [Contents] for values of any size.
func ContentsOf(values ...*big.Int) Option {
	return option("Contents", func(o *options) { o.contents = append(o.contents, values...) })
}

// During says what a synchronous read port takes when the same edge writes its
// element through one port, where that differs from what it takes for the others.
func During(w *WritePort, d ReadDuringWrite) Option {
	return option("During", func(o *options) { o.during = append(o.during, duringWrite{w, d}) })
}

func apply(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}

// suits lists what the options are for.
var suits = map[string]string{
	"Init": "registers", "InitTo": "registers", "NoReset": "registers", "Enable": "registers",
	"Default": "wires and outputs", "Style": "memories", "MayBeUnused": "signals",
	"Named": "instances and elaborations", "Prefix": "elaborations",
	"WithAttr": "signals, memories and instances", "Doc": "signals, memories, instances, domains and properties",
	"Contents": "memories", "During": "synchronous read ports",
	"On": "registers, ports, memory ports, instances and properties", "Crosses": "registers and synchronous read ports", "Async": "ports", "Registered": "outputs of black boxes",
	"Bind": "instances", "Falling": "domains", "WithReset": "domains", "ClockName": "domains", "ResetName": "domains", "WithoutReset": "domains",
}

// allow reports the options that do not suit what they are given to.
func (m *Module) allow(what string, o options, names ...string) {
	ok := map[string]bool{}
	for _, n := range names {
		ok[n] = true
	}
	for _, n := range o.given {
		if !ok[n] {
			m.report(diag.Misuse, fmt.Sprintf("option %s does not suit %s", n, what), "it is for "+suits[n])
		}
	}
}

// allowed are the options of each kind of signal.
var allowed = map[ir.Kind][]string{
	ir.Input:    {"WithAttr", "Doc", "MayBeUnused", "On", "Async"},
	ir.Output:   {"WithAttr", "Doc", "MayBeUnused", "Default", "On", "Async", "Registered"},
	ir.Wire:     {"WithAttr", "Doc", "MayBeUnused", "Default"},
	ir.Reg:      {"WithAttr", "Doc", "MayBeUnused", "Init", "InitTo", "NoReset", "Enable", "On", "Crosses"},
	ir.SyncRead: {"WithAttr", "Doc", "MayBeUnused", "On", "Crosses", "During"},
}
