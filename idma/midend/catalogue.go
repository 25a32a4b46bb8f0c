package midend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// Entry is a mid-end in a list of all.
type Entry struct {
	Name    string // of the specification
	Summary string // what it does
	// Defaults returns a pointer to a fresh configuration.
	Defaults func() any
	// Check says what is out of range in a configuration that Defaults returned.
	Check func(cfg any) error
	// Elaborate builds the mid-end for it.
	Elaborate func(cfg any) (*ir.Design, error)
}

func entry[C hdl.Validator](name, summary string, defaults C, elaborate func(C) (*ir.Design, error)) Entry {
	return Entry{
		Name: name, Summary: summary,
		Defaults:  func() any { c := defaults; return &c },
		Check:     func(cfg any) error { return (*cfg.(*C)).Validate() },
		Elaborate: func(cfg any) (*ir.Design, error) { return elaborate(*cfg.(*C)) },
	}
}

// Catalogue is every mid-end, in the order of the documentation.
func Catalogue() []Entry {
	return []Entry{
		entry("tensor_nd", "transfers of two to eight dimensions, by repetitions and strides", DefaultTensor(), ElaborateTensor),
		entry("tensor_2d", "transfers in rows, by the length of all and of a row", DefaultRows(), ElaborateRows),
		entry("mp_split", "cuts transfers where they cross a boundary", DefaultSplit(), ElaborateSplit),
		entry("mp_dist", "distributes transfers over back-ends by address", DefaultDist(), ElaborateDist),
		entry("rt_3d", "launches transfers again and again, beside those from above", DefaultRT(), ElaborateRT),
		entry("transpose_walk", "makes the rows of tiles of whole matrices, for back-ends that transpose", DefaultWalk(), ElaborateWalk),
		entry("arbiter", "joins links from above, by turns or by priority", DefaultArbiter(), ElaborateArbiter),
	}
}
