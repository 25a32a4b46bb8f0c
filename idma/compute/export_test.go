package compute

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/hdl/ir"
)

// ElaborateMX is a unit of an MX operation as a design.
func ElaborateMX(dataWidth int, f Float, signed, dequantise bool) (*ir.Design, error) {
	p := mxParams{dataWidth, f, signed}
	if dequantise {
		return hdl.Elaborate(mxDequantise, p)
	}
	return hdl.Elaborate(mxQuantise, p)
}

// ElaborateTranspose is a transposing unit as a design.
func ElaborateTranspose(dataWidth, banks int) (*ir.Design, error) {
	return hdl.Elaborate(transpose, transposeParams{dataWidth, banks})
}
