package regs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// maxWords bounds the words of a map, each of which is a case of the decoder.
const maxWords = 4096

// name is that of a value of an enumeration of this package.
func name(names []string, i int, kind string) string {
	if i >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

var identifier = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// checker collects what is wrong with a map.
type checker struct {
	m    *Map
	errs []error
}

func (c *checker) bad(where, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("register map %s%s: %s", c.m.Name, where, fmt.Sprintf(format, args...)))
}

// Validate returns everything that is wrong with the map: names, places that
// overlap, are misaligned or out of range, and rights that do not go together.
func (m *Map) Validate() error {
	c := &checker{m: m}
	c.name("", m.Name)
	if !slices.Contains([]int{8, 16, 32, 64}, m.DataWidth) {
		c.bad("", "DataWidth is %d; allowed: 8, 16, 32 or 64", m.DataWidth)
	}
	if m.AddrWidth > 32 || m.AddrWidth <= m.wordBits() {
		c.bad("", "AddrWidth is %d; allowed: %d to 32, for two words at least", m.AddrWidth, m.wordBits()+1)
	}
	if len(m.Registers) == 0 {
		c.bad("", "it has no registers; it needs at least one")
	}
	if len(c.errs) > 0 { // offsets mean nothing without the widths
		return errors.Join(c.errs...)
	}
	words := 0
	joined := map[string]string{}
	for i := range m.Registers {
		r := &m.Registers[i]
		c.register(r)
		words += r.elements()
		for _, f := range r.Fields {
			path, name := r.Name+"."+f.Name, r.Name+"_"+f.Name
			if o, taken := joined[name]; taken && o != path {
				c.bad("", "fields %s and %s are both called %s in C and RTL; rename one", o, path, name)
			}
			joined[name] = path
		}
	}
	if words > maxWords {
		c.bad("", "it has %d words; at most %d", words, maxWords)
	} else {
		c.places()
	}
	return errors.Join(c.errs...)
}

func (c *checker) name(where, name string) {
	if !identifier.MatchString(name) {
		c.bad(where, "%q is no name; names are in snake_case, such as done_id", name)
	}
}

func (c *checker) register(r *Register) {
	m, where := c.m, ", register "+r.Name
	c.name(where, r.Name)
	for i := range c.m.Registers {
		if o := &c.m.Registers[i]; o == r {
			break
		} else if o.Name == r.Name {
			c.bad(where, "there are two registers of this name, at %#x and %#x", o.Offset, r.Offset)
		}
	}
	if r.Count < 0 || r.Count > maxWords {
		c.bad(where, "Count is %d; allowed: 0 to %d", r.Count, maxWords)
		return
	}
	if r.Present < 0 || r.Present > r.elements() {
		c.bad(where, "Present is %d; allowed: 0 to Count, which is %d", r.Present, r.Count)
	}
	if r.Stride != 0 && r.Count == 0 {
		c.bad(where, "Stride is %d, but Count is 0; only arrays have a stride", r.Stride)
	}
	if r.Offset%m.bytes() != 0 || r.Stride%m.bytes() != 0 {
		c.bad(where, "offset %#x with stride %#x is misaligned; both are multiples of %d bytes", r.Offset, m.stride(r), m.bytes())
	}
	space := uint64(1) << m.AddrWidth
	if last := uint64(r.elements()-1) * m.stride(r); r.Offset > space-m.bytes() || m.stride(r) > space || last > space-m.bytes()-r.Offset {
		c.bad(where, "its last word, at %#x, is out of range; with AddrWidth %d offsets end at %#x", m.offset(r, r.elements()-1), m.AddrWidth, space-1)
	}
	if len(r.Fields) == 0 {
		c.bad(where, "it has no fields; it needs at least one")
	}
	if (r.OnRead || r.StallRead) && !r.readable() {
		c.bad(where, "OnRead or StallRead, but no field can be read")
	}
	if (r.OnWrite || r.StallWrite) && !r.writable() {
		c.bad(where, "OnWrite or StallWrite, but no field can be written")
	}
	for i := range r.Fields {
		c.field(r, i)
	}
}

func (c *checker) field(r *Register, i int) {
	f := &r.Fields[i]
	where := fmt.Sprintf(", field %s.%s", r.Name, f.Name)
	c.name(where, f.Name)
	if f.Lo < 0 || f.Hi < f.Lo || f.Hi >= c.m.DataWidth {
		c.bad(where, "bits %d:%d are out of range; allowed: Lo up to Hi, within %d:0", f.Hi, f.Lo, c.m.DataWidth-1)
		return
	}
	for j := range i {
		o := &r.Fields[j]
		if o.Name == f.Name {
			c.bad(where, "there are two fields of this name")
		}
		if o.Lo <= f.Hi && f.Lo <= o.Hi {
			c.bad(where, "bits %d:%d overlap with field %s at %d:%d", f.Hi, f.Lo, o.Name, o.Hi, o.Lo)
		}
	}
	fits := func(v uint64) bool { return f.width() == 64 || v>>f.width() == 0 }
	if !fits(f.Reset) {
		c.bad(where, "the reset value %#x does not fit into %d bits", f.Reset, f.width())
	}
	if int(f.Access) >= len(accessNames) || int(f.Hardware) >= len(hardwareNames) {
		c.bad(where, "%s with %s; see the constants of Access and Hardware", f.Access, f.Hardware)
		return
	}
	if allowed := sides[f.Access]; !slices.Contains(allowed, f.resolved()) {
		c.bad(where, "a field that is %s to software cannot be %s by hardware; allowed: %v", f.Access, f.resolved(), allowed)
	}
	if f.Reset != 0 && (f.Access == Pulse || f.Access == RO && f.given()) {
		c.bad(where, "a field that is %s stores nothing and so has no reset value; it is %#x", f.Access, f.Reset)
	}
	c.values(where, f, fits)
}

// sides are what hardware may do with a field of each access.
var sides = [...][]Hardware{
	RW: {Read, Unseen, Written, Both}, RO: {Written, Unseen}, WO: {Read}, W1C: {Written, Both}, RC: {Written, Both}, Pulse: {Read},
}

// suffixes end the macros of registers and fields, beside those of the values.
var suffixes = []string{"shift", "width", "mask", "reset", "offset", "count", "present"}

func (c *checker) values(where string, f *Field, fits func(uint64) bool) {
	for i, v := range f.Values {
		c.name(where+", value "+v.Name, v.Name)
		if slices.Contains(suffixes, v.Name) {
			c.bad(where, "a value called %q would be the name of a macro; others are %v", v.Name, suffixes)
		}
		if !fits(v.Value) {
			c.bad(where, "value %s, %d, does not fit into %d bits", v.Name, v.Value, f.width())
		}
		for _, o := range f.Values[:i] {
			if o.Name == v.Name || o.Value == v.Value {
				c.bad(where, "values %s = %d and %s = %d are not told apart", o.Name, o.Value, v.Name, v.Value)
			}
		}
	}
}

// places requires that no two words have the same offset, and that no register lies
// between the elements of an array, for which SystemRDL has no words.
func (c *checker) places() {
	type word struct {
		r *Register
		i int
	}
	at := map[uint64]word{}
	told := map[[2]*Register]bool{}
	for i := range c.m.Registers {
		r := &c.m.Registers[i]
		for k := range r.elements() {
			offset := c.m.offset(r, k)
			o, taken := at[offset]
			at[offset] = word{r, k}
			if pair := [2]*Register{o.r, r}; taken && !told[pair] {
				told[pair] = true
				c.bad("", "%s and %s overlap at %#x", o.r.element(o.i), r.element(k), offset)
			}
		}
	}
	last := func(r *Register) uint64 { return c.m.offset(r, r.elements()-1) }
	for i := range c.m.Registers {
		for k := range i {
			a, b := &c.m.Registers[k], &c.m.Registers[i]
			if !told[[2]*Register{a, b}] && a.Offset <= last(b) && b.Offset <= last(a) {
				c.bad("", "%s at %s and %s at %s lie between each other; put arrays behind each other", a.title(), c.m.place(a), b.title(), c.m.place(b))
			}
		}
	}
}

// element is how messages call a word.
func (r *Register) element(i int) string {
	if r.Count == 0 {
		return r.Name
	}
	return fmt.Sprintf("%s[%d]", r.Name, i)
}
