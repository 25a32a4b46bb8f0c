// Package apb looks at APB4 from the outside, in plain Go: a [Sample] is what one
// rising clock edge sees, and a [Monitor] fed with one sample a cycle reports every
// breach of the protocol as data. Nothing here drives a bus.
//
// Names follow the AMBA APB protocol specification (IHI 0024): requester and completer,
// setup and access phase.
package apb

// Request is what the requester holds from the setup phase to the end of the access.
type Request struct {
	Write bool
	Addr  uint64 // bytes
	Prot  uint8
	Data  uint64 // of writes
	Strb  uint64 // one bit a byte
}

// Sample is the bus at a rising edge. Ready, ReadData and Error count in the access
// phase only.
type Sample struct {
	Sel, Enable bool
	Request
	Ready, Error bool
	ReadData     uint64
}
