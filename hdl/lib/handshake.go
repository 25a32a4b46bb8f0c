package lib

import (
	"fmt"

	"github.com/millrace-hdl/millrace/hdl"
)

// atLeast is an error that names the module, the field, its value and what is
// allowed, if v is less than least.
func atLeast(module, field string, v, least int) error {
	if v >= least {
		return nil
	}
	return fmt.Errorf("%s: %s is %d; it must be at least %d", module, field, v, least)
}

// stream is a stream of words.
type stream = hdl.Stream[Word]

func streamType(width int) stream { return hdl.StreamOf(Word{hdl.U(width)}) }

// streamPorts are n streams of words called name_0, name_1, …
func streamPorts(m *hdl.Module, name string, role hdl.Role, width, n int) []stream {
	ps := make([]stream, n)
	for i := range ps {
		ps[i] = hdl.Ports(m, fmt.Sprintf("%s_%d", name, i), role, streamType(width))
	}
	return ps
}

// valids is the vector of the valid bits, stream 0 in bit 0.
func valids(ss []stream) hdl.Signal {
	return vector(len(ss), func(i int) hdl.Signal { return ss[i].Valid.Signal })
}

// vector is n one-bit values side by side, the first in bit 0.
func vector(n int, bit func(i int) hdl.Signal) hdl.Signal {
	parts := make([]hdl.Value, n)
	for i := range parts {
		parts[n-1-i] = bit(i)
	}
	return hdl.Cat(parts...)
}

// obey adds the properties of the stream contract for every stream.
func obey(m *hdl.Module, name string, role hdl.Role, ss ...stream) {
	for i, s := range ss {
		n := name
		if len(ss) > 1 {
			n = fmt.Sprintf("%s_%d", name, i)
		}
		hdl.Obey(m, n, role, s)
	}
}

// feed joins a stream of any payload to the input of an instance.
func feed[T any](to stream, from hdl.Stream[T]) {
	to.Valid.Set(from.Valid)
	to.Data.Data.Set(hdl.Pack(from.Data))
	from.Ready.Set(to.Ready)
}

// as is the output of an instance as a stream of the payload t.
func as[T any](s stream, t T) hdl.Stream[T] {
	return hdl.Stream[T]{Valid: s.Valid, Ready: s.Ready, Data: hdl.Unpack(t, s.Data.Data.Signal)}
}
