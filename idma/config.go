package idma

import (
	"errors"
	"fmt"
	"strings"

	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/idma/frontend"
	"github.com/millrace-hdl/millrace/idma/midend"
)

// Config holds the parameters of a whole engine. Start from [Default] or from an entry of
// [Catalogue].
type Config struct {
	// Frontend is what software meets: reg_32, reg_32_2d, reg_32_3d, reg_64, reg_64_2d,
	// reg_32_rt_3d, desc_64 or inst_64.
	Frontend Frontend
	// Registers are the options of the register front-ends.
	Registers frontend.Options
	// Descriptors are the options of desc_64.
	Descriptors frontend.DescOptions
	// Instructions are the options of inst_64.
	Instructions frontend.InstOptions
	// Midends names the stages between front-end and back-end, that next to software first;
	// auto for those that the front-end needs.
	Midends Midends
	// RT are the options of rt_3d, which stands below reg_32_rt_3d.
	RT RTOptions
	// Tensor are the options of tensor_nd.
	Tensor TensorOptions
	// Region is where mp_split cuts transfers, and what mp_dist divides among its outputs.
	Region midend.Region
	// Outputs is over how many back-ends mp_dist distributes, for each stream: 2, 4, 8, 16 or
	// 32.
	Outputs int
	// Tree makes a binary tree of mp_dist, whose nodes cut transfers at the same time.
	Tree bool
	// Backend is the configuration of the back-ends, one for each stream of the registers or
	// channel of the instructions, and more with mp_dist.
	Backend backend.Config `config:"inline"`
}

// Default is an engine with a front-end as that is by itself, and a back-end to match.
func Default(f Frontend) Config {
	c := Config{
		Frontend: f, Registers: frontend.DefaultOptions(), Descriptors: frontend.DefaultDesc().DescOptions,
		Instructions: frontend.DefaultInst().InstOptions, RT: RTOptions{Owed: midend.DefaultRT().Owed, Action: midend.DefaultRT().Action}, Region: midend.DefaultDist().Region, Outputs: 2, Backend: frontend.Default(frontend.Reg32).Backend,
	}
	switch {
	case f == Desc64:
		c.Backend = frontend.DefaultDesc().Backend
	case f == Inst64:
		c.Backend = frontend.DefaultInst().Backend
	case f.registers():
		r := frontend.Default(frontend.Layout(f))
		c.Registers, c.Backend = r.Options, r.Backend
	}
	return c
}

// Validate returns every parameter out of range, each a [*backend.FieldError], and what
// does not join.
func (c Config) Validate() error {
	if c.Frontend >= frontends {
		var all []string
		for f := range Frontend(frontends) {
			all = append(all, f.String())
		}
		return &backend.FieldError{Field: "Frontend", Value: c.Frontend, Allowed: strings.Join(all, ", ")}
	}
	var errs []error
	switch c.Frontend {
	case Desc64:
		errs = append(errs, within("Descriptors", c.descriptors().Validate()))
	case Inst64:
		errs = append(errs, within("Instructions", c.instructions().Validate()))
	default:
		errs = append(errs, within("Registers", c.registers().Validate()))
	}
	if c.Frontend == Reg32RT3D && len(errs) == 1 && errs[0] == nil {
		errs = append(errs, within("RT", c.rt().Validate()))
	}
	if c.Registers.Counters && c.Frontend.registers() && c.Backends() > 1 {
		errs = append(errs, &backend.FieldError{Field: "Registers.Counters", Value: true, Allowed: "false with several back-ends for a stream"})
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return c.joins()
}

// joins checks that each stage fits the next.
func (c Config) joins() error {
	chain := c.chain()
	if len(chain) == 0 {
		if err := midend.Joins(c.top(), midend.Linear(c.Backend)); err != nil {
			return fmt.Errorf("the back-end cannot follow %s: %w", c.Frontend, err)
		}
		return nil
	}
	if err := chain.Validate(); err != nil {
		return fmt.Errorf("in Midends: %w", err)
	}
	up, down := chain.Up(), chain.Down()
	if len(up) != 1 {
		return fmt.Errorf("%s has one link below for each stream, and %s, the first of Midends, has %d above", c.Frontend, chain[0].Name, len(up))
	}
	if err := midend.Joins(c.top(), up[0]); err != nil {
		return fmt.Errorf("%s cannot follow %s: %w", chain[0].Name, c.Frontend, err)
	}
	for _, l := range down {
		if err := midend.Joins(l, midend.Linear(c.Backend)); err != nil {
			return fmt.Errorf("the back-end cannot follow %s: %w", chain[len(chain)-1].Name, err)
		}
	}
	return nil
}

// within names the fields of a part as those of the engine: what belongs to the
// back-end is a field of its own here.
func within(part string, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		var errs []error
		for _, one := range e.Unwrap() {
			errs = append(errs, within(part, one))
		}
		return errors.Join(errs...)
	case *backend.FieldError:
		field, ofBackend := strings.CutPrefix(e.Field, "Backend.")
		if !ofBackend {
			field = part + "." + field
		}
		return &backend.FieldError{Field: field, Value: e.Value, Allowed: e.Allowed}
	}
	return errors.Unwrap(err) // of the back-end, whose fields are not those of the part
}

// Suffix names the variant in module names.
func (c Config) Suffix() string { return c.Frontend.String() }

func (c Config) registers() frontend.Config {
	return frontend.Config{Layout: frontend.Layout(c.Frontend), Options: c.Registers, Backend: c.Backend}
}

func (c Config) descriptors() frontend.DescConfig {
	return frontend.DescConfig{DescOptions: c.Descriptors, Backend: c.Backend}
}

func (c Config) instructions() frontend.InstConfig {
	return frontend.InstConfig{InstOptions: c.Instructions, Backend: c.Backend}
}

// Frontends is the configuration of the front-end, as one of three kinds. The others are nil.
func (c Config) Frontends() (*frontend.Config, *frontend.DescConfig, *frontend.InstConfig) {
	switch c.Frontend {
	case Desc64:
		d := c.descriptors()
		return nil, &d, nil
	case Inst64:
		i := c.instructions()
		return nil, nil, &i
	}
	r := c.registers()
	return &r, nil, nil
}

// rt is the mid-end that launches the events of the registers.
func (c Config) rt() midend.RTConfig {
	top := c.top()
	return midend.RTConfig{Events: c.Registers.Events, Owed: c.RT.Owed, Action: c.RT.Action, Dims: top.Dims, RepsWidths: top.RepsWidths, InFlight: c.RT.InFlight, Backend: c.Backend}
}

// top is the links of the front-end.
func (c Config) top() midend.LinkConfig {
	loops := func(dims, width int) midend.LinkConfig {
		return midend.LinkConfig{Backend: c.Backend, Dims: dims, RepsWidths: midend.WidthsOf(width)}
	}
	switch {
	case c.Frontend == Inst64:
		return loops(2, c.Instructions.RepsWidth)
	case c.Frontend.registers() && frontend.Layout(c.Frontend).Dims() > 1:
		return loops(frontend.Layout(c.Frontend).Dims(), c.Registers.RepsWidth)
	}
	return midend.Linear(c.Backend)
}

// Streams is how many streams of requests the front-end has, each with back-ends of its own.
func (c Config) Streams() int {
	switch {
	case c.Frontend == Inst64:
		return c.Instructions.Channels
	case c.Frontend.registers():
		return c.Registers.Streams
	}
	return 1
}
