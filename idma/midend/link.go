package midend

import (
	"github.com/millrace-hdl/millrace/hdl"
	"github.com/millrace-hdl/millrace/idma/backend"
)

// Link joins two stages, as the one nearer to software has it: requests go down,
// responses come back in their order, and with error handling actions follow the
// responses that ask for one. Mid-ends have the link of the stage above as a sink and
// that of the stage below as a source. Linear requests are those without Dims.
type Link struct {
	Req    hdl.Stream[Request]
	Rsp    hdl.Stream[backend.Response] `hdl:"in"`
	Action []hdl.Stream[backend.Action] `hdl:"opt"` // with error handling
}

// LinkType is the type of links to a back-end whose requests have so many loops, counted
// in repsWidth bits.
func LinkType(c backend.Config, loops, repsWidth int) Link {
	return linkOf(c, RequestType(c, loops, repsWidth))
}

func linkOf(c backend.Config, q Request) Link {
	l := Link{Req: hdl.StreamOf(q), Rsp: hdl.StreamOf(c.ResponseType())}
	if c.ErrorHandling {
		l.Action = []hdl.Stream[backend.Action]{hdl.StreamOf(backend.Action{Kind: hdl.U(2)})}
	}
	return l
}

// Ports is the interface of every mid-end. With one link on a side its names have no
// number.
type Ports struct {
	Up   []Link  `hdl:"in"` // up
	Down []Link  // down
	Busy hdl.Var // it holds a request, or awaits a response
}

// LinkConfig is what makes the type of a [Link].
type LinkConfig struct {
	Backend    backend.Config // that its requests are for
	Dims       int            // dimensions of requests, 1 to 8; 1 for linear ones
	RepsWidths Widths         // of the repetition counts: one for each loop, or one for all
}

// Linear is a link with linear requests.
func Linear(c backend.Config) LinkConfig { return LinkConfig{Backend: c, Dims: 1} }

// Type is the type of the link.
func (c LinkConfig) Type() Link { return linkOf(c.Backend, requestType(c.Backend, c.widths()...)) }

// widths are those of the loops' repetition counts.
func (c LinkConfig) widths() []int {
	var ws []int
	for i := range c.Dims - 1 {
		ws = append(ws, int(c.RepsWidths[min(i, c.RepsWidths.count()-1)]))
	}
	return ws
}
