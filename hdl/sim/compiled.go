package sim

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// compiled is a program in machine code. Its memory is the slots of the model.
type compiled struct {
	runtime   wazero.Runtime
	eval, run api.Function
	slots     []uint64
	stack     [2]uint64
	slice     int // cycles in one call
	wrote     int // slot that is not zero after a cycle that wrote to memory
}

// sliceWork is about how many instructions one call executes. The garbage
// collector waits for calls, so they must not last longer than a millisecond or so.
const sliceWork = 1 << 20

// load compiles a module whose cycle is about so many instructions. It fails where
// there is no compiler for the processor.
func load(module []byte, work int) (c *compiled, err error) {
	defer func() {
		if r := recover(); r != nil { // how the absence of a compiler is told
			c, err = nil, fmt.Errorf("there is no compiler for this platform: %v", r)
		}
	}()
	ctx := context.Background()
	c = &compiled{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler()), slice: max(1, sliceWork/max(work, 1))}
	m, err := c.runtime.Instantiate(ctx, module)
	if err != nil {
		_ = c.close()
		return nil, fmt.Errorf("the compiler refuses the code: %w", err)
	}
	c.eval, c.run = m.ExportedFunction("eval"), m.ExportedFunction("run")
	memory, _ := m.Memory().Read(0, m.Memory().Size())
	c.slots = unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), len(memory)/8)
	return c, nil
}

func (c *compiled) evaluate() error {
	c.stack[0] = 0
	return c.eval.CallWithStack(context.Background(), c.stack[:1])
}

// cycles runs n cycles.
func (c *compiled) cycles(n int) error {
	for n > 0 {
		k := min(n, c.slice)
		c.stack[0], c.stack[1] = 0, uint64(k)
		if err := c.run.CallWithStack(context.Background(), c.stack[:]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func (c *compiled) close() error { return c.runtime.Close(context.Background()) }

// translate compiles the program of the model and takes the memory of the code for
// its slots. It fails for designs and on platforms that compiled code cannot serve.
func (m *Model) translate(r *roots, free int) error {
	if len(m.boxes) > 0 {
		return fmt.Errorf("black boxes are called by the interpreter only")
	}
	c := &compiler{scalars: newScalars(m.low.netlist, r.h.mems), regs: m.regs, cur: m.cur, nxt: m.nxt, free: free}
	c.wrote = c.free
	c.free++
	outputs := r.outputs
	event := 0
	if r.event != none {
		event = c.free
		c.free++
		outputs = append(outputs[:len(outputs):len(outputs)], sink{r.event, event})
	}
	if err := c.compile(r, outputs); err != nil {
		return err
	}
	if m.opt.Kind == Auto && c.shifting() {
		return fmt.Errorf("most of the work is to select from long registers by computed indices, which the interpreter does faster")
	}
	m.watch = observer{h: r.h, free: c.free}
	for i := range m.low.nodes {
		c.free += room(&m.low.nodes[i])
	}
	module, err := c.finish(c.free + 1)
	if err != nil {
		return err
	}
	if m.fast, err = load(module, c.work); err != nil {
		return err
	}
	m.event, m.fast.wrote = event, c.wrote
	m.adopt(m.fast.slots)
	return nil
}
