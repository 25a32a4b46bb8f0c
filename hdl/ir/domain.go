package ir

// Domain is a named clock domain of a module: a clock and a reset that come in from
// outside. Registers, read ports of memories, write ports and properties belong to
// one domain each; a nil *Domain is the module's implicit one.
type Domain struct {
	Name  string // unique in the module; not empty
	Clock string // name of the clock input
	// Reset is the name of the reset input, empty if no register of the domain has a
	// reset. With DefaultReset the emission appends _n where its resets are active low.
	Reset   string
	Falling bool // the falling edge is the active one
	Style   ResetStyle
	Pos     Pos
}

// ResetStyle is how the reset of a domain acts.
type ResetStyle uint8

const (
	DefaultReset ResetStyle = iota // as the emission's options say, like the implicit domain's
	SyncHigh                       // sampled at the clock edge, active high
	SyncLow
	AsyncHigh // acts at once, active high
	AsyncLow
)

var resetNames = [...]string{"default", "sync_high", "sync_low", "async_high", "async_low"}

func (s ResetStyle) String() string { return resetNames[s] }

// Outer is the parent's domain that clocks the child's domain d.
func (i *Instance) Outer(d *Domain) *Domain {
	for k, inner := range i.Of.Domains {
		if inner == d && d != nil {
			return i.Domains[k]
		}
	}
	return i.Domain
}
