package sim

// Tracer takes samples of an engine: a [VCD] or a [Recorder].
type Tracer interface {
	// Sample takes the present values of ports and variables as those of the
	// present cycle. Outputs and wires are settled by Eval beforehand; the edge
	// comes afterwards.
	Sample(reset bool) error
}

// Trace returns an engine that does what e does and samples every cycle. The
// tracer was made for e.
func Trace(e Engine, t Tracer) Engine { return &traced{e, t} }

type traced struct {
	Engine
	t Tracer
}

// Unwrap is the engine that is traced.
func (t *traced) Unwrap() Engine { return t.Engine }

func (t *traced) sample(reset bool) error {
	if err := t.Eval(); err != nil {
		return err
	}
	return t.t.Sample(reset)
}

func (t *traced) Reset(cycles int) error {
	if cycles < 1 {
		return t.Engine.Reset(cycles) // which tells what is wrong
	}
	for range cycles {
		if err := t.sample(true); err != nil {
			return err
		}
		if err := t.Engine.Reset(1); err != nil {
			return err
		}
	}
	return nil
}

func (t *traced) Step() error {
	if err := t.sample(false); err != nil {
		return err
	}
	return t.Engine.Step()
}

func (t *traced) Tick(domains uint64) error {
	if err := t.sample(false); err != nil {
		return err
	}
	return t.Engine.Tick(domains)
}

func (t *traced) Run(n int) error {
	if n < 0 {
		return t.Engine.Run(n)
	}
	for range n {
		if err := t.Step(); err != nil {
			return err
		}
	}
	return nil
}
