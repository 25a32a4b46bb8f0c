package frontend

// Entry is a front-end in a list of all.
type Entry struct {
	Layout  Layout
	Summary string // what it does
}

// Catalogue is every front-end, in the order of the documentation.
func Catalogue() []Entry {
	return []Entry{
		{Reg32, "registers for linear transfers, 32-bit addresses, over APB4, AXI4-Lite or OBI"},
		{Reg32x2D, "registers for transfers of up to two dimensions, 32-bit addresses"},
		{Reg32x3D, "registers for transfers of up to three dimensions, 32-bit addresses"},
		{Reg64, "registers for linear transfers, 64-bit addresses"},
		{Reg64x2D, "registers for transfers of up to two dimensions, 64-bit addresses"},
	}
}
