package ir

// PropertyKind says what is claimed.
type PropertyKind uint8

const (
	Assert PropertyKind = iota // holds at every edge outside reset
	Assume                     // as Assert, but owed by the surroundings
	Cover                      // holds at some edge
)

var propertyNames = [...]string{"assert", "assume", "cover"}

func (k PropertyKind) String() string { return propertyNames[k] }

// Property is a claim about the values that the edges of a domain sample, outside
// its reset.
type Property struct {
	Kind   PropertyKind
	Name   string  // unique in the module among its signals, memories and instances, but for Cond
	Cond   *Signal // a ghost wire of 1 bit
	Domain *Domain
	Note   string
	Pos    Pos
}
